"""Runs a command on a case and reports errors in its result."""

import os
import resource
import signal
import subprocess
import time
import unicodedata

LONGEST_LINE = 1_000


class Outcome:
    def __init__(self, status, seconds, megabytes, output, errors):
        self.status = status
        self.seconds = seconds
        self.megabytes = megabytes
        self.output = output
        self.errors = errors

    def faults(self, expected, limits, places):
        """Each error as a phrase."""
        if self.status == -signal.SIGKILL:
            yield f"is killed after {self.seconds:.1f} s"
        elif self.status < 0:
            yield f"ends by {signal.Signals(-self.status).name}"
        elif self.status not in range(6):
            yield f"exits with {self.status}"
        if self.seconds > limits.seconds and self.status >= 0:
            yield f"takes {self.seconds:.1f} s"
        if self.megabytes > limits.megabytes:
            yield f"takes {self.megabytes} MB"
        if self.status == 0 and expected == "error":
            yield "answers"
        if self.status != 0 and expected == "answer":
            yield "refuses"
        for name, content in (("output", self.output), ("message", self.errors)):
            try:
                text = content.decode()
            except UnicodeDecodeError:
                yield f"{name} is not UTF-8"
                continue
            # Lines of CSV end as in RFC 4180.
            bad = {c for c in text.replace("\r\n", "\n") if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c != "\n"}
            if bad:
                yield f"{name} holds {sorted(map(hex, map(ord, bad)))}"
        if self.status > 0 and not (self.status == 1 and not self.errors):
            lines = self.errors.decode(errors="replace").splitlines()
            # A shard says what it computes with, before anything else.
            lines = [line for line in lines if not line.startswith(("apus: warning: ", "apus: shard "))]
            if self.status == 1:
                lines = lines[-1:]
            if len(lines) != 1:
                yield f"{len(lines)} lines of errors"
            elif not lines[0].startswith("apus: "):
                yield "no line of ours"
            elif len(lines[0]) > LONGEST_LINE:
                yield f"a line of {len(lines[0])} characters"
            elif places and not any(place in lines[0] for place in places):
                yield "does not name the file"


class Limits:
    def __init__(self, seconds, megabytes, per_byte, address_space):
        self.seconds = seconds
        self.megabytes = megabytes
        self.per_byte = per_byte
        self.address_space = address_space

    def of(self, folder, files):
        """The memory that a case may take, including that for its models' bytes without holes of sparse files."""
        models = [os.path.join(folder, name) for name in files if name.endswith((".onnx", ".tflite", ".mlmodel", ".bin"))]
        stored = sum(min(status.st_size, status.st_blocks * 512) for status in map(os.stat, filter(os.path.isfile, models)))
        machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
        return Limits(self.seconds, min(self.megabytes + stored * self.per_byte // 1024, max(self.megabytes, machine * 3 // 4)), self.per_byte, self.address_space)


def run(arguments, folder, limits, environment):
    """Runs the command until it ends, or kills it shortly after its time limit."""
    with open(os.path.join(folder, ".output"), "w+b") as output, open(os.path.join(folder, ".errors"), "w+b") as errors:

        def limit():
            os.setsid()
            if limits.address_space:
                resource.setrlimit(resource.RLIMIT_AS, (limits.address_space << 20,) * 2)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        start = time.monotonic()
        process = subprocess.Popen(
            arguments, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, preexec_fn=limit, env=environment)
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            if processor_seconds(process.pid) > limits.seconds * 2 or time.monotonic() - start > limits.seconds * 12 or resident(process.pid) > limits.megabytes * 4:
                os.killpg(process.pid, signal.SIGKILL)
            time.sleep(0.01)
        # On a busy machine the elapsed time means little.
        seconds = min(time.monotonic() - start, usage.ru_utime + usage.ru_stime)
        process.returncode = os.waitstatus_to_exitcode(status)
        for file in (output, errors):
            file.seek(0)
        return Outcome(process.returncode, seconds, usage.ru_maxrss >> 10, output.read(10_000_000), errors.read(1_000_000))


def processor_seconds(process):
    """The processor time of an existing process."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return sum(map(int, file.read().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0


def resident(process):
    """The megabytes of an existing process."""
    try:
        with open(f"/proc/{process}/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize() >> 20
    except (OSError, IndexError, ValueError):
        return 0
