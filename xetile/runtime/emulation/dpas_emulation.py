"""Define Intel's DPAS builtins, which multiply matrices, in OpenCL C for devices that lack them.

`definition(name)` returns the source text of the builtin of a mangled name. A builtin computes D = A x B + C for one
subgroup of 16 work-items, with M rows and K the number of elements of 256 bits. `NUMBERS` defines the conversions
between bits and numbers that it needs, `PREAMBLE` adds the multiply-add of each accumulator type.

The order and precision of sums of floats are "implementation-defined" (SPV_INTEL_subgroup_matrix_multiply_accumulate,
OpSubgroupMatrixMultiplyAccumulateINTEL; IGC's DPAS.md shows dot products of 32 bits each). Here it is K ascending,
rounded to the accumulator's type after each product, as docs/xetile-dialect.md has it for all levels. So a device may
differ in the last bits. Products are exact, except that an f32 accumulator adds them as f32, beyond whose range they
become an infinity, a subnormal number or zero.

Sources of the products:

- cl_intel_subgroup_matrix_multiply_accumulate, "New OpenCL C Functions" (those for subgroups of 16) and 6.13.X: types,
  K and M; a work-item has one column of B and of the accumulator, and of each row of A as many neighbors as make K;
- cl_intel_subgroup_matrix_multiply_accumulate_tf32, 6.13.X.Y: the first K work-items have the even rows of A, the
  others the odd ones, which for one row are ignored;
- SPV_INTEL_subgroup_matrix_multiply_accumulate, "Mapping Matrix Data to Invocations": lower columns of A and lower rows
  of B in lower bits; integers are the low bits of the exact result, so they wrap;
- IGC's IGCBiF_Intrinsics_Dpas.cl for 8-bit floats, which no extension covers: the pairs of types that A and B may have,
  and their accumulators; words are packed as for 8-bit integers. Their builtins are named e4m3 and e5m2.

Sources of the number formats:

- cl_intel_subgroup_matrix_multiply_accumulate_tf32, 6.3.1.X "The tf32 Format": 1 sign, 8 exponent and 23 mantissa bits
  in memory, "only 10 mantissa bits are used when performing operations". So the lower 13 bits have no effect, as
  users of the instruction report (intel-xpu-backend-for-triton, issue 3729: without a rounding of its own a program
  "always truncate[s] the lower bits"; IGC's vISA documentation, DPAS: "TF32 is 19-bit tensor float type (E8M10)").
  That a NaN whose upper fraction is zero (0x7f800001) then reads as an infinity follows from it and is what level V
  computes (`cut_tf32`); for the hardware it is not documented;
- SPV_EXT_float8 for the 8-bit formats: e5m2 is the upper byte of an IEEE half; e4m3 has a bias of 7, no infinity, and
  one NaN of each sign;
- SPV_INTEL_bfloat16_conversion: bf16 is the upper half of an IEEE float, made by rounding to nearest even.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from xetile.runtime.emulation.faults import RESTRICTIONS
from xetile.runtime.emulation.mangling import mangled

NUMBERS = """
// The value that a sum of two finite numbers rounds to if the last bit says that something was lost.
static double sum_to_odd(double left, double right)
{
    double sum = left + right;
    double part = sum - left;
    double lost = (left - (sum - part)) + (right - part);
    if (lost == 0 || isnan(lost) || isinf(sum))
        return sum;
    long bits = as_long(sum);
    if (bits & 1)
        return sum;
    return as_double(bits + (((lost > 0) == (sum > 0)) ? 1 : -1));
}

static float of_bf16(ushort bits) { return as_float((uint)bits << 16); }

