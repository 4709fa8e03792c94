import os
import subprocess
import sys


def convert(command, folder, result):
    """Runs a converter of this virtual environment in `folder`; its last line is the reason when `result` is not made."""
    program = os.path.join(os.path.dirname(sys.executable), command[0])
    answer = subprocess.run([program, *command[1:]], cwd=folder, text=True, errors="replace",
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if answer.returncode or not os.path.exists(result):
        lines = answer.stdout.strip().splitlines() or ["no message"]
        raise RuntimeError(f"{command[0]} ends with {answer.returncode}: {lines[-1]}")
