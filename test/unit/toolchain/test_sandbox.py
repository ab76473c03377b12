import sys
import time

import pytest

from xetile.errors import XetileError
from xetile.toolchain.sandbox import ending, run


def test_status_and_both_streams_are_told():
    script = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    outcome = run([sys.executable, "-c", script], seconds=30)
    assert outcome == (3, "out\n", "err\n")
    assert ending(outcome) == "status 3"


def test_a_crash_is_a_negative_status_and_not_ours():
    outcome = run([sys.executable, "-c", "import os; os.abort()"], seconds=30)
    assert outcome.status < 0
    assert ending(outcome) == "signal SIGABRT"


def test_what_hangs_is_ended_with_its_children():
    script = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
    start = time.monotonic()
    with pytest.raises(XetileError, match=r"did not end within 0\.5 seconds"):
        run([sys.executable, "-c", script], seconds=0.5)
    assert time.monotonic() - start < 30


def test_a_program_that_is_not_there():
    with pytest.raises(XetileError, match="cannot run /nowhere/tool: no such file"):
        run(["/nowhere/tool"], seconds=1)
