"""The server of a page that follows its source: `xetile-explore --serve`.

It listens on 127.0.0.1 only, and answers who knows the token in its address (`doors.py`). It has the page, a stream of
what becomes of changes, and takes sources that the page sends; those are compiled like the file, and written nowhere.

| request | answer |
|---|---|
| GET /TOKEN/ | the page of the last source that was right |
| GET /TOKEN/events | server-sent events: `begun`, `made`, `refused`, each with JSON |
| POST /TOKEN/source?NUMBER | 204; an event with this number follows |
| POST /TOKEN/layout | what is told of a typed layout (`typed.py`), as JSON |
"""

import json
import os
import stat
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from http.server import ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Full, Queue
from socket import socket
from typing import TYPE_CHECKING

from typing_extensions import override

from xetile.cli.exploring.child import Answer
from xetile.cli.exploring.compiler import Change, Compiler, Layouts
from xetile.cli.exploring.doors import (
    MOST_BYTES,
    MOST_CONNECTIONS,
    Door,
    Guarded,
    Places,
    new_token,
)
from xetile.cli.exploring.typed import typed_of
from xetile.cli.exploring.wanted import Wanted
from xetile.errors import XetileError, reason_of

if TYPE_CHECKING:
    from socketserver import BaseRequestHandler

LOOK_SECONDS = 0.3
"""Between two looks at whether the file changed."""

ALIVE_SECONDS = 5.0
"""Between two signs of life of a stream of events."""

MOST_EVENTS = 16
"""That wait for a page which does not read."""


class Followed:
    """The last good exploration, and who is told of changes."""

    def __init__(self, explorations: str) -> None:
        self._explorations = explorations
        self._refusal: str | None = None
        self._listeners: set[Queue[str]] = set()
        self._lock = threading.Lock()

    def page(self) -> bytes:
        """The page as it is opened anew."""
        from xetile.exploration.build import page

        with self._lock:
            explorations = self._explorations
        return page(json.loads(explorations), served=True).encode()

    def begun(self, change: Change) -> None:
        """Tell that a change is compiled."""
        with self._lock:
            self._tell("begun", _of(change))

    def told(self, change: Change, answer: Answer) -> None:
        """Tell what became of a change."""
        with self._lock:
            if answer.explorations is not None:
                self._explorations, self._refusal = answer.explorations, None
                data = {**_of(change), "remarks": answer.remarks}
                root = f'"explorations":{answer.explorations}'
                self._tell("made", data, root)
            else:
                data = {**_of(change), "remarks": answer.remarks, "error": answer.error}
                self._refusal = self._tell("refused", data)

    def listen(self) -> "Queue[str]":
        """A queue that gets all events; the first one is how the last change was refused, if it was."""
        queue: Queue[str] = Queue(MOST_EVENTS)
        with self._lock:
            self._listeners.add(queue)
            if self._refusal is not None:
                queue.put(self._refusal)
        return queue

    def leave(self, queue: "Queue[str]") -> None:
        """Put no more into a queue."""
        with self._lock:
            self._listeners.discard(queue)

    def _tell(self, kind: str, data: dict[str, object], more: str = "") -> str:
        """Send an event; `more` is JSON of further fields, which is sent as it is."""
        text = json.dumps(data)
        if more:
            text = f"{text[:-1]},{more}}}"
        event = f"event: {kind}\ndata: {text}\n\n"
        for queue in list(self._listeners):
            try:
                queue.put_nowait(event)
            except Full:  # a page that is gone or asleep; it asks again when it wakes
                self._listeners.discard(queue)
        return event


def _of(change: Change) -> dict[str, object]:
    return {"origin": change.origin, "number": change.number}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 2 * MOST_CONNECTIONS

    def __init__(self, port: int, handler: "type[BaseRequestHandler]", places: Places) -> None:
        self._places = places
        super().__init__(("127.0.0.1", port), handler)

    @override
    def server_bind(self) -> None:
        # the library asks for the name of the address, which may ask a network
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    @override
    def process_request(
        self, request: "socket | tuple[bytes, socket]", client_address: object
    ) -> None:
        assert isinstance(request, socket)
        self._places.come(request)
        super().process_request(request, client_address)

    @override
    def process_request_thread(
        self, request: "socket | tuple[bytes, socket]", client_address: object
    ) -> None:
        assert isinstance(request, socket)
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.leave(request)

    @override
    def handle_error(
        self, request: "socket | tuple[bytes, socket]", client_address: object
    ) -> None:
        error = sys.exception() if hasattr(sys, "exception") else None
        if error is not None and not isinstance(
            error, OSError
        ):  # a page that went away is none
            print(f"xetile-explore: internal error: {type(error).__name__}", file=sys.stderr)


