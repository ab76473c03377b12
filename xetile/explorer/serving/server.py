"""The server of a page that follows its source: `xetile-explore --serve`.

It listens on 127.0.0.1 only. Other programs and users of this machine can reach that too, so a request must have the
token in the address, and name this host: under another name, which its owner may point at 127.0.0.1, a foreign page
would be of the same origin. Other requests get status 404. Sources that the page sends are compiled like the file, and
never written.

| request | answer |
|---|---|
| GET /TOKEN/ | the page of the last source without errors |
| GET /TOKEN/events | server-sent events: `begun`, `made`, `refused`, each with JSON |
| POST /TOKEN/source?NUMBER | 204; an event with this number follows |
| POST /TOKEN/layout | the answer on a typed layout (`typed_layout.py`), as JSON |
"""

import json
import os
import re
import stat
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from hmac import compare_digest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, SimpleQueue
from secrets import token_urlsafe

from typing_extensions import override

from xetile.errors import XetileError, reason_of
from xetile.explorer.serving.compiling import Answer, Change, Compiler
from xetile.explorer.serving.typed_layout import told, typed_of
from xetile.explorer.serving.wanted import Wanted

LOOK_SECONDS = 0.3
"""Interval between checks of the file for changes."""

ALIVE_SECONDS = 5.0
"""Interval between signs of life of a stream of events."""

MOST_BYTES = 16 << 20
"""Limit of the size of a source, from a file or a page."""


class Followed:
    """The last good exploration, and the listeners to changes."""

    def __init__(self, explorations: str) -> None:
        self._explorations = explorations
        self._refusal: str | None = None
        self._listeners: set[SimpleQueue[str]] = set()
        self._lock = threading.Lock()

    def page(self) -> bytes:
        """Return the page as a new reader opens it."""
        from xetile.explorer.page.single_file import page

        with self._lock:
            explorations = self._explorations
        return page(json.loads(explorations), served=True).encode()

    def begun(self, change: Change) -> None:
        """Report that the compilation of a change starts."""
        with self._lock:
            self._tell("begun", _of(change))

    def told(self, change: Change, answer: Answer) -> None:
        """Report the result of a change."""
        with self._lock:
            if answer.explorations is not None:
                self._explorations, self._refusal = answer.explorations, None
                data = {**_of(change), "remarks": answer.remarks}
                root = f'"explorations":{answer.explorations}'
                self._tell("made", data, root)
            else:
                data = {**_of(change), "remarks": answer.remarks, "error": answer.error}
                self._refusal = self._tell("refused", data)

    def listen(self) -> SimpleQueue[str]:
        """Return a queue that gets all events; the first one is the error of the last change, if it had one."""
        queue: SimpleQueue[str] = SimpleQueue()
        with self._lock:
            self._listeners.add(queue)
            if self._refusal is not None:
                queue.put(self._refusal)
        return queue

    def leave(self, queue: SimpleQueue[str]) -> None:
        """Stop sending to a queue."""
        with self._lock:
            self._listeners.discard(queue)

    def _tell(self, kind: str, data: dict[str, object], more: str = "") -> str:
        """Send an event; `more` is JSON of further fields, which is sent unchanged."""
        text = json.dumps(data)
        if more:
            text = f"{text[:-1]},{more}}}"
        event = f"event: {kind}\ndata: {text}\n\n"
        for queue in self._listeners:
            queue.put(event)
        return event


def _of(change: Change) -> dict[str, object]:
    return {"origin": change.origin, "number": change.number}


