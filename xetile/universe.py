"""What xDSL's tools find of xetile: the entry point `xdsl.universe`.

Only names that xDSL does not own, since any clash makes every call of xdsl-opt fail. Nothing
is imported before it is asked for.
"""

from xdsl.universe import Universe

from xetile.dialects import NEW_DIALECTS, dialect_factory
from xetile.passes import all_passes

XETILE_UNIVERSE = Universe(
    all_dialects={name: dialect_factory(name) for name in NEW_DIALECTS},
    all_passes=all_passes(),
)
