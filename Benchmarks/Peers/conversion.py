import os
import subprocess


def convert(command, folder, result):
    """Runs a converter in `folder`. If it does not make `result`, its last line is the reason."""
    answer = subprocess.run(command, cwd=folder, text=True, errors="replace",
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if answer.returncode or not os.path.exists(result):
        lines = answer.stdout.strip().splitlines() or ["no message"]
        raise RuntimeError(f"{os.path.basename(command[0])} ends with {answer.returncode}: {lines[-1]}")
