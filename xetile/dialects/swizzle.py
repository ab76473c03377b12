"""A memref's layout by the bits of offsets: elements of shared memory in an order without bank conflicts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ArrayAttr, IntAttr, MemRefLayoutAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.lexer import Span

if TYPE_CHECKING:
    from xetile.layout.algebra.linear_layout import LinearLayout

Vector = tuple[int, ...]


@irdl_attr_definition
class SwizzleAttr(MemRefLayoutAttr, ParametrizedAttribute):
    """`#xetile.swizzle<offset = [[0, 1], [1, 8], ...]>`: what each bit of an element's offset stands for.

    One entry per bit, lowest first: the coordinates that it adds, by exclusive or. Offsets (elements) and places of
    the shape, whose extents are powers of two, correspond one to one.
    """

    name = "xetile.swizzle"

    vectors: ArrayAttr[ArrayAttr[IntAttr]]

    def __init__(self, offset: Sequence[Sequence[int]]) -> None:
        super().__init__(ArrayAttr(ArrayAttr(IntAttr(n) for n in v) for v in offset))

    @property
    def offset(self) -> tuple[Vector, ...]:
        """The coordinates (elements of each dimension) that each bit of the offset adds."""
        return tuple(tuple(entry.data for entry in vector) for vector in self.vectors)

    @property
    def shape(self) -> Vector:
        """The extents that it covers (elements)."""
        return tuple(1 << _width(entries) for entries in zip(*self.offset, strict=True))

    @property
    def layout(self) -> "LinearLayout":
        """From offset to (dim0, dim1, ...)."""
        from xetile.layout.algebra.linear_layout import LinearLayout

        extents = {f"dim{d}": extent for d, extent in enumerate(self.shape)}
        return LinearLayout.from_bases({"offset": list(self.offset)}, extents)

    @property
    def steps(self) -> tuple[Vector, ...]:
        """For each dimension what each bit of its coordinate adds to the offset, by exclusive or."""
        inverse = self.layout.invert()
        return tuple(tuple(columns) for columns in inverse.in_columns.values())

    def transposed(self, permutation: Sequence[int]) -> "SwizzleAttr":
        """The layout of which dimension d is this one's dimension permutation[d]."""
        return SwizzleAttr([[vector[d] for d in permutation] for vector in self.offset])

    def get_affine_map(self) -> AffineMap:
        terms: dict[int, AffineExpr] = {}
        for dimension, steps in enumerate(self.steps):
            for bit, step in enumerate(steps):
                digit = AffineDimExpr(dimension) // (1 << bit)
                for place in range(step.bit_length()):
                    if step >> place & 1:
                        terms[place] = terms[place] + digit if place in terms else digit
        found: AffineExpr = AffineConstantExpr(0)
        for place, digits in sorted(terms.items()):
            found = found + digits % 2 * (1 << place)
        return AffineMap(len(self.shape), 0, (found,))

    def verify(self) -> None:
        if complaint := _complaint(self.offset):
            raise VerifyException(complaint)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            parser.parse_characters("offset", ", the only key of a swizzle")
            parser.parse_punctuation("=", " after 'offset'")
            start = parser.pos
            vectors = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: _parse_vector(parser), " of coordinates"
            )
            if complaint := _complaint(vectors):
                span = Span(start, parser.pos, parser.lexer.input)
                parser.raise_error(complaint, span)
        return cls(vectors).parameters

    def print_parameters(self, printer: Printer) -> None:
        vectors = ", ".join(str(list(vector)) for vector in self.offset)
        printer.print_string(f"<offset = [{vectors}]>")


def _parse_vector(parser: AttrParser) -> Vector:
    return tuple(
        parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE,
            lambda: parser.parse_integer(allow_boolean=False, context_msg=" in a swizzle"),
            " of coordinates",
        )
    )


def _width(entries: Sequence[int]) -> int:
    return max(entries).bit_length()


def _complaint(vectors: Sequence[Vector]) -> str | None:
    """Why these are no one-to-one layout; None where they are one."""
    if not vectors:
        return "'offset' is empty, expected the coordinates of each bit of an offset"
    ranks = sorted({len(vector) for vector in vectors})
    if ranks == [0] or len(ranks) > 1:
        return f"'offset' has vectors of {' and '.join(map(str, ranks))} coordinates, expected equally many"
    if min(entry for vector in vectors for entry in vector) < 0:
        return "'offset' has a coordinate below 0"
    widths = [_width(entries) for entries in zip(*vectors, strict=True)]
    shape = "x".join(str(1 << width) for width in widths)
    if len(vectors) != sum(widths):
        return (
            f"'offset' has {len(vectors)} bits, the shape {shape} that it spans "
            f"has elements for {sum(widths)}"
        )
    if (rank := _rank(vectors, widths)) != len(vectors):
        return f"'offset' has {len(vectors)} bits of which {rank} are independent: places of {shape} repeat"
    return None


def _rank(vectors: Sequence[Vector], widths: Sequence[int]) -> int:
    from xetile.layout.algebra.f2 import rank

    columns: list[int] = []
    for vector in vectors:
        column = 0
        for entry, width in zip(vector, widths, strict=True):
            column = column << width | entry
        columns.append(column)
    return rank(columns)
