"""Restrictions of 2D block access on the matrix in memory (bytes; rows for the height)."""

from collections.abc import Mapping
from typing import NamedTuple

_IN_WORDS: Mapping[str, str] = {
    "base": "a base",
    "width": "rows",
    "pitch": "a pitch",
    "column": "a column offset",
}
"""The properties that have to be multiples, in words."""


class SurfaceRules(NamedTuple):
    """Limits of a 2D block surface.

    Source: Intel's 2D block load and store messages (IGC's verifier of the `LSC2DBlock`
    intrinsics; the triton_gen verifier of Intel's Triton back end states the same: width 64
    bytes to 2^24, pitch a multiple of 16); cl_intel_subgroup_2d_block_io, "Restrictions", for the height.
    """

    base_alignment: int = 64
    least_width: int = 64
    least_height: int = 1
    width_multiple: int = 4
    least_pitch: int = 64
    pitch_multiple: int = 16
    column_multiple: int = 4
    most: int = 1 << 24
    """The largest width and pitch in bytes, and the largest height in rows."""
    place_bits: int = 32
    """Bits of the row and the column at which a message begins, signed (IGC's `LSC2DBlock` intrinsics)."""

    @property
    def rules(self) -> str:
        """The rules in words."""
        return (
            f"2D block access needs a base that is a multiple of {self.base_alignment} bytes, rows of at least "
            f"{self.least_width} bytes and a multiple of {self.width_multiple}, and a pitch of at least "
            f"{self.least_pitch} bytes, a multiple of {self.pitch_multiple}, not below the row"
        )

    def multiple(self, name: str) -> int:
        """Return the bytes of which the base, the width, the pitch or the column is a multiple."""
        return {
            "base": self.base_alignment,
            "width": self.width_multiple,
            "pitch": self.pitch_multiple,
            "column": self.column_multiple,
        }[name]

    def uneven(self, name: str, rest: int) -> str:
        """Return words that say that one of them is `rest` bytes above a multiple."""
        return (
            f"the matrix has {_IN_WORDS[name]} that may lie {rest} bytes above a multiple of "
            f"{self.multiple(name)}; 2D block access needs a multiple"
        )

    def place_problem(self, place: int) -> str | None:
        """Return the error of the row or column at which a message begins, or None."""
        most = 2 ** (self.place_bits - 1)
        if -most <= place < most:
            return None
        return (
            f"the tile lies at row or column {place}; "
            f"2D block access reaches from {-most} to {most - 1}"
        )

    def problem(
        self,
        *,
        base: int | None = None,
        width: int | None = None,
        height: int | None = None,
        pitch: int | None = None,
        column: int | None = None,
    ) -> str | None:
        """Return the error of the known values, in words with the legal ones, or None.

        `base` is the address or the offset from an aligned one, `column` the column offset,
        both in bytes.
        """
        found: list[str] = []
        if width is not None and (width < self.least_width or width % self.width_multiple):
            found.append(
                f"rows of {_bytes(width)}; 2D block access needs at least {self.least_width} and "
                f"a multiple of {self.width_multiple}"
            )
        if pitch is not None and (pitch < self.least_pitch or pitch % self.pitch_multiple):
            found.append(
                f"a pitch of {_bytes(pitch)}; 2D block access needs at least {self.least_pitch} and "
                f"a multiple of {self.pitch_multiple}"
            )
        if pitch is not None and width is not None and pitch < width:
            found.append(
                f"a pitch of {_bytes(pitch)} under rows of {width}; expected at least that"
            )
        if height is not None and height < self.least_height:
            found.append(f"a height of {height}; 2D block access needs at least one row")
        for name, value in (
            ("rows of", width),
            ("a pitch of", pitch),
            ("a height of", height),
        ):
            if value is not None and value > self.most:
                found.append(f"{name} {value}; 2D block access reaches at most {self.most}")
        if base is not None and base % self.base_alignment:
            found.append(
                f"a base at byte {base}; 2D block access needs a multiple of {self.base_alignment}"
            )
        if column is not None and column % self.column_multiple:
            found.append(
                f"a column offset of {column} bytes; 2D block access needs a multiple of {self.column_multiple}"
            )
        return f"the matrix has {found[0]}" if found else None


def _bytes(count: int) -> str:
    return f"{count} byte{'' if count == 1 else 's'}"


SURFACE = SurfaceRules()
