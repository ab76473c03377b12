"""Where the tiles of a function begin."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from xdsl.ir import SSAValue

from xetile.analysis.alignment import Alignments
from xetile.dialects.xetile import InitTileOp, UpdateTileOffsetOp
from xetile.planning.messages import Messages
from xetile.rewriting.one_to_many import Offset


class Corners:
    """Where the tiles of a function begin, and by what they are moved."""

    def __init__(self, messages: Messages) -> None:
        self._messages = messages
        self._alignments = Alignments(trusting=False)

    @cached_property
    def _offsets(self) -> Mapping[SSAValue, list[Sequence[Offset]]]:
        """The offsets (row, column) of each class of tiles, those that it is moved by included."""
        found = defaultdict[SSAValue, list[Sequence[Offset]]](list)
        for op in self._messages.operations:
            if isinstance(op, InitTileOp | UpdateTileOffsetOp) and op.indices is None:
                root = self._messages.tiles.find(op.results[0])
                found[root].append(op.mixed_offsets[-2:])
        return found

    def are_multiples(self, tile: SSAValue, dimension: int, extent: int) -> bool:
        """Whether a tile, wherever it is moved to, begins at multiples of an extent (elements)."""
        return all(
            self._alignments.mixed(offsets[dimension]).is_multiple(extent)
            for offsets in self._offsets[self._messages.tiles.find(tile)]
        )
