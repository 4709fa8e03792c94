"""Runs the two sides of a comparison: the command `apus`, and the code of a package in a process of its own."""

import json
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
THREADS = 2
# Exit codes of `apus`: wrong usage, a model that is not supported, a backend that is missing, no memory.
REFUSALS = (2, 3, 4, 5)


class Refusal(Exception):
    """The command needs to be told something, or cannot do what it is asked for."""


def limited():
    """Makes a process use as many processors as the other side has threads."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])


class Apus:
    """The command with a network."""

    def __init__(self, command, model, arguments):
        self.command, self.model, self.arguments = str(command), str(model), arguments

    def run(self, *arguments, folder=None):
        done = subprocess.run([self.command, *arguments], cwd=folder, preexec_fn=limited, capture_output=True,
                              text=True)
        if done.returncode in (0, 1):
            return json.loads(done.stdout)
        message = done.stderr.strip().replace(self.model, pathlib.Path(self.model).name)
        if done.returncode in REFUSALS:
            raise Refusal(message.removeprefix("apus: "))
        raise RuntimeError(f"exit code {done.returncode}: {message.partition(chr(10))[0]}")

    def inspect(self):
        return self.run("inspect", self.model, "--json")

    def predict(self, pictures, folder, *arguments):
        """The rows of the pictures in a folder, by name."""
        found = self.run("predict", self.model, *pictures, "--threads", str(THREADS), "--json", "--quiet", "--force",
                         *self.arguments, *map(str, arguments), folder=folder)
        return {row["id"]: row for row in found["records"]}

    def seconds(self, folder):
        """The time for all pictures of a folder, from their files to the rows, without that for loading the network."""
        found = self.run("predict", self.model, str(folder), "--threads", str(THREADS), "--json", "--quiet", "--force",
                         "--output", str(folder) + ".jsonl", *self.arguments)
        return found["summary"]["seconds"]


class Oracle:
    """The code of a package, which `run_oracle.py` runs. It begins when it is first asked for something."""

    def __init__(self, name, model, options, package, environment, folder):
        """The environment is a function that makes it, if it is not there."""
        self.arguments = [str(HERE / "oracles" / f"{name}.py"), str(model), json.dumps(options), str(folder)]
        self.environment, self.package, self.folder, self.process = environment, package, folder, None

    def ask(self, **question):
        if not self.process:
            self.folder.mkdir(parents=True, exist_ok=True)
            command = [str(self.environment() / "bin" / "python"), str(HERE / "run_oracle.py"), *self.arguments]
            variables = {**os.environ, "PYTHONPATH": str(self.package), "OMP_NUM_THREADS": str(THREADS)}
            with open(self.folder / "oracle.log", "w") as log:
                self.process = subprocess.Popen(command, env=variables, cwd=self.folder, preexec_fn=limited,
                                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        answer = json.loads(line) if line else {"error": self.last_words()}
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def last_words(self):
        lines = (self.folder / "oracle.log").read_text().strip().splitlines()
        return lines[-1] if lines else "the process ended"

    def answer(self, picture):
        return self.ask(picture=str(picture))

    def seconds(self, pictures):
        return self.ask(time=list(map(str, pictures)))["seconds"]

    def labels(self):
        return self.ask(labels=True)["labels"]

    def end(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()
