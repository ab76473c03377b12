"""Linear layouts against the class of the triton package, on random layouts.

Where a precondition fails triton ends the process, so calls that must be refused run in forked children.
"""

import faulthandler
import os
import resource
from collections.abc import Callable
from importlib import import_module
from itertools import permutations
from random import Random
from typing import Protocol, cast

import pytest

from xetile.layout.algebra.dimensions import supremum
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout

LAYOUTS = 5000
REFUSALS = 60

pytestmark = pytest.mark.triton


class Wheel(Protocol):
    """What triton binds of its class."""

    @property
    def bases(self) -> list[tuple[str, list[list[int]]]]: ...
    @property
    def out_dims(self) -> list[tuple[str, int]]: ...
    @property
    def num_in_dims(self) -> int: ...
    @property
    def num_out_dims(self) -> int: ...
    def __mul__(self, other: "Wheel") -> "Wheel": ...
    def apply(self, coordinates: dict[str, int]) -> dict[str, int]: ...
    def compose(self, outer: "Wheel") -> "Wheel": ...
    def invert(self) -> "Wheel": ...
    def pseudoinvert(self) -> "Wheel": ...
    def invert_and_compose(self, outer: "Wheel") -> "Wheel": ...
    def is_surjective(self) -> bool: ...
    def is_injective(self) -> bool: ...
    def is_invertible(self) -> bool: ...
    def get_in_dim_names(self) -> list[str]: ...
    def get_out_dim_names(self) -> list[str]: ...
    def get_matrix_view(self) -> list[list[int]]: ...


class WheelClass(Protocol):
    """Triton's class itself."""

    def identity_1d(self, size: int, in_dim: str, out_dim: str) -> Wheel: ...
    def strided_1d(self, size: int, stride: int, in_dim: str, out_dim: str) -> Wheel: ...
    def zeros_1d(self, size: int, in_dim: str, out_dim: str, out_dim_size: int) -> Wheel: ...
    def from_bases(
        self,
        bases: list[tuple[str, list[list[int]]]],
        names: list[str],
        sizes: list[int] | None = None,
        require_surjective: bool = True,
    ) -> Wheel: ...


@pytest.fixture(scope="module")
def triton_class() -> WheelClass:
    return cast("WheelClass", import_module("triton._C.libtriton").linear_layout.LinearLayout)


@pytest.fixture
def there(triton_class: WheelClass) -> Callable[[LinearLayout], Wheel]:
    """Makes the same layout there."""

    def make(layout: LinearLayout) -> Wheel:
        bases = [(name, [list(v) for v in vectors]) for name, vectors in layout.bases.items()]
        return triton_class.from_bases(
            bases, list(layout.out_dims), list(layout.out_dims.values()), False
        )

    return make


def same(ours: LinearLayout, theirs: Wheel) -> bool:
    """Whether dims, their order, sizes and bases are equal."""
    bases = [(name, [list(v) for v in vectors]) for name, vectors in ours.bases.items()]
    return bases == theirs.bases and list(ours.out_dims.items()) == theirs.out_dims


