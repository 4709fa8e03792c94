"""What kills a worker once, in the middle of its work."""

import os
import signal


def kill_once(flag: str, paths) -> None:
    """Kills this process when it sees a certain picture, unless that has happened before."""
    if not any(str(path).endswith("00061.jpg") for path in paths):
        return
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)
