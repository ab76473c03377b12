"""Mangled names of overloaded OpenCL C functions, as compilers make them.

Written from the Itanium C++ ABI, "Mangling": 5.1.2 (length and name), 5.1.5 (types; `Dv8_s` is a vector, `PU3AS1v` a
pointer to void in address space 1) and 5.1.10 (a compound type that came before is `S_`, `S0_`, `S1_`, ...).
"""

from collections.abc import Sequence

_LETTERS = {
    "uchar": "h",
    "short": "s",
    "ushort": "t",
    "int": "i",
    "uint": "j",
    "ulong": "m",
    "half": "Dh",
    "float": "f",
}
GLOBAL_POINTER = "global void *"


def mangled(name: str, types: Sequence[str]) -> str:
    """Return the mangled name of a function whose parameters have these types of OpenCL C."""
    known: list[str] = []
    text = "".join(_type(type, known) for type in types)
    return f"_Z{len(name)}{name}{text}"


def _type(type: str, known: list[str]) -> str:
    if type == GLOBAL_POINTER:
        # the qualified pointee counts as a type of its own
        return _compound("PU3AS1v", known, also="U3AS1v")
    if type.endswith("*"):
        return _compound(
            "P" + _LETTERS[type.removeprefix("private ").removesuffix(" *")], known
        )
    element = type.rstrip("0123456789")
    if element == type:
        return _LETTERS[type]
    return _compound(f"Dv{type.removeprefix(element)}_{_LETTERS[element]}", known)


def _compound(text: str, known: list[str], *, also: str | None = None) -> str:
    if text in known:
        number = known.index(text)
        return "S_" if number == 0 else f"S{number - 1}_"
    if also is not None:
        known.append(also)
    known.append(text)
    return text
