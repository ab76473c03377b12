"""`xt.testing`: whether a kernel computes what a reference in numpy says, on all data, levels and devices at once."""

from xetile.language.testing.bounds import Near
from xetile.language.testing.checking import Reference, Report, check
from xetile.language.testing.data import DATA, Data, Numbers

__all__ = ["DATA", "Data", "Near", "Numbers", "Reference", "Report", "check"]
