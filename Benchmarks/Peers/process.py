import os
import select
import signal
import subprocess


class EngineFailure(Exception):
    pass


class EngineProcess:
    """An engine in a process of its own, which is stopped by a signal while it has no request."""

    def __init__(self, command, log, patience=300):
        self.patience = patience
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
        self.answers = b""

    def __enter__(self):
        self.version = self.answer().removeprefix("ready ")
        self.stop()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def ask(self, *request):
        self.process.send_signal(signal.SIGCONT)
        try:
            self.process.stdin.write(" ".join(str(word) for word in request).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # It has ended, and its last answer says why.
        answer = self.answer()
        self.stop()
        return answer

    def answer(self):
        """The next line. The pipe is read unbuffered, so that select sees all available bytes."""
        pipe = self.process.stdout.fileno()
        while b"\n" not in self.answers:
            if not select.select([pipe], [], [], self.patience)[0]:
                raise EngineFailure(f"no answer in {self.patience} s")
            part = os.read(pipe, 65536)
            if not part:
                raise EngineFailure(f"the process ends with {self.process.wait()}")
            self.answers += part
        line, self.answers = self.answers.split(b"\n", 1)
        text = line.decode()
        if text.startswith("error "):
            raise EngineFailure(text.removeprefix("error "))
        return text

    def stop(self):
        self.process.send_signal(signal.SIGSTOP)

    def memory(self, field):
        """A number of bytes of /proc/PID/status: VmRSS is the resident memory, VmHWM its peak."""
        with open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                if line.startswith(field + ":"):
                    return int(line.split()[1]) * 1024
        raise EngineFailure("the process has ended")
