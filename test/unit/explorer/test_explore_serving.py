"""The server of a page: it answers who knows the token, and compiles what is hostile as any source, within limits."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from xetile.errors import XetileError
from xetile.explorer.serving import compiling as compiler
from xetile.explorer.serving.server import MOST_BYTES, Session, read_source
from xetile.explorer.serving.wanted import Wanted
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.layout.exchange.plans import plan
from xetile.targets import find
from xetile.targets.xe.device import XeDevice

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples/gemm_f16_plain.mlir"
TEXT = EXAMPLE.read_text()


class Served:
    """A session in a thread, with what a test asks of it."""

    def __init__(self, session: Session, file: Path) -> None:
        self.session, self.file = session, file
        self.port, self.token = session.port, session.token
        self.number = 0

    def raw(self, request: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(1 << 16), b""))

    def get(self, place: str, **headers: str) -> bytes:
        given = {"Host": f"127.0.0.1:{self.port}"} | headers
        lines = "".join(f"{name}: {value}\r\n" for name, value in given.items() if value)
        return self.raw(f"GET /{place} HTTP/1.1\r\n{lines}\r\n".encode())

    def post(self, body: bytes, place: str = "source?1", **changed: str) -> bytes:
        headers = {"Host": f"127.0.0.1:{self.port}", "Content-Length": str(len(body))}
        headers |= {name.replace("_", "-"): value for name, value in changed.items()}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items() if value)
        return self.raw(f"POST /{self.token}/{place} HTTP/1.1\r\n{lines}\r\n".encode() + body)

    def events(self) -> Generator[tuple[str, dict[str, Any]]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", f"/{self.token}/events")
        answer = connection.getresponse()
        assert answer.getheader("Content-Type") == "text/event-stream"
        kind = ""
        try:
            yield "open", {}
            for line in answer:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name == "event":
                    kind = value
                elif name == "data":
                    yield kind, json.loads(value)
        finally:
            connection.close()

    def compiled(self, source: bytes) -> tuple[str, dict[str, Any]]:
        """What becomes of a source that the page sends."""
        self.number += 1
        events = self.events()
        assert next(events)[0] == "open"
        status, _, _ = self.post(source, f"source?{self.number}").partition(b"\r\n")
        assert status == b"HTTP/1.0 204 No Content"
        for kind, data in events:
            if kind != "begun" and data["number"] == self.number:
                events.close()
                return kind, data
        raise AssertionError("the stream ended")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    file = tmp_path_factory.mktemp("served") / "gemm.mlir"
    file.write_text(TEXT)
    session = Session([Wanted(str(file), "bmg")], 0)
    thread = threading.Thread(target=session.run)
    thread.start()
    yield Served(session, file)
    session.stop()
    thread.join(10)
    assert not thread.is_alive()


NOTHING = b"HTTP/1.0 404 Not Found"


def test_the_page_is_for_who_knows_the_token(served: Served) -> None:
    head, _, body = served.get(f"{served.token}/").partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.0 200 OK\r\n")
    assert b"\r\nReferrer-Policy: no-referrer" in head
    assert b"connect-src 'self'" in body
    local = served.get(f"{served.token}/", Host=f"localhost:{served.port}")
    assert local.startswith(b"HTTP/1.0 200 OK\r\n")
    assert len(served.token) == 43


@pytest.mark.parametrize("host", ["", "example.org", "127.0.0.1", "127.0.0.1:1", "[::1]:PORT", "localhost.example.org:PORT"])  # fmt: skip
def test_another_host_gets_nothing(served: Served, host: str) -> None:
    host = host.replace("PORT", str(served.port))
    assert served.get(f"{served.token}/", Host=host).startswith(NOTHING)
    assert served.get(f"{served.token}/events", Host=host).startswith(NOTHING)
    assert served.post(b"module {}", Host=host).startswith(NOTHING)


@pytest.mark.parametrize("path", ["", "TOKE/", "TOKEN", "TOKENx/", "token/", "TOKEN/..", "TOKEN/../TOKEN/", "TOKEN/gemm.mlir", "TOKEN//etc/passwd", "TOKEN/%2e%2e/", "events", "favicon.ico", "\xe4/"])  # fmt: skip
def test_no_other_place_is_there(served: Served, path: str) -> None:
    token = served.token
    path = path.replace("TOKEN", token).replace("TOKE/", f"{token[:-1]}/")
    assert served.get(path).startswith(NOTHING)


@pytest.mark.parametrize(
    "place",
    ["source", "sources?1", "source?-1", "source?" + "1" * 5000, "layouts"],
    ids=["no number", "another name", "below 0", "thousands of digits", "another path"],
)
def test_only_sources_and_layouts_are_taken(served: Served, place: str) -> None:
    events = served.session.followed.listen()
    assert served.post(b"module {}", place).startswith(NOTHING)
    assert events.empty()
    served.session.followed.leave(events)


@pytest.mark.parametrize("length", [str(MOST_BYTES + 1), "-1", "1" * 5000, "many", "1.0", "٣"])
def test_a_length_that_is_not_taken_is_refused_before_the_body(
    served: Served, length: str
) -> None:
    """The connection stays open for a body that never comes."""
    events = served.session.followed.listen()
    head = f"POST /{served.token}/source?1 HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n"
    with socket.create_connection(("127.0.0.1", served.port), timeout=5) as connection:
        connection.sendall(f"{head}Content-Length: {length}\r\n\r\n".encode())
        assert connection.recv(len(NOTHING)) == NOTHING
    assert events.empty()
    served.session.followed.leave(events)


ASKED: dict[str, Any] = {"text": "#xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>", "sizes": {"M": 4, "N": 16}, "source": "register: M1 M2; lane: N1 N2 N4 N8", "bits": 32, "device": "bmg", "subgroups": 8}  # fmt: skip


def asked(served: Served, **changed: object) -> dict[str, Any]:
    body = json.dumps(ASKED | changed).encode()
    head, _, answer = served.post(body, "layout").partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.0 200 OK")
    return json.loads(answer)


def test_layouts_are_read_and_the_way_to_them_planned(served: Served) -> None:
    bases = {
        "in": {"register": [[1, 0], [2, 0]], "lane": [[0, 1], [0, 2], [0, 4], [0, 8]]},
        "out": {"M": 4, "N": 16},
    }
    nothing: dict[str, Any] = {
        "kind": "none",
        "price": 0,
        "rounds": [],
        "conflicts": 0,
        "shared_bytes": 0,
    }
    assert asked(served) == {"layout": bases, "plan": nothing}
    swapped = asked(served, text="register: M1 M2; lane: N2 N1 N4 N8")
    own, other = (
        LinearLayout.from_bases({"register": [(1, 0), (2, 0)], "lane": lanes}, {"M": 4, "N": 16})
        for lanes in ([(0, 1), (0, 2), (0, 4), (0, 8)], [(0, 2), (0, 1), (0, 4), (0, 8)])
    )  # fmt: skip
    device = find("bmg")
    assert isinstance(device, XeDevice)
    made = plan(own, other, 32, device.prices.among(8, device.shared_bytes))
    assert (swapped["plan"]["kind"], swapped["plan"]["price"]) == (made.kind, made.price)
    assert made.price > 0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"text": "#ttg.foo<{}>"}, "layout #ttg.foo is not supported"),
        ({"text": "#ttg.blocked<{"}, "layout attribute: expected"),
        ({"text": "#xegpu.layout<>", "sizes": {}}, "select a value first"),
        ({"text": "lane: N1 ^"}, "1:11: expected"),
        ({"text": "#" + "[" * 5000}, "layout attribute: expected"),
    ],
    ids=["name", "end", "sizes", "notation", "nested"],
)
def test_wrong_layouts_are_told_in_a_line(served: Served, changed: dict[str, object], message: str) -> None:  # fmt: skip
    found = asked(served, **changed)
    assert message in found["error"]
    assert "\n" not in found["error"]


@pytest.mark.parametrize("changed", [{"sizes": {"M": 1 << 30}}, {"sizes": [4]}, {"more": 1}], ids=str)  # fmt: skip
def test_what_is_no_question_gets_nothing(served: Served, changed: dict[str, object]) -> None:
    assert served.post(json.dumps(ASKED | changed).encode(), "layout").startswith(NOTHING)


def test_a_source_of_the_page_is_compiled_and_written_nowhere(served: Served) -> None:
    before = sorted(path.name for path in served.file.parent.iterdir())
    kind, data = served.compiled(TEXT.replace("@gemm", "@other").encode())
    assert kind == "made"
    assert [kernel["name"] for kernel in data["explorations"][0]["kernels"]] == ["other"]
    assert sorted(path.name for path in served.file.parent.iterdir()) == before
    assert served.file.read_text() == TEXT


@pytest.mark.parametrize(
    ("source", "place", "message"),
    [
        (b"module {\n  foo.bar\n}\n", (2, 3), "there is no op 'foo.bar'"),
        (TEXT.replace("f16", "f61").encode(), None, ""),
        (b"module {}\xff", (1, 10), "byte 0xff is not valid UTF-8"),
        (b"module {}\n\0\n", None, ""),
        (b"", None, "there is no kernel"),
        (b"module {" * 50_000, None, ""),
        (b"((" * 500_000, None, ""),
        (b'"' * 1_000_001, None, ""),
    ],
    ids=["op", "type", "utf8", "nul", "empty", "nested", "brackets", "quotes"],
)
def test_wrong_sources_are_refused_with_their_place(
    served: Served, source: bytes, place: tuple[int, int] | None, message: str
) -> None:
    kind, data = served.compiled(source)
    assert kind == "refused"
    error = data["error"]
    assert message in error["message"]
    assert "internal error" not in error["message"]
    assert "\n" not in error["message"]
    if place is not None:
        assert (error["line"], error["column"]) == place


def test_the_last_good_page_stays_and_later_pages_hear_of_the_error(served: Served) -> None:
    assert served.compiled(TEXT.encode())[0] == "made"
    assert served.compiled(b"module {")[0] == "refused"
    assert b"HTTP/1.0 200 OK" in served.get(f"{served.token}/")
    events = served.events()
    assert next(events)[0] == "open"
    assert next(events)[0] == "refused"
    assert served.compiled(TEXT.encode())[0] == "made"


def test_the_file_is_followed(served: Served) -> None:
    events = served.session.followed.listen()
    beside = served.file.with_suffix(".new")
    beside.write_text(TEXT.replace("@gemm", "@renamed"))
    beside.replace(served.file)  # as editors do it
    told = [events.get(timeout=10).split("\n")[0] for _ in range(2)]
    served.session.followed.leave(events)
    assert told == ["event: begun", "event: made"]
    served.file.write_text(TEXT)


def test_a_warm_change_is_quick(served: Served) -> None:
    served.compiled(TEXT.encode())
    started = time.monotonic()
    assert served.compiled(f"{TEXT}\n// changed\n".encode())[0] == "made"
    assert time.monotonic() - started < 5


def test_what_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    one: Any = compiler.Compiler(
        (Wanted("a.mlir", "bmg"),), lambda change, answer: told.append((change, answer))
    )
    assert one.ask(TEXT.encode()).explorations is not None
    process = one._helper
    assert process is not None
    monkeypatch.setattr(compiler, "SECONDS", 0.05)
    late = one.ask(TEXT.replace("gemm", "other").encode())
    assert late.error is not None
    assert late.error["message"] == "the compiler did not explore it within 0.05 seconds"
    with pytest.raises(ProcessLookupError):
        os.kill(process.process, 0)
    monkeypatch.undo()
    assert one.ask(TEXT.encode()).explorations is not None
    one.end()


def test_what_takes_too_much_memory_is_refused() -> None:
    command = "from xetile.explorer.serving import compiling; compiling.MEMORY_BYTES = 1 << 30; compiling._begin(); bytearray(1 << 30)"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == "MemoryError"


def test_files_that_are_not_followed(tmp_path: Path) -> None:
    large = tmp_path / "large.mlir"
    with large.open("wb") as stream:
        stream.truncate(MOST_BYTES + 1)
    with pytest.raises(XetileError, match="is larger than 16,777,216 bytes"):
        read_source(str(large))
    with pytest.raises(XetileError, match="no such file"):
        read_source(str(tmp_path / "gone.mlir"))


def _command(file: Path, *flags: str) -> "subprocess.Popen[str]":
    code = "import sys; from xetile.cli.entry import explore; sys.exit(explore())"
    return subprocess.Popen([sys.executable, "-c", code, str(file), "--device", "bmg", *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip


def test_ctrl_c_ends_it_and_its_children(tmp_path: Path) -> None:
    file = tmp_path / "gemm.mlir"
    file.write_text(TEXT)
    process = _command(file, "--serve")
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    port = int(address.split("/")[2].split(":")[1])
    listening = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    places = [
        line[1] for line in listening if line[1].endswith(f":{port:04X}") and line[3] == "0A"
    ]
    assert places == [f"0100007F:{port:04X}"]
    other = _command(file, "--serve", str(port)).communicate(timeout=20)
    assert (
        other[1]
        == f"xetile-explore: error: cannot listen on 127.0.0.1:{port}: address already in use\n"
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors == f"xetile-explore: follows {file}; Ctrl-C ends it\n"
    assert children
    assert not any(Path(f"/proc/{child}").exists() for child in children)


def test_a_wrong_file_is_refused_at_once(tmp_path: Path) -> None:
    file = tmp_path / "wrong.mlir"
    file.write_text("module {\n  foo.bar\n}\n")
    process = _command(file, "--serve")
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 1
    assert errors.splitlines()[0] == f"{file}:2:3: error: there is no op 'foo.bar'"
