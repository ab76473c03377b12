"""Scripts and styles inside of a self-contained page, which cannot access anything outside."""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from zlib import DEFLATED, MAX_WBITS, compressobj

_LOADER = """(async () => {
const packed = Uint8Array.from(atob(document.getElementById("code").textContent), (one) => one.charCodeAt(0));
const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
const texts = (await new Response(stream).text()).split("\\f");
document.body.hidden = false;
for (const [i, name] of texts[0] ? ["style", "script"].entries() : [[1, "script"]]) {
const element = document.createElement(name);
element.textContent = texts[i];
document.body.append(element);
}
})();"""


def page_text(name: str) -> str:
    """Return a file of this room's `page/`."""
    return files("xetile.layout.show").joinpath("page", name).read_text(encoding="utf-8")


def stripped(text: str) -> str:
    """Return a script or a style without lines that are comments or blank, and without indentation."""
    kept: list[str] = []
    in_comment = False
    for line in map(str.strip, text.splitlines()):
        if in_comment or line.startswith("/*"):
            in_comment = not line.endswith("*/")
        elif line and not line.startswith("//"):
            kept.append(line)
    return "\n".join(kept)


def packed(text: str) -> str:
    """Return a text, deflated without a header, in base64, for `DecompressionStream("deflate-raw")`."""
    deflate = compressobj(9, DEFLATED, -MAX_WBITS)
    return b64encode(deflate.compress(text.encode()) + deflate.flush()).decode("ascii")


@cache
def packed_script(script: str, style: str = "") -> tuple[str, str]:
    """Return a script as elements of a page, and the sources that its Content-Security-Policy must allow.

    The script is unpacked into an element of its own, which runs only since its hash is allowed; nothing is evaluated.
    `style` is unpacked before it: a page that begins as `<body hidden>` is shown with it.
    """
    code = packed(f"{style}\f{script}")
    elements = f'<script type="text/plain" id="code">{code}</script><script>{_LOADER}</script>'
    return elements, f"{hash_of(_LOADER)} {hash_of(script)}"


def hash_of(text: str) -> str:
    """Return the hash of a script or a style for a Content-Security-Policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}'"


def escaped(text: str) -> str:
    """Escape a text for XML, which cannot represent control characters."""
    shown = "".join(c if c.isprintable() else " " for c in text)
    return (
        shown.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace('"', "&quot;")
    )
