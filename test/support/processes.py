"""Whether processes and open files are gone, asked of the system."""

import os
import time
from pathlib import Path

_MOST_SECONDS = 10.0


def is_running(process: int) -> bool:
    """Whether a process is there that does something; one that ended and waits for its parent does not."""
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False
    return state not in "ZX"


def ends(process: int) -> bool:
    """Whether a process that was killed is gone; ending takes it a moment."""
    limit = time.monotonic() + _MOST_SECONDS
    while is_running(process):
        if time.monotonic() > limit:
            return False
        time.sleep(0.02)
    return True


def open_files() -> int:
    """How many files this process has open."""
    return len(os.listdir("/proc/self/fd"))
