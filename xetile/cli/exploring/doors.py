"""Who may ask a served page's server, and how little others are told.

The server listens on the loopback, where all programs and pages of this machine's user, and other users, can reach it.
So a request has to know the token that stands in the address, has to name this host (else any name would do whose owner
points it at 127.0.0.1), and what it sends has to come from the page itself. Who lacks one of these gets status 404, and
no word more.
"""

import io
from abc import ABC, abstractmethod
from contextlib import suppress
from hmac import compare_digest
from http.server import BaseHTTPRequestHandler
from secrets import token_urlsafe
from socket import SHUT_RDWR, socket
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from typing_extensions import override

if TYPE_CHECKING:
    from typing_extensions import Buffer

SECONDS = 10.0
"""That a request may take to come, in all: its headers and its body; and that a write may wait."""

STRANGER_SECONDS = 2.0
"""That the first request of a connection may take until its headers tell whether it knows the token."""

MOST_CONNECTIONS = 64
"""That know the token; as many may be strangers."""

MOST_BYTES = 16 << 20
"""Of a source, from a file or a page."""

_HEADERS = (
    ("Cache-Control", "no-store"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
)


class Door(NamedTuple):
    """What a request has to know: the port, and the token in the path."""

    port: int
    token: str

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self.port}/{self.token}/"

    @property
    def hosts(self) -> tuple[str, ...]:
        """What this server is called."""
        return (f"127.0.0.1:{self.port}", f"localhost:{self.port}")

    def place(self, path: str) -> str | None:
        """What stands behind the token in a path; None for another token."""
        token, slash, rest = path.removeprefix("/").partition("/")
        known = compare_digest(token.encode(), self.token.encode())
        return rest if known and slash and path.startswith("/") else None


class Places:
    """Connections that are open; of strangers, when there are many, the one that waits longest makes room."""

    def __init__(self) -> None:
        self._strangers: dict[socket, None] = {}
        self._known: set[socket] = set()
        self._lock = Lock()

    def come(self, connection: socket) -> None:
        """Take a place, as a stranger."""
        with self._lock:
            self._strangers[connection] = None
            if len(self._strangers) > MOST_CONNECTIONS:
                oldest = next(iter(self._strangers))
                del self._strangers[oldest]
                with suppress(OSError):  # it may have ended just now
                    oldest.shutdown(SHUT_RDWR)

    def is_known(self, connection: socket) -> bool:
        """Whether it has shown the token."""
        return connection in self._known

    def show_token(self, connection: socket) -> bool:
        """Be a stranger no longer; whether there is room."""
        with self._lock:
            if connection not in self._known and len(self._known) < MOST_CONNECTIONS:
                self._strangers.pop(connection, None)
                self._known.add(connection)
            return connection in self._known

    def leave(self, connection: socket) -> None:
        """Give the place back."""
        with self._lock:
            self._strangers.pop(connection, None)
            self._known.discard(connection)


def new_token() -> str:
    """A token that nobody guesses: 256 bits."""
    return token_urlsafe(32)


class _Hurried(io.RawIOBase):
    """What a connection sends, until a deadline: one who sends a byte now and then keeps no connection."""

    def __init__(self, connection: socket) -> None:
        self._connection = connection
        self.deadline = 0.0

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: "Buffer") -> int:
        left = self.deadline - monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        try:
            return self._connection.recv_into(buffer)
        finally:
            self._connection.settimeout(SECONDS)


class Guarded(BaseHTTPRequestHandler, ABC):
    """A handler that answers `get` and `post` of what stands behind the token, and nothing to others."""

    protocol_version = "HTTP/1.1"
    timeout = SECONDS
    door: Door
    places: Places

    @abstractmethod
    def get(self, place: str) -> bool:
        """Answer a request for a place; False where there is none of the name."""

    @abstractmethod
    def post(self, place: str, body: bytes) -> bool:
        """Take what the page sends to a place; False where there is none of the name."""

    @override
    def setup(self) -> None:
        super().setup()
        self._hurried = _Hurried(self.connection)
        self.rfile = io.BufferedReader(self._hurried)

    @override
    def handle_one_request(self) -> None:
        known = self.places.is_known(self.connection)
        self._hurried.deadline = monotonic() + (SECONDS if known else STRANGER_SECONDS)
        super().handle_one_request()

    def do_GET(self) -> None:
        """Answer one who knows the token."""
        place = self._place()
        if place is None or not self.get(place):
            self.refuse()

    def do_POST(self) -> None:
        """Take what the page itself sends."""
        place = self._place()
        body = self._body() if place is not None and self._is_of_the_page() else None
        if place is None or body is None or not self.post(place, body):
            self.refuse()

    def answer(self, kind: str, body: bytes, status: int = 200) -> None:
        """Send a whole answer."""
        self.begin(kind, status, [("Content-Length", str(len(body)))])
        self.wfile.write(body)

    def begin(self, kind: str, status: int, headers: list[tuple[str, str]]) -> None:
        """Send what stands before an answer."""
        self.send_response_only(status)
        for name, value in (("Content-Type", kind), *_HEADERS, *headers):
            self.send_header(name, value)
        self.end_headers()

    def refuse(self) -> None:
        """Answer nothing useful, and end the connection: what follows on it may be the rest of a body."""
        self.close_connection = True
        self.send_response_only(404)
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self.end_headers()

    def _place(self) -> str | None:
        hosts = self.headers.get_all("Host") or []
        if len(hosts) != 1 or hosts[0].lower() not in self.door.hosts:
            return None
        place = self.door.place(self.path)
        if place is None or not self.places.show_token(self.connection):
            return None
        self._hurried.deadline = monotonic() + SECONDS
        return place

    def _is_of_the_page(self) -> bool:
        """Whether a request comes from the page: other origins can send no such type without asking first."""
        origin = self.headers.get_all("Origin") or []
        is_text = self.headers.get("Content-Type") == "text/x-mlir"
        return origin == [f"http://{self.headers['Host'].lower()}"] and is_text

    def _body(self) -> bytes | None:
        length = self.headers.get_all("Content-Length") or []
        if len(length) != 1 or "Transfer-Encoding" in self.headers:
            return None
        if not (length[0].isascii() and length[0].isdigit()) or len(length[0]) > 9:
            return None
        if int(length[0]) > MOST_BYTES:
            return None
        body = self.rfile.read(int(length[0]))
        return body if len(body) == int(length[0]) else None

    @override
    def send_error(
        self, code: int, message: str | None = None, explain: str | None = None
    ) -> None:
        # whatever is wrong with a request: the library would quote it
        self.request_version = "HTTP/1.1"
        self.refuse()

    @override
    def handle_expect_100(self) -> bool:
        return True  # who may send is asked afterwards

    @override
    def log_message(self, format: str, *args: object) -> None:
        # the token would stand in it
        pass
