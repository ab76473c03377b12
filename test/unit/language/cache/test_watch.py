"""What a function means: what changes it, what does not, what nobody can tell, and what asking costs."""

import importlib.util
import io
import math
import subprocess
import sys
import textwrap
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from xetile.language.cache import Watch, fingerprint, fingerprint_of

NUMBERS = count()

HELPERS = """
SCALE = 3

def scale(x):
    return x * SCALE
"""

KERNEL = """
import enum
import io
import math
from dataclasses import dataclass, field
from functools import cache, partial, wraps
from typing import NamedTuple

import numpy as np
import HELPERS as helpers
from HELPERS import scale as scaled

SIZE = 64
NAME = "name"
SIZES = [1, 2, (3, 4)]
TABLE = {"a": 1.5, "b": np.float16}
WEIGHTS = np.arange(4, dtype=np.float32)
GRID = np.zeros((4, 4))
PART = slice(1, 4)
LARGE = 1 << 20_000
TYPE = np.dtype("int8")


class Mode(enum.Enum):
    FAST = 1
    EXACT = 2

    def factor(self):
        return self.value * 2


class Pair(NamedTuple):
    first: int
    second: int = 2

    def both(self):
        return self.first + self.second


@dataclass(frozen=True)
class Config:
    rows: int
    columns: int = 16
    names: list = field(default_factory=list)

    def area(self):
        return self.rows * self.columns


class Plain:
    offset = 7

    def __init__(self, step):
        self.step = step

    @property
    def doubled(self):
        return self.step * 2 + self.offset


class Slots:
    __slots__ = ("held",)

    def __init__(self, held):
        self.held = held


CONFIG, PAIR, PLAIN, SLOTS = Config(8), Pair(1), Plain(5), Slots(9)
MODE = Mode.FAST
HALF = partial(pow, 2)


def twice(function):
    @wraps(function)
    def call(x):
        return function(x) + function(x)

    return call


@twice
def shifted(x):
    return x + 1


@cache
def kept(x):
    return x - 1


def first(n):
    return n if n < 2 else second(n - 1)


def second(n):
    return first(n - 2)


def made(depth):
    def kernel(A, *, BM=SIZE):
        inner = [lambda y: y * depth for _ in range(2)]
        return inner[0](A) + BM

    return kernel


kernel_around = made(4)
"""


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Writes a module with helpers beside it, and imports it under names of its own."""

    def write(body: str, helpers: str = HELPERS, kernel: str = KERNEL) -> ModuleType:
        folder = tmp_path / f"folder{next(NUMBERS)}"
        folder.mkdir()
        for name, text in (
            ("helpers_of_it", helpers),
            ("kernel_of_it", kernel + textwrap.dedent(body)),
        ):
            path = folder / f"{name}.py"
            path.write_text(text.replace("HELPERS", "helpers_of_it"))
            spec = importlib.util.spec_from_file_location(name, path)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            monkeypatch.setitem(sys.modules, name, module)
            spec.loader.exec_module(module)
        return sys.modules["kernel_of_it"]

    return write


Written = Callable[..., Any]

READS = {
    "global": ("SIZE + 1", "SIZE = 65"),
    "text": ("NAME", "NAME = 'other'"),
    "list": ("SIZES", "SIZES[2] = (3, 5)"),
    "list that grows": ("SIZES", "SIZES.append(1)"),
    "dictionary": ("TABLE['a']", "TABLE['a'] = -0.0"),
    "type in a dictionary": ("TABLE['b']", "TABLE['b'] = np.float32"),
    "array": ("WEIGHTS", "WEIGHTS[2] = 9"),
    "another array": ("WEIGHTS", "WEIGHTS = np.arange(4)"),
    "type of elements": ("TYPE", "TYPE = np.dtype('uint8')"),
    "member": ("MODE", "MODE = Mode.EXACT"),
    "method of an enumeration": ("MODE.factor()", "Mode.factor = lambda self: 3"),
    "what an enumeration has in place of no member": (
        "Mode(9)",
        "Mode._missing_ = classmethod(lambda cls, value: Mode.FAST)",
    ),
    "layout of an array": ("GRID", "GRID = np.asfortranarray(GRID)"),
    "slice": ("PART", "PART = slice(2, 4)"),
    "large number": ("LARGE", "LARGE += 1"),
    "named tuple": ("PAIR.both()", "PAIR = Pair(2)"),
    "method of a named tuple": ("PAIR.both()", "Pair.both = lambda self: 3"),
    "dataclass": ("CONFIG.area()", "CONFIG = Config(9)"),
    "list in a dataclass": ("CONFIG.names", "CONFIG.names.append(1)"),
    "method of a dataclass": ("CONFIG.area()", "Config.area = lambda self: 1"),
    "class": ("Config(4)", "Config.area = lambda self: 1"),
    "attribute": ("PLAIN.step", "PLAIN.step = 6"),
    "attribute of the class": ("PLAIN.doubled", "Plain.offset = 8"),
    "property": ("PLAIN.doubled", "Plain.doubled = property(lambda self: 1)"),
    "class that is set": ("PLAIN.step", "PLAIN.__class__ = type('Other', (Plain,), {})"),
    "slot": ("SLOTS.held", "SLOTS.held = 10"),
    "attribute of a module": ("helpers.SCALE", "helpers.SCALE = 4"),
    "function of a module": ("helpers.scale(2)", "helpers.scale = lambda x: x"),
    "what a function of a module reads": ("helpers.scale(2)", "helpers.SCALE = 4"),
    "what an imported function reads": ("scaled(2)", "helpers.SCALE = 4"),
    "default": ("shifted(1), scaled(1)", "scaled.__defaults__ = (1,)"),
    "code": ("scaled(1)", "scaled.__code__ = (lambda x: x - 1).__code__"),
    "decorated": (
        "shifted(1)",
        "shifted.__closure__[0].cell_contents.__code__ = (lambda x: x).__code__",
    ),
    "wrapped by Python's cache": (
        "kept(1)",
        "kept.__wrapped__.__code__ = (lambda x: x).__code__",
    ),
    "partial": ("HALF(3)", "HALF = partial(pow, 3)"),
    "in a cycle": ("first(5)", "second.__code__ = (lambda n: 1).__code__"),
    "in a comprehension": ("[SIZE for _ in range(2)]", "SIZE = 65"),
    "in a lambda": ("(lambda: SIZE)()", "SIZE = 65"),
    "in a class": ("type('C', (), {}), [x for x in SIZES]", "SIZES.clear()"),
    "name that is not there yet": ("later if A else 1", "later = 2"),
    "name of Python": ("max(1, 2)", "max = min"),
    "attribute of a function": ("scaled.factor if A else 1", "scaled.factor = 2"),
}


@pytest.mark.parametrize(("read", "change"), READS.values(), ids=READS)
def test_what_is_read_counts(written: Written, read: str, change: str):
    module = written(f"""
        def kernel(A):
            return {read}
    """)
    watch = Watch(module.kernel)
    before = watch.meaning()
    assert before is not None, watch.reason()
    assert watch.meaning() == before == fingerprint(module.kernel)
    exec(change, module.__dict__)
    after = watch.meaning()
    assert after is not None, watch.reason()
    assert after != before
    assert after == watch.meaning() == fingerprint(module.kernel)


def test_what_comes_back_means_the_same(written: Written):
    module = written("""
        def kernel(A):
            return SIZE + len(SIZES)
    """)
    watch = Watch(module.kernel)
    before = watch.meaning()
    module.SIZE, old = 3, module.SIZE
    assert watch.meaning() != before
    module.SIZE = old
    assert watch.meaning() == before
    module.SIZES = [1, 2, (3, 4)]
    assert watch.meaning() == before
    module.other = 5
    assert watch.meaning() == before


BODY = '''
def kernel(A, *, BM=64):
    """Text."""
    for m in range(BM):
        A = A + helpers.scale(m) * SIZE + CONFIG.area() + PAIR.both() + MODE.factor()
        A = A + [first(3), shifted(2), kept(3), HALF(2), PLAIN.doubled, SLOTS.held][0]
    return A, WEIGHTS, TABLE, SIZES, TYPE
'''


def test_places_do_not_count_but_are_known(written: Written):
    one, other = written(BODY), written("\n\n" + BODY)
    there, moved = Watch(one.kernel), Watch(other.kernel)
    assert there.meaning() == moved.meaning() is not None
    assert there.place() != moved.place()
    assert there.place() == Watch(one.kernel).place()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("range(BM)", "range(0, BM)"),
        ("BM=64", "BM=65"),
        ("A + helpers", "A - helpers"),
        ("CONFIG.area()", "CONFIG.rows"),
        ("def kernel(A, ", "def kernel(B, "),
        ("x * SCALE", "x + SCALE"),
        ("columns: int = 16", "columns: int = 17"),
        ("return self.first + self.second", "return self.first"),
        ("return self.step * 2", "return self.step * 3"),
        ("frozen=True", "frozen=False"),
        ("FAST = 1", "FAST = 3"),
        ("return first(n - 2)", "return first(n - 3)"),
        ("return function(x) + function(x)", "return function(x)"),
        ("dtype=np.float32", "dtype=np.float64"),
    ],
)
def test_the_text_of_all_that_is_reached_counts(written: Written, old: str, new: str):
    texts = [BODY, HELPERS, KERNEL]
    changed = [text.replace(old, new) for text in texts]
    assert changed != texts
    before = Watch(written(*texts).kernel).meaning()
    changed[0] = changed[0].replace("A = A", "B = B") if "def kernel(B" in new else changed[0]
    assert Watch(written(*changed).kernel).meaning() != before


def test_cells_count_also_those_that_change():
    step = 2

    def helper(x: int) -> int:
        return x * step

    def kernel(x: int) -> int:
        return helper(x) + step

    watch = Watch(kernel)
    before = watch.meaning()
    assert before is not None
    step = 3
    assert watch.meaning() not in (before, None)
    step = 2
    assert watch.meaning() == before


OPAQUE = {
    "a file": ("stream", "stream = io.StringIO()", "reads 'stream', a StringIO"),
    "a file in a dictionary": (
        "TABLE",
        "TABLE['f'] = io.StringIO()",
        "reads 'TABLE', a StringIO",
    ),
    "a file of an instance": (
        "PLAIN",
        "PLAIN.held = io.StringIO()",
        "reads 'PLAIN.held', a StringIO",
    ),
    "a file in a cell": (
        "kernel_around(A)",
        "kernel_around = made(io.StringIO())",
        "reads 'kernel_around.depth'",
    ),
    "a module": (
        "getattr(helpers, NAME)",
        "",
        "reads 'helpers', the module 'helpers_of_it' as a whole",
    ),
    "a module that is imported": (
        "__import__('x')",
        "",
        "reads '__import__', builtins.__import__, which",
    ),
    "chance": (
        "np.random.rand(3)",
        "",
        "reads 'np', numpy.random.rand, which does not depend on its arguments alone",
    ),
    "a generator of chance": (
        "rng.random()",
        "rng = np.random.default_rng(0)",
        "reads 'rng', a Generator",
    ),
    "time": ("time.time()", "import time", "reads 'time.time', a builtin_function_or_method"),
    "the environment": (
        "os.urandom(1)",
        "import os",
        "reads 'os.urandom', a builtin_function_or_method",
    ),
    "a file that is read": ("np.load('x')", "", "reads 'np', numpy.load, which"),
    "one's own names": ("globals()['SIZE']", "", "reads 'globals', builtins.globals, which"),
    "an array of objects": (
        "WEIGHTS",
        "WEIGHTS = np.array([None])",
        "reads 'WEIGHTS', an array of objects",
    ),
    "what a module of a class of its own has": (
        "helpers.made",
        "helpers.__class__ = type('Own', (type(helpers),), {'made': property(lambda self: 3)})",
        "reads 'helpers.made', which module 'helpers_of_it' makes",
    ),
    "a number that a class of C holds": (
        "held",
        "import threading; held = threading.Lock()",
        "reads 'held', a lock",
    ),
}


@pytest.mark.parametrize(("read", "change", "reason"), OPAQUE.values(), ids=OPAQUE)
def test_what_nobody_can_tell_has_no_meaning(
    written: Written, read: str, change: str, reason: str
):
    module = written(f"""
        def kernel(A):
            return {read}
    """)
    exec(change, module.__dict__)
    watch = Watch(module.kernel)
    assert watch.meaning() is None
    found = watch.reason()
    assert found is not None
    assert found.startswith(reason)
    assert found.endswith(": its value is not stable")
    assert "\n" not in found
    assert "0x" not in found


def test_what_can_be_told_again_has_a_meaning_again(written: Written):
    module = written("""
        def kernel(A):
            return SIZE
    """)
    watch = Watch(module.kernel)
    before, module.SIZE = watch.meaning(), io.StringIO()
    assert watch.meaning() is None
    module.SIZE = 64
    assert watch.meaning() == before
    assert watch.reason() is None


def test_a_function_that_changes_a_global_has_no_meaning(written: Written):
    module = written("""
        def kernel(A):
            global SIZE
            SIZE = 3

        def importing(A):
            import helpers_of_it
            return helpers_of_it.SCALE

        def importing_python(A):
            import math
            return math.pi
    """)
    assert Watch(module.kernel).reason() == (
        "is a function that changes the global 'SIZE': its value is not stable"
    )
    assert Watch(module.importing).reason() == (
        "reads 'import helpers_of_it', a module that is imported when the function is called: "
        "its value is not stable"
    )
    assert Watch(module.importing_python).meaning() is not None


def test_a_module_of_the_users_may_have_the_name_of_one_of_pythons(tmp_path: Path):
    (tmp_path / "statistics.py").write_text("def scale(x):\n    return x * 2\n")
    (tmp_path / "run.py").write_text(
        "import statistics\n"
        "from xetile.language.cache import Watch\n"
        "def kernel(A):\n"
        "    return statistics.scale(A)\n"
        "watch = Watch(kernel)\n"
        "before = watch.meaning()\n"
        "statistics.scale.__code__ = (lambda x: x).__code__\n"
        "print(before is not None, watch.meaning() not in (before, None))\n"
    )
    command = [sys.executable, str(tmp_path / "run.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "True True\n"


def test_a_module_that_makes_attributes_when_asked_has_no_meaning(written: Written):
    lazy = "def __getattr__(name):\n    return 3\n"
    module = written(
        "def kernel(A):\n    return helpers.lazy + helpers.SCALE\n", HELPERS + lazy
    )
    reason = Watch(module.kernel).reason()
    assert reason is not None
    assert reason.startswith("reads 'helpers.lazy', which module 'helpers_of_it' makes")


class Ours:
    """An object that says what it means."""

    def __init__(self, function: Any, *options: object) -> None:
        self.function, self.options, self.hidden = function, options, io.StringIO()

    def __xetile_key__(self) -> object:
        return ("ours", self.function, self.options)


def test_objects_may_say_what_they_mean():
    ours = Ours(math.sqrt, 1, "a")

    def kernel(x: float) -> object:
        return ours.function(x)

    watch = Watch(kernel)
    before = watch.meaning()
    assert before is not None
    ours.options = (1, "b")
    assert watch.meaning() not in (None, before)
    ours.options = (1, "a")
    assert watch.meaning() == before
    ours.function = math.cos
    assert watch.meaning() not in (None, before)
    ours.function = io.StringIO()
    assert watch.meaning() is None


def test_what_raises_when_it_is_asked_has_no_meaning():
    class Wrong:
        def __xetile_key__(self) -> object:
            raise ValueError("not\nnow")

    wrong = Wrong()

    def kernel() -> object:
        return wrong

    assert Watch(kernel).reason() == "reads 'wrong', which raises ValueError: not now"


def test_values_are_told_apart():
    values: list[object] = [
        *(0, 0.0, -0.0, False, None, "", b"", (), [], {}, set(), 1, True, "1", b"1", 1.0, 1j),
        *((1, 2), (1, (2,)), ((1,), 2), [1, 2], {1: 2}, {2: 1}, {1, 2}, frozenset({1, 2})),
        *(
            {"a": 1, "b": 2},
            {"b": 2, "a": 1},
            range(3),
            range(0, 3, 2),
            ...,
            ("a", "b"),
            ("ab",),
        ),
        *(np.float32(1), np.float16(1), np.int8(1), np.float32, np.dtype("f4"), int, float),
        *(
            np.zeros(2),
            np.zeros((2, 1)),
            np.zeros((1, 2)),
            np.zeros(2, np.int64),
            math.sin,
            math.cos,
        ),
        *(np.sin, np.cos, len, list[int], list[float], dict[str, int], int | None),
    ]
    found = [fingerprint_of(value) for value in values]
    assert None not in found
    assert len(set(found)) == len(values)
    assert found == [fingerprint_of(value) for value in values]
    assert fingerprint_of({"a", "b", "c"}) == fingerprint_of({"c", "b", "a"})
    assert fingerprint_of(float("nan")) == fingerprint_of(float("nan"))


def test_numbers_of_classes_of_their_own_are_numbers_too():
    class Size(int):
        pass

    class Name(str):
        def __repr__(self) -> str:
            return "always"

        __str__ = __repr__

    assert fingerprint_of(Size(3)) not in (None, fingerprint_of(Size(4)), fingerprint_of(3))
    assert fingerprint_of(Name("a")) not in (None, fingerprint_of(Name("b")))


def test_another_process_finds_the_same(written: Written):
    module = written(BODY)
    assert module.__file__ is not None
    found = Watch(module.kernel).meaning()
    assert found is not None
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); import kernel_of_it\n"
        "from xetile.language.cache import Watch\n"
        "print(Watch(kernel_of_it.kernel).meaning().hex())"
    )
    command = [sys.executable, "-c", script, str(Path(module.__file__).parent)]
    for _ in range(2):  # compiled from the text, and read from the file that Python keeps
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == found.hex()


def test_a_function_of_text_alone_has_a_meaning():
    space: dict[str, Any] = {}
    exec("N = 3\ndef kernel(A):\n    return A * N\n", space)
    watch = Watch(space["kernel"])
    before = watch.meaning()
    assert before is not None
    space["N"] = 4
    assert watch.meaning() not in (None, before)


def test_much_is_too_much():
    table: dict[str, Any] = {"next": None}
    for _ in range(5000):
        table = {"next": table}

    def kernel() -> object:
        return table

    many = [[number] for number in range(30_000)]
    assert Watch(kernel).reason() == "reads values that nest too deeply"
    assert fingerprint_of(many) is None


def test_asking_again_looks_at_nothing(written: Written, monkeypatch: pytest.MonkeyPatch):
    from xetile.language.cache import watch as module_of_watch

    module = written(BODY)
    watch = Watch(module.kernel)
    before = watch.meaning()

    def look(*values: object) -> None:
        raise AssertionError("it was looked at again")

    monkeypatch.setattr(module_of_watch, "_look", look)
    assert watch.meaning() == before
    assert watch.place()
    assert watch.reason() is None