class _Handler(BaseHTTPRequestHandler):
    session: "Session"

    def do_GET(self) -> None:
        """Send the page, or its events."""
        match self._place():
            case "":
                self._answer("text/html; charset=utf-8", self.session.followed.page())
            case "events":
                with suppress(OSError):  # the page went away
                    self._stream()
            case _:
                self.send_error(404)

    def do_POST(self) -> None:
        """Accept a source or a layout that the page sends."""
        place, length = self._place(), self._length()
        if place is None or length is None:
            return self.send_error(404)
        body = self.rfile.read(length)
        name, _, number = place.partition("?")
        if name == "layout" and (asked := typed_of(body)) is not None:
            found = json.dumps(told(asked), separators=(",", ":"))
            return self._answer("application/json", found.encode())
        if name != "source" or re.fullmatch("[0-9]{1,15}", number) is None:
            return self.send_error(404)
        self.session.change(Change(body, "page", int(number)))
        self._begin(204, "text/plain")

    def _place(self) -> str | None:
        """Return what follows the token in the path, or None if the request lacks the token or names another host."""
        port = self.session.port
        if self.headers.get("Host", "") not in (f"127.0.0.1:{port}", f"localhost:{port}"):
            return None
        token, slash, place = self.path.removeprefix("/").partition("/")
        is_known = compare_digest(token.encode(), self.session.token.encode())
        return place if is_known and slash else None

    def _length(self) -> int | None:
        """Return the length of the body, or None if it is not a number of at most MOST_BYTES."""
        given = self.headers.get("Content-Length", "0").strip()
        if not re.fullmatch(f"[0-9]{{1,{len(str(MOST_BYTES))}}}", given):
            return None
        length = int(given)
        return length if length <= MOST_BYTES else None

    def _answer(self, kind: str, body: bytes) -> None:
        self._begin(200, kind)
        self.wfile.write(body)

    def _begin(self, status: int, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")  # the address has the token
        self.end_headers()

    def _stream(self) -> None:
        self._begin(200, "text/event-stream")
        queue = self.session.followed.listen()
        try:
            self.wfile.write(b"retry: 1000\n\n")
            while not self.session.is_ended:
                try:
                    event = queue.get(timeout=ALIVE_SECONDS)
                except Empty:
                    event = ": alive\n\n"
                self.wfile.write(event.encode())
        finally:
            self.session.followed.leave(queue)

    @override
    def log_message(self, format: str, *args: object) -> None:
        pass  # the log would contain the token


class _Server(ThreadingHTTPServer):
    @override
    def handle_error(self, request: object, client_address: object) -> None:
        error = sys.exception()
        if not isinstance(error, OSError):  # else a page went away
            print(f"xetile-explore: internal error: {type(error).__name__}", file=sys.stderr)


class Session:
    """A server with its page, until it is ended."""

    def __init__(self, wanted: Sequence[Wanted], port: int) -> None:
        """Compile the file, and listen.

        Raise XetileError if the file cannot be read or compiled, or the port is taken.
        """
        self.path = wanted[0].file
        source = read_source(self.path)
        self._seen = _stamp(self.path)
        self.compiler = Compiler(
            tuple(wanted), lambda change, answer: self.followed.told(change, answer)
        )
        first = self.compiler.ask(source)
        if first.explorations is None:
            self.compiler.end()
            raise Refused(str((first.error or {}).get("text", "")))
        for remark in first.remarks:
            print(remark, file=sys.stderr)
        self.followed = Followed(first.explorations)
        self._ended = threading.Event()
        self.token = token_urlsafe(32)
        handler = type("Handler", (_Handler,), {"session": self})
        try:
            self._server = _Server(("127.0.0.1", port), handler)
        except OSError as error:
            self.compiler.end()
            raise XetileError(
                f"cannot listen on 127.0.0.1:{port}: {reason_of(error)}"
            ) from error
        self.port = self._server.server_port
        self.address = f"http://127.0.0.1:{self.port}/{self.token}/"

    @property
    def is_ended(self) -> bool:
        """Return True if streams end."""
        return self._ended.is_set()

    def change(self, change: Change) -> None:
        """Report a change, and queue it for compilation."""
        self.followed.begun(change)
        self.compiler.submit(change)

    def run(self) -> None:
        """Answer requests until this is interrupted, or ended by another thread."""
        try:
            self.compiler.start()
            threading.Thread(target=self._watch, daemon=True).start()
            self._server.serve_forever(poll_interval=0.1)
        finally:
            self.end()

    def end(self) -> None:
        """End the server, its streams and the compiler."""
        if self._ended.is_set():
            return
        self._ended.set()
        self._server.server_close()
        self.compiler.end()

    def stop(self) -> None:
        """Make `run` return; called from another thread."""
        self._server.shutdown()

    def _watch(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            stamp = _stamp(self.path)
            # an editor will soon write a missing file anew
            if stamp in (None, self._seen):
                continue
            self._seen = stamp
            try:
                change = Change(read_source(self.path), "file")
            except XetileError as error:
                data: dict[str, object] = {"message": error.message, "text": error.message}
                self.followed.told(Change(b"", "file"), Answer(None, data, []))
                continue
            self.change(change)


class Refused(XetileError):
    """The file is wrong from the start; the message is the whole diagnostic."""


def read_source(path: str) -> bytes:
    """Return the bytes of a source that is followed.

    Raise XetileError if it is not a file of at most MOST_BYTES, or cannot be read.
    """
    try:
        with open(path, "rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else str(error)
        raise XetileError(f"cannot read '{path}': {reason}") from error
    if len(data) > MOST_BYTES:
        raise XetileError(f"'{path}' is larger than {MOST_BYTES:,} bytes, which are followed")
    return data


def _stamp(path: str) -> tuple[int, int, int] | None:
    """Return values that change when a file is written, or None if there is no file."""
    with suppress(OSError):
        found = os.stat(path)
        if stat.S_ISREG(found.st_mode):
            return found.st_mtime_ns, found.st_size, found.st_ino
    return None


def serve(wanted: Sequence[Wanted], port: int, program: str) -> int:
    """Serve the page of a file until the command is interrupted; its address goes to standard output.

    Raise XetileError for a file that cannot be read, a source that is wrong, a port that is taken.
    """
    from xetile.cli.frame.inputs_outputs import read_input

    if not Path(wanted[0].file).is_file():
        read_input(wanted[0].file)  # raises an error with suggestions
        raise XetileError(f"--serve follows a file, which '{wanted[0].file}' is not")
    try:
        session = Session(wanted, port)
    except Refused as error:
        print(error.message, file=sys.stderr)
        return 1
    print(session.address, flush=True)
    print(f"{program}: follows {wanted[0].file}; Ctrl-C ends it", file=sys.stderr)
    session.run()
    return 0
