"""What a function depends on: what is noticed, what is not, what cannot be compared."""

import importlib.util
import math
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from xetile.language.calling.kept import key_of
from xetile.language.dependencies import Dependencies

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


def dependencies(function: Any) -> Dependencies:
    return Dependencies([("kernel", function)])


@pytest.mark.parametrize(("read", "change"), READS.values(), ids=READS)
def test_what_is_read_counts(written: Written, read: str, change: str):
    module = written(f"""
        def kernel(A):
            return {read}
    """)
    found = dependencies(module.kernel)
    assert found.unchanged()
    module.other = 5
    assert found.unchanged()
    exec(change, module.__dict__)
    assert not found.unchanged()
    assert dependencies(module.kernel).unchanged()


def test_cells_count_also_those_that_change():
    step = 2

    def helper(x: int) -> int:
        return x * step

    def kernel(x: int) -> int:
        return helper(x) + step

    found = dependencies(kernel)
    assert found.unchanged()
    step = 3
    assert not found.unchanged()


OPAQUE = {
    "a file": ("stream", "stream = io.StringIO()"),
    "a file in a dictionary": ("TABLE", "TABLE['f'] = io.StringIO()"),
    "a file of an instance": ("PLAIN", "PLAIN.held = io.StringIO()"),
    "a file in a cell": ("kernel_around(A)", "kernel_around = made(io.StringIO())"),
    "a module": ("getattr(helpers, NAME)", ""),
    "a module that is imported": ("__import__('x')", ""),
    "chance": ("np.random.rand(3)", ""),
    "chance, imported": ("rand(3)", "from numpy.random import rand"),
    "a generator of chance": ("rng.random()", "rng = np.random.default_rng(0)"),
    "time": ("time.time()", "import time"),
    "the environment": ("os.urandom(1)", "import os"),
    "a file that is read": ("np.load('x')", ""),
    "a file that is read, imported": ("load('x')", "from numpy import load"),
    "memory": ("empty(1)", "from numpy import empty"),
    "one's own names": ("globals()['SIZE']", ""),
    "one's own names, under another name": ("names()['SIZE']", "names = globals"),
    "an array of objects": ("WEIGHTS", "WEIGHTS = np.array([None])"),
    "a record": ("held['x']", "held = np.zeros(1, [('x', 'f4')])[0]"),
    "what a module of a class of its own has": (
        "helpers.made",
        "helpers.__class__ = type('Own', (type(helpers),), {'made': property(lambda self: 3)})",
    ),
    "what a module makes when it is asked": (
        "helpers.lazy",
        "helpers.__getattr__ = lambda name: 3",
    ),
    "a number that a class of C holds": ("held", "import threading; held = threading.Lock()"),
    "an iterator": ("next(held)", "held = iter(SIZES)"),
    "what raises when it is asked": (
        "held.x",
        "held = type('Wrong', (), {'__dict__': property(lambda self: 1 / 0)})()",
    ),
    "more than a kernel reads": ("held", "held = [[number] for number in range(30_000)]"),
}


@pytest.mark.parametrize(("read", "change"), OPAQUE.values(), ids=OPAQUE)
def test_what_cannot_be_compared_is_never_unchanged(written: Written, read: str, change: str):
    module = written(f"""
        def kernel(A):
            return {read}
    """)
    exec(change, module.__dict__)
    assert not dependencies(module.kernel).unchanged()


def test_a_function_that_changes_a_global_is_never_unchanged(written: Written):
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
    assert not dependencies(module.kernel).unchanged()
    assert not dependencies(module.importing).unchanged()
    assert dependencies(module.importing_python).unchanged()


def test_a_module_of_the_users_may_have_the_name_of_one_of_pythons(tmp_path: Path):
    (tmp_path / "statistics.py").write_text("def scale(x):\n    return x * 2\n")
    (tmp_path / "run.py").write_text(
        "import statistics\n"
        "from xetile.language.dependencies import Dependencies\n"
        "def kernel(A):\n"
        "    return statistics.scale(A)\n"
        "found = Dependencies([('kernel', kernel)])\n"
        "before = found.unchanged()\n"
        "statistics.scale.__code__ = (lambda x: x).__code__\n"
        "print(before, found.unchanged())\n"
    )
    command = [sys.executable, str(tmp_path / "run.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "True False\n"


def test_values_are_told_apart():
    values: list[object] = [
        *(
            0,
            0.0,
            -0.0,
            False,
            None,
            "",
            b"",
            (),
            [],
            {},
            1,
            True,
            "1",
            b"1",
            1.0,
            float("nan"),
        ),
        *((1, 2), (1, (2,)), ((1,), 2), [1, 2], {1: 2}, {2: 1}, {"a": 1, "b": 2}, ("a", "b")),
        *(
            np.float32(1),
            np.float16(1),
            np.int8(1),
            np.float32,
            int,
            float,
            math.sin,
            math.cos,
        ),
        *(np.zeros(2), np.zeros((2, 1)), np.zeros((1, 2)), np.zeros(2, np.int64)),
        *(np.zeros((2, 2)), np.zeros((2, 2), order="F")),
    ]
    found = [key_of(value) for value in values]
    assert len(set(found)) == len(values)
    assert found == [key_of(value) for value in values]


def test_equal_values_that_are_made_anew_are_the_same():
    def made(by: float) -> list[object]:
        return [by, [by], np.full(2, by), lambda x=by: x * by, Options(by, [by])]

    assert key_of(made(2.0)) == key_of(made(2.0)) != key_of(made(3.0))
    for one, other in zip(made(2.0), made(3.0), strict=True):
        assert key_of(one) != key_of(other)
    assert key_of(Sized(3.0)) != key_of(Sized(3.0))


@dataclass
class Options:
    by: float
    held: list[float]


@dataclass
class Sized(list[int]):
    by: float