class Layouts:
    """Random layouts: zero, unit and dense bases in all mixtures, up to three dims on each side."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def dims(self, names: str, bits: int) -> dict[str, int]:
        """Up to three dims of some of the names, in any order."""
        chosen = self.random.sample(names, min(len(names), self.random.randint(0, 3)))
        return {name: 1 << self.random.randint(0, bits) for name in chosen}

    def layout(self, ins: dict[str, int], outs: dict[str, int]) -> LinearLayout:
        bases = {
            name: [self.vector(list(outs.values())) for _ in range(size.bit_length() - 1)]
            for name, size in ins.items()
        }
        return LinearLayout.from_bases(bases, outs, require_surjective=False)

    def any(self) -> LinearLayout:
        return self.layout(self.dims("abcd", 4), self.dims("xyza", 4))

    def vector(self, sizes: list[int]) -> list[int]:
        kind = self.random.random()
        if kind < 0.4:
            return [self.random.randrange(size) for size in sizes]
        unit = [0] * len(sizes)
        if kind < 0.9 and sizes:
            axis = self.random.randrange(len(sizes))
            unit[axis] = 1 << self.random.randrange(sizes[axis].bit_length()) & sizes[axis] - 1
        return unit

    def onto(self) -> LinearLayout:
        """A surjective one: an identity with columns added to one another, shuffled, and others between."""
        outs = self.dims("xyza", 3)
        bits = sum(size.bit_length() - 1 for size in outs.values())
        columns = [1 << bit for bit in range(bits)]
        for _ in range(2 * bits if bits > 1 else 0):
            target, source = self.random.sample(range(bits), 2)
            columns[target] ^= columns[source]
        for _ in range(self.random.choice((0, 0, 1, 3))):
            columns.insert(
                self.random.randint(0, len(columns)), self.random.randrange(1 << bits)
            )
        self.random.shuffle(columns)
        rows = [[column >> bit & 1 for column in columns] for bit in range(bits)]
        cut = self.random.randint(0, len(columns))
        ins = {"a": 1 << cut, "b": 1 << len(columns) - cut}
        return LinearLayout.from_matrix(rows, ins, outs)

    def covered(self, outer: LinearLayout) -> LinearLayout:
        """One whose image lies in the outer one's, often with a dim in common and out-dims in another order."""
        inner = self.layout(
            self.dims("abcd", 3), {f"_{name}": size for name, size in outer.in_dims.items()}
        )
        renamed = outer
        for name in outer.in_dims:
            renamed = renamed.rename_in_dim(name, f"_{name}")
        layout = inner.compose(renamed)
        names = self.random.sample(layout.out_dim_names, layout.num_out_dims)
        bases = layout.transpose_outs(names).bases
        for name in set(bases) & set(outer.in_dims):
            if self.random.random() < 0.6:
                bases[name] = outer.transpose_outs(names).bases[name]
        outs = {name: outer.out_dims[name] for name in names}
        return LinearLayout.from_bases(bases, outs, require_surjective=False)


def test_text_accessors_and_properties(there: Callable[[LinearLayout], Wheel]) -> None:
    layouts = Layouts(1)
    for _ in range(LAYOUTS):
        ours = layouts.any()
        theirs = there(ours)
        assert same(ours, theirs)
        assert str(ours) == str(theirs)
        assert list(ours.in_dim_names) == theirs.get_in_dim_names()
        assert list(ours.out_dim_names) == theirs.get_out_dim_names()
        assert (ours.num_in_dims, ours.num_out_dims) == (
            theirs.num_in_dims,
            theirs.num_out_dims,
        )
        assert ours.to_matrix() == theirs.get_matrix_view()
        assert ours.is_surjective() == theirs.is_surjective()
        assert ours.is_injective() == theirs.is_injective()
        assert ours.is_invertible() == theirs.is_invertible()


def test_equality(there: Callable[[LinearLayout], Wheel]) -> None:
    layouts = Layouts(2)
    equal = 0
    for _ in range(LAYOUTS):
        ins, outs = layouts.dims("ab", 1), layouts.dims("xy", 1)
        left, right = layouts.layout(ins, outs), layouts.layout(ins, outs)
        assert (left == right) == (there(left) == there(right))
        equal += left == right
    assert LAYOUTS / 10 < equal < LAYOUTS * 0.9


def test_one_dimensional(triton_class: WheelClass) -> None:
    random = Random(3)
    for _ in range(LAYOUTS):
        size, stride = (1 << random.randrange(10) for _ in range(2))
        size = random.choice((size, size, 0))
        ours, theirs = LinearLayout, triton_class
        assert same(ours.identity_1d(size, "a", "x"), theirs.identity_1d(size, "a", "x"))
        assert same(
            ours.strided_1d(size, stride, "a", "x"), theirs.strided_1d(size, stride, "a", "x")
        )
        assert same(
            ours.zeros_1d(size, "a", "x", stride), theirs.zeros_1d(size, "a", "x", stride)
        )


def test_inferred_sizes(triton_class: WheelClass) -> None:
    layouts = Layouts(4)
    for _ in range(LAYOUTS):
        layout = layouts.onto()
        bases = [(name, [list(v) for v in vectors]) for name, vectors in layout.bases.items()]
        names = list(layout.out_dims)
        assert same(
            LinearLayout.from_bases(bases, names), triton_class.from_bases(bases, names)
        )


def test_apply(there: Callable[[LinearLayout], Wheel]) -> None:
    layouts = Layouts(5)
    for _ in range(LAYOUTS):
        ours = layouts.any()
        theirs = there(ours)
        for _ in range(3):
            point = {
                name: layouts.random.randrange(-(1 << 31), 1 << 31) for name in ours.in_dims
            }
            assert ours.apply(point) == theirs.apply(point)