class Session:
    """A server with what it serves, until it is ended."""

    def __init__(self, wanted: Sequence[Wanted], port: int) -> None:
        """Compile the file, and listen.

        Errors: XetileError where the file cannot be read or compiled, or the port is taken.
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
        self.layouts = Layouts()
        self._listen(port)

    def _listen(self, port: int) -> None:
        session = self

        class Handler(_Handler):
            followed = session.followed
            compiler = session.compiler
            layouts = session.layouts
            places = Places()
            ended = session._ended

        try:
            self._server = _Server(port, Handler, Handler.places)
        except OSError as error:
            self.compiler.end()
            raise XetileError(
                f"cannot listen on 127.0.0.1:{port}: {reason_of(error)}"
            ) from error
        self.door = Door(self._server.server_port, new_token())
        Handler.door = self.door

    def run(self) -> None:
        """Answer until this is interrupted, or ended by another thread."""
        self.compiler.start()
        threading.Thread(target=self._watch, daemon=True).start()
        try:
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
        self.layouts.end()

    def stop(self) -> None:
        """Have `run` come back; called from another thread."""
        self._server.shutdown()

    def _watch(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            stamp = _stamp(self.path)
            # a file that is gone is written anew by an editor, soon
            if stamp in (None, self._seen):
                continue
            self._seen = stamp
            try:
                change = Change(read_source(self.path), "file")
            except XetileError as error:
                data: dict[str, object] = {"message": error.message, "text": error.message}
                self.followed.told(Change(b"", "file"), Answer(None, data, []))
                continue
            self.followed.begun(change)
            self.compiler.submit(change)


class Refused(XetileError):
    """The file is wrong from the start; its message is the whole diagnostic."""


class _Handler(Guarded):
    followed: Followed
    compiler: Compiler
    layouts: Layouts
    ended: threading.Event

    @override
    def get(self, place: str) -> bool:
        if place == "":
            self.answer("text/html; charset=utf-8", self.followed.page())
        elif place == "events":
            self._stream()
        else:
            return False
        return True

    @override
    def post(self, place: str, body: bytes) -> bool:
        if place == "layout":
            return self._layout(body)
        name, _, number = place.partition("?")
        if name != "source" or not (
            number.isascii() and number.isdigit() and len(number) < 10
        ):
            return False
        change = Change(body, "page", int(number))
        self.followed.begun(change)
        self.compiler.submit(change)
        self.begin("text/plain", 204, [])
        return True

    def _layout(self, body: bytes) -> bool:
        asked = typed_of(body)
        if asked is None:
            return False
        found = json.dumps(self.layouts.ask(asked), separators=(",", ":"))
        self.answer("application/json", found.encode())
        return True

    def _stream(self) -> None:
        self.close_connection = True
        self.begin("text/event-stream", 200, [("Connection", "close")])
        queue = self.followed.listen()
        try:
            self.wfile.write(b"retry: 1000\n\n")
            while not self.ended.is_set():
                try:
                    event = queue.get(timeout=ALIVE_SECONDS)
                except Empty:
                    event = ": alive\n\n"
                self.wfile.write(event.encode())
        finally:
            self.followed.leave(queue)


def read_source(path: str) -> bytes:
    """The bytes of a source that is followed.

    Errors: XetileError where it is no file of at most MOST_BYTES, or cannot be read.
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
    """What changes when a file is written; None where there is none."""
    with suppress(OSError):
        found = os.stat(path)
        if stat.S_ISREG(found.st_mode):
            return found.st_mtime_ns, found.st_size, found.st_ino
    return None


def serve(wanted: Sequence[Wanted], port: int, program: str) -> int:
    """Serve the page of a file until the command is interrupted; its address goes to standard output.

    Errors: XetileError for a file that cannot be read, a source that is wrong, a port that is taken.
    """
    from xetile.cli.files import read_input

    if not Path(wanted[0].file).is_file():
        read_input(wanted[0].file)  # says what is wrong, and what may be meant
        raise XetileError(f"--serve follows a file, which '{wanted[0].file}' is not")
    try:
        session = Session(wanted, port)
    except Refused as error:
        print(error.message, file=sys.stderr)
        return 1
    print(session.door.address, flush=True)
    print(f"{program}: follows {wanted[0].file}; Ctrl-C ends it", file=sys.stderr)
    session.run()
    return 0
