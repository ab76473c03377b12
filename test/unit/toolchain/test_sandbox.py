import contextlib
import errno
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest
from support.processes import ends, is_running, open_files

from xetile.errors import XetileError
from xetile.toolchain.sandbox import Helper, HelperEnded, ending, run


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


ANSWERS = """
import os, signal, subprocess, sys, time
from xetile.errors import XetileError
from xetile.toolchain.sandbox import serve

def answer(question):
    match question:
        case ["echo", what]:
            return what
        case ["print", text]:
            print(text, end="", flush=True)
            return None
        case ["start", seconds]:
            child = subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({seconds})"])
            return child.pid
        case "refuse":
            raise XetileError("no")
        case "fail":
            raise KeyError("what")
        case "exhaust":
            raise MemoryError
        case "crash":
            print("LLVM ERROR: out of ideas", file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGSEGV)
        case "leave":
            sys.exit(3)
        case "hang":
            signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
            while True:
                time.sleep(60)

serve(sys.argv[1:], answer)
"""


@pytest.fixture
def helper() -> Generator[Helper]:
    found = Helper("the helper", [sys.executable, "-c", ANSWERS])
    yield found
    found.end()


def ask(helper: Helper, question: object, seconds: float = 30) -> object:
    return helper.ask(question, "try", seconds=seconds)


def test_a_helper_answers_until_it_is_ended(helper: Helper):
    assert ask(helper, ["echo", {"a": bytes(5_000_000)}]) == {"a": bytes(5_000_000)}
    assert helper.is_open
    helper.end()
    assert not helper.is_open
    assert ends(helper.process)
    helper.end()
    with pytest.raises(HelperEnded, match=r"^the helper has ended \(closed\); open it again$"):
        ask(helper, ["echo", 1])


def test_what_a_helper_prints_is_given_once(helper: Helper):
    assert helper.output() == ""
    ask(helper, ["print", "one\n"])
    ask(helper, ["print", "two\n"])
    assert helper.output() == "one\ntwo\n"
    ask(helper, ["print", "three\n"])
    assert helper.output() == "three\n"
    helper.end()
    assert helper.output() == ""


@pytest.mark.parametrize(
    "question, message",
    [
        ("refuse", "no"),
        ("fail", "KeyError: 'what'"),
        ("exhaust", "this takes more memory than there is"),
    ],
)
def test_what_a_helper_refuses_is_an_error_and_it_goes_on(
    helper: Helper, question: str, message: str
):
    with pytest.raises(XetileError) as found:
        ask(helper, question)
    assert found.value.message == message
    assert ask(helper, ["echo", 1]) == 1


@pytest.mark.parametrize(
    "question, ending, told",
    [
        ("crash", "signal SIGSEGV", ": LLVM ERROR: out of ideas"),
        ("leave", "status 3", ""),
    ],
)
def test_a_helper_that_ends_is_told_how(helper: Helper, question: str, ending: str, told: str):
    with pytest.raises(HelperEnded) as found:
        ask(helper, question)
    assert found.value.message == f"the helper ended with {ending}; it was to try{told}"
    assert found.value.crashed
    with pytest.raises(HelperEnded, match=rf"has ended \({ending} when it was to try\)"):
        ask(helper, ["echo", 1])


def test_a_helper_that_ended_unasked_is_not_open(helper: Helper):
    assert ask(helper, ["echo", 1]) == 1
    os.kill(helper.process, signal.SIGKILL)
    assert ends(helper.process)
    assert not helper.is_open
    with pytest.raises(
        HelperEnded, match=r"^the helper ended with signal SIGKILL; it was to try"
    ):
        ask(helper, ["echo", 1])


def test_a_helper_that_takes_too_long_is_ended_with_what_it_started(helper: Helper):
    child = ask(helper, ["start", 60])
    assert isinstance(child, int)
    with pytest.raises(HelperEnded, match=r"^the helper did not try within 0\.3 seconds$"):
        ask(helper, "hang", 0.3)
    assert ends(helper.process)
    assert ends(child)


def test_a_helper_that_does_not_listen_is_ended(helper: Helper):
    ask(helper, ["echo", 1])
    os.kill(helper.process, signal.SIGSTOP)
    with pytest.raises(HelperEnded, match=r"did not try within 0\.3 seconds"):
        ask(helper, ["echo", bytes(10_000_000)], 0.3)
    assert ends(helper.process)


def test_a_helper_ends_when_asking_is_interrupted(helper: Helper):
    with ThreadPoolExecutor() as threads:
        threads.submit(lambda: (time.sleep(0.3), os.kill(os.getpid(), signal.SIGALRM)))
        before = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            with pytest.raises(KeyboardInterrupt):
                ask(helper, "hang")
        finally:
            signal.signal(signal.SIGALRM, before)
    assert ends(helper.process)
    with pytest.raises(HelperEnded, match="interrupted when it was to try"):
        ask(helper, ["echo", 1])


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_helper_ends_with_who_asks(number: signal.Signals):
    script = (
        "import signal, sys\n"
        "from xetile.toolchain.sandbox import Helper\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may ignore it\n"
        f"helper = Helper('it', [sys.executable, '-c', {ANSWERS!r}])\n"
        "print(helper.process, helper.ask(['start', 60], 'start', seconds=30), flush=True)\n"
        "helper.ask('hang', 'try', seconds=60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as asking:
        assert asking.stdout is not None
        processes = [int(word) for word in asking.stdout.readline().split()]
        time.sleep(0.2)
        assert all(map(is_running, processes))
        asking.send_signal(number)
        asking.wait(30)
    assert len(processes) == 2
    assert all(map(ends, processes))


def test_a_helper_outlives_the_thread_that_started_it():
    with ThreadPoolExecutor() as threads:
        helper = threads.submit(Helper, "it", [sys.executable, "-c", ANSWERS]).result()
    try:
        assert ask(helper, ["echo", 1]) == 1
    finally:
        helper.end()


@pytest.mark.parametrize("question", ["crash", "leave", "end"])
def test_what_a_helper_started_is_ended_before_its_number_is_free(
    helper: Helper, question: str, monkeypatch: pytest.MonkeyPatch
):
    child = ask(helper, ["start", 60])
    assert isinstance(child, int)
    told: list[int] = []
    kill = os.killpg

    def killed(leader: int, number: int) -> None:
        os.waitid(os.P_PID, leader, os.WEXITED | os.WNOHANG | os.WNOWAIT)  # it is still ours
        told.append(leader)
        kill(leader, number)

    monkeypatch.setattr(os, "killpg", killed)
    if question == "end":
        helper.end()
    else:
        with pytest.raises(HelperEnded, match="the helper ended with"):
            ask(helper, question)
    assert told == [helper.process]
    assert ends(child)


@pytest.mark.parametrize("module, name", [(socket, "socketpair"), (os, "pipe")])
def test_a_helper_that_gets_no_files_is_refused(
    module: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch
):
    def fail() -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(module, name, fail)
    before = open_files()
    with pytest.raises(XetileError, match=r"^cannot run /nowhere/tool: too many open files"):
        Helper("it", ["/nowhere/tool"])
    assert open_files() == before


def test_a_helper_leaves_no_files_open():
    before = open_files()
    for question in ("crash", "leave", ["echo", 1]):
        helper = Helper("it", [sys.executable, "-c", ANSWERS])
        with contextlib.suppress(HelperEnded):
            ask(helper, question)
        helper.end()
    with pytest.raises(XetileError, match="cannot run /nowhere/tool: no such file"):
        Helper("it", ["/nowhere/tool"])
    assert open_files() == before