def test_product(there: Callable[[LinearLayout], Wheel]) -> None:
    layouts = Layouts(6)
    for _ in range(LAYOUTS):
        left, right = layouts.any(), layouts.any()
        assert same(left * right, there(left) * there(right))


def test_compose(there: Callable[[LinearLayout], Wheel]) -> None:
    layouts = Layouts(7)
    for _ in range(LAYOUTS):
        inner = layouts.any()
        names = layouts.random.sample(inner.out_dim_names, inner.num_out_dims)
        ins = {
            name: inner.out_dims[name] << layouts.random.choice((0, 0, 1)) for name in names
        }
        outer = layouts.layout(ins, layouts.dims("pqr", 4))
        assert same(inner.compose(outer), there(inner).compose(there(outer)))


def test_inverses(there: Callable[[LinearLayout], Wheel]) -> None:
    layouts = Layouts(8)
    square = 0
    for _ in range(LAYOUTS):
        layout = layouts.onto()
        assert same(layout.pseudoinvert(), there(layout).pseudoinvert())
        if layout.is_invertible():
            assert same(layout.invert(), there(layout).invert())
            square += 1
    assert square > LAYOUTS / 3
    while square < LAYOUTS:
        layout = layouts.onto()
        if layout.is_invertible():
            assert same(layout.invert(), there(layout).invert())
            square += 1


def test_invert_and_compose(there: Callable[[LinearLayout], Wheel]) -> None:
    layouts = Layouts(9)
    kept = solved = 0
    while solved < LAYOUTS:
        outer = layouts.any()
        inner = layouts.covered(outer)
        try:
            moved = inner.invert_and_compose(outer)
        except LayoutError:
            continue
        assert same(moved, there(inner).invert_and_compose(there(outer))), (inner, outer)
        kept += any(moved.is_identity_on_out_dim(name) for name in moved.in_dim_names)
        solved += 1
    assert kept > LAYOUTS / 10


def ends_the_process(call: Callable[[], object]) -> bool:
    """Whether the call does not come back, or comes back with an error."""
    child = os.fork()
    if child == 0:
        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            call()
        except (ValueError, RuntimeError, OverflowError):
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0


def refuses(call: Callable[[], object]) -> bool:
    try:
        call()
    except LayoutError:
        return True
    return False


def test_both_refuse(triton_class: WheelClass, there: Callable[[LinearLayout], Wheel]) -> None:
    """Of the calls refused here, so many random ones of each kind are refused there too."""
    layouts = Layouts(10)
    refused: dict[str, int] = dict.fromkeys(
        ("compose", "invert", "pseudoinvert", "invert_and_compose", "from_bases"), 0
    )

    def compare(kind: str, ours: Callable[[], object], theirs: Callable[[], object]) -> None:
        if refused[kind] < REFUSALS and refuses(ours):
            assert ends_the_process(theirs), kind
            refused[kind] += 1

    def compare_all(inner: LinearLayout, outer: LinearLayout, sizes: list[int]) -> None:
        compare(
            "compose", lambda: inner.compose(outer), lambda: there(inner).compose(there(outer))
        )
        compare("invert", inner.invert, lambda: there(inner).invert())
        compare("pseudoinvert", inner.pseudoinvert, lambda: there(inner).pseudoinvert())
        compare(
            "invert_and_compose",
            lambda: inner.invert_and_compose(outer),
            lambda: there(inner).invert_and_compose(there(outer)),
        )
        bases = [(name, [list(v) for v in vectors]) for name, vectors in inner.bases.items()]
        compare(
            "from_bases",
            lambda: LinearLayout.from_bases(bases, list(inner.out_dims), sizes),
            lambda: triton_class.from_bases(bases, list(inner.out_dims), sizes, True),
        )

    while min(refused.values()) < REFUSALS:
        inner = layouts.any()
        outer = layouts.layout(layouts.dims("xyza", 4), layouts.dims("xyza", 4))
        compare_all(
            inner,
            outer,
            [size - layouts.random.choice((0, 1)) for size in inner.out_dims.values()],
        )


def test_every_order_of_dims(triton_class: WheelClass) -> None:
    """All pairs of lists of up to four names, contradicting ones among them."""
    lists = [names for count in range(5) for names in permutations("abcd", count)]
    products = [triton_class.from_bases([(name, []) for name in names], []) for names in lists]
    for left, left_product in zip(lists, products, strict=True):
        for right, right_product in zip(lists, products, strict=True):
            assert (left_product * right_product).get_in_dim_names() == supremum(left, right)