// To nearest even. What does not fit into a float that is cut off is marked by its last bit.
static ushort to_bf16(double exact)
{
    if (isnan(exact))  // asked of what is given: the conversion does not keep it
        return 0x7fc0;
    float near = convert_float_rtz(exact);
    uint bits = as_uint(near);
    if ((double)near != exact)
        bits |= 1;
    return (ushort)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float of_f16(ushort bits) { return (float)as_half(bits); }

static float of_tf32(uint bits) { return as_float(bits & 0xffffe000); }

static float of_e5m2(uchar bits) { return (float)as_half((ushort)(bits << 8)); }

static float of_e4m3(uchar bits)
{
    uint exponent = bits >> 3 & 15, mantissa = bits & 7;
    float size = (bits & 127) == 127 ? NAN
                 : exponent == 0     ? (float)mantissa * 0x1p-9f
                                     : as_float(exponent + 120 << 23 | mantissa << 20);
    return bits & 128 ? -size : size;
}
"""


PREAMBLE = (
    NUMBERS
    + """
static float add_f32(float sum, float left, float right) { return sum + left * right; }

static half add_f16(half sum, float left, float right)
{
    return convert_half_rte(sum_to_odd((double)sum, (double)left * right));
}

static short add_bf16(short sum, float left, float right)
{
    return as_short(to_bf16(sum_to_odd((double)of_bf16(as_ushort(sum)), (double)left * right)));
}

static int add_s32(int sum, int left, int right) { return as_int(as_uint(sum) + as_uint(left * right)); }
"""
)

_LANES = RESTRICTIONS.lanes
_ROWS = (1, 2, 4, 8)
_BITS_OF_K = 256
_WORDS_OF_B = 8


class _Operand(NamedTuple):
    """An element type of A and B.

    Attributes:
        bits: its width.
        value: OpenCL C that reads its value from the bits of a word.
        a: the type of a work-item's words of A.
        b: the type of a work-item's words of B.
    """

    bits: int
    value: str
    a: str = "short"
    b: str = "int"


_OPERANDS: Mapping[str, _Operand] = {
    "f16": _Operand(16, "of_f16((ushort)({0}))"),
    "bf16": _Operand(16, "of_bf16((ushort)({0}))"),
    "tf32": _Operand(32, "of_tf32({0})", "float", "float"),
    "e5m2": _Operand(8, "of_e5m2((uchar)({0}))"),
    "e4m3": _Operand(8, "of_e4m3((uchar)({0}))"),
    "i8": _Operand(8, "(int)(char)({0})"),
    "u8": _Operand(8, "(int)(uchar)({0})", "ushort", "uint"),
    "i4": _Operand(4, "((int)({0}) << 28 >> 28)"),
    "u4": _Operand(4, "(int)(({0}) & 15)", "ushort", "uint"),
}

_SUMS: Mapping[str, str] = {"f32": "float", "f16": "half", "bf16": "short", "s32": "int"}
"""The type of a work-item's accumulators."""

_MIXED = (
    (("f16",), ("f32", "f16")),
    (("bf16",), ("f32", "bf16")),
    (("tf32",), ("f32",)),
    (("i8", "u8"), ("s32",)),
    (("i4", "u4"), ("s32",)),
    (("e5m2", "e4m3"), ("f32", "bf16")),
)
"""Operand types that may be mixed, and their accumulators."""


class _Product(NamedTuple):
    """One builtin: its operand types, accumulator and number of rows M."""

    a: str
    b: str
    sum: str
    rows: int

    @property
    def depth(self) -> int:
        return _BITS_OF_K // _OPERANDS[self.a].bits

    @property
    def name(self) -> str:
        return f"intel_sub_group_{self.a}_{self.b}_matrix_mad_k{self.depth}"

    @property
    def words_of_a(self) -> int:
        """The words of a work-item: one for each row, or for two if K needs only half of the lanes."""
        return max(1, self.rows * self.depth // _LANES) if self.depth < _LANES else self.rows

    @property
    def types(self) -> tuple[str, str, str]:
        """The types of A, B and the accumulator, in OpenCL C."""
        return (
            _vector(_OPERANDS[self.a].a, self.words_of_a),
            _vector(_OPERANDS[self.b].b, _WORDS_OF_B),
            _vector(_SUMS[self.sum], self.rows),
        )


def _vector(type: str, count: int) -> str:
    return type if count == 1 else f"{type}{count}"


def _all() -> Iterator[_Product]:
    for operands, sums in _MIXED:
        for a in operands:
            for b in operands:
                for sum in sums:
                    yield from (_Product(a, b, sum, rows) for rows in _ROWS)


@cache
def _by_name() -> Mapping[str, _Product]:
    return {mangled(product.name, product.types): product for product in _all()}


def definition(name: str) -> tuple[str, ...]:
    """Return the function of this mangled name, or none if it is no known product."""
    product = _by_name().get(name)
    return () if product is None else (_rows(product), _definition(product))


def _rows(product: _Product) -> str:
    """Return the function for any number of rows; one for all keeps builds short."""
    depth = product.depth
    a, b = _OPERANDS[product.a], _OPERANDS[product.b]
    sum_type = _SUMS[product.sum]
    value = "int" if product.sum == "s32" else "float"
    halved = depth < _LANES
    neighbours = max(1, depth // _LANES)
    lane_of_a = f"k / {neighbours}" + (f" + (m & 1) * {depth}" if halved else "")
    packed = 32 // b.bits
    left = a.value.format(f"word >> (k % {neighbours} * {a.bits % 32})")
    right = b.value.format(f"b[k / {packed}] >> (k % {packed} * {b.bits % 32})")
    return f"""static void __attribute__((noinline)) {_function_of_rows(product)}(
    private const {_word_of_a(product)} *a, private const uint *b, private {sum_type} *sums, int rows)
{{
    uint row[LANES];
    is_legal_subgroup(get_sub_group_size());
    UNROLL_NOT
    for (int m = 0; m < rows; ++m) {{
        UNROLL_NOT
        for (int lane = 0; lane < LANES; ++lane)
            row[lane] = sub_group_broadcast((uint)a[{"m / 2" if halved else "m"}], lane);
        {sum_type} sum = sums[m];
        UNROLL_NOT
        for (int k = 0; k < {depth}; ++k) {{
            uint word = row[{lane_of_a}];
            {value} left = {left};
            {value} right = {right};
            sum = add_{product.sum}(sum, left, right);
        }}
        sums[m] = sum;
    }}
}}
"""


def _function_of_rows(product: _Product) -> str:
    return f"{product.name}_into_{product.sum}"


def _word_of_a(product: _Product) -> str:
    return "uint" if product.depth < _LANES else "ushort"


def _definition(product: _Product) -> str:
    a, b, c = product.types
    sum_type, rows = _SUMS[product.sum], product.rows
    return f"""{c} OVERLOADABLE {product.name}({a} a, {b} b, {c} c)
{{
    union {{ {a} vector; {_word_of_a(product)} words[{product.words_of_a}]; }} all_a;
    union {{ {b} vector; uint words[{_WORDS_OF_B}]; }} all_b;
    union {{ {c} vector; {sum_type} sums[{rows}]; }} all_c;
    all_a.vector = a;
    all_b.vector = b;
    all_c.vector = c;
    {_function_of_rows(product)}(all_a.words, all_b.words, all_c.sums, {rows});
    return all_c.vector;
}}
"""
