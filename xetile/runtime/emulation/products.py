"""Matrix products, as OpenCL C.

Written from the OpenCL extensions cl_intel_subgroup_matrix_multiply_accumulate and its _tf32:
who contributes what to A and B (a work-item has one column of B and of the accumulator, and of
each row of A as many neighbours as make K), the signs, and for tf32 the rows of A that share a
register. In which order products are added the extensions do not say; here it is K ascending,
rounded to the accumulator's type after each, as everywhere in xetile.
"""

import re

PREAMBLE = """
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

static ushort to_bf16(double exact)
{
    float near = convert_float_rtz(exact);
    uint bits = as_uint(near);
    if (isnan(near))
        return 0x7fff;
    if ((double)near != exact)
        bits |= 1;
    return (ushort)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float of_f16(ushort bits) { return (float)as_half(bits); }

// Ten bits of the mantissa count.
static float of_tf32(uint bits) { return as_float(bits & 0xffffe000); }

static float of_e5m2(uchar bits) { return (float)as_half((ushort)(bits << 8)); }

// Four bits of exponent with a bias of 7, three of mantissa; all ones are the one NaN.
static float of_e4m3(uchar bits)
{
    int exponent = bits >> 3 & 15, mantissa = bits & 7;
    float size = (bits & 127) == 127 ? NAN
                 : exponent == 0     ? ldexp((float)mantissa, -9)
                                     : ldexp((float)(8 + mantissa), exponent - 10);
    return bits & 128 ? -size : size;
}

static float add_f32(float sum, float product) { return sum + product; }

static half add_f16(half sum, float product)
{
    return convert_half_rte(sum_to_odd((double)sum, (double)product));
}

static short add_bf16(short sum, float product)
{
    return as_short(to_bf16(sum_to_odd((double)of_bf16(as_ushort(sum)), (double)product)));
}

static int add_s32(int sum, int product) { return as_int(as_uint(sum) + as_uint(product)); }
"""

_NAME = re.compile(
    r"_Z\d+(?P<name>intel_sub_group_(?P<a>[a-z]+\d\w*?)_(?P<b>[a-z]+\d\w*?)_matrix_mad_k(?P<k>\d+))"
    r"(?P<parameters>(?:Dv|[a-z]).*)"
)

_ELEMENTS = {
    # name: bits, C's expression for the element in a word's bits, the words of A and of B
    "f16": (16, "of_f16((ushort)({0}))", "short", "int"),
    "bf16": (16, "of_bf16((ushort)({0}))", "short", "int"),
    "tf32": (32, "of_tf32((uint)({0}))", "float", "float"),
    "e5m2": (8, "of_e5m2((uchar)({0}))", "short", "int"),
    "e4m3": (8, "of_e4m3((uchar)({0}))", "short", "int"),
    "i8": (8, "(int)(char)({0})", "short", "int"),
    "u8": (8, "(int)(uchar)({0})", "ushort", "uint"),
    "i4": (4, "((int)(({0}) & 15) << 28 >> 28)", "short", "int"),
    "u4": (4, "(int)(({0}) & 15)", "ushort", "uint"),
}
_ACCUMULATORS = {"f": "f32", "Dh": "f16", "s": "bf16", "i": "s32"}
_C_TYPES = {"f32": "float", "f16": "half", "bf16": "short", "s32": "int"}
_LANES = 16
_WORDS_OF_B = 8


def definition(name: str) -> str | None:
    """The function that a module imports by this mangled name; None where it is no product that is known."""
    found = _NAME.fullmatch(name)
    if found is None or found["a"] not in _ELEMENTS or found["b"] not in _ELEMENTS:
        return None
    rows, accumulator = _rows_and_accumulator(found["parameters"])
    if accumulator is None:
        return None
    return _product(found["name"], found["a"], found["b"], int(found["k"]), rows, accumulator)


def _rows_and_accumulator(parameters: str) -> tuple[int, str | None]:
    """M and the accumulator's type, which the last mangled parameter says; S0_ and S_ repeat an earlier one."""
    types = re.findall(r"Dv\d+_(?:Dh|[a-z])|S\d*_|Dh|[a-z]", parameters)
    if len(types) != 3:
        return 0, None
    vectors = [t for t in dict.fromkeys(types) if t.startswith("D")]
    last = types[2]
    if last.startswith("S"):
        number = 0 if last == "S_" else int(last[1:-1]) + 1
        if number >= len(vectors):
            return 0, None
        last = vectors[number]
    shape = re.fullmatch(r"Dv(\d+)_(\w+)", last)
    rows, element = (1, last) if shape is None else (int(shape[1]), shape[2])
    return rows, _ACCUMULATORS.get(element)


def _vector(type: str, count: int) -> str:
    return type if count == 1 else f"{type}{count}"


def _product(name: str, a: str, b: str, k: int, rows: int, accumulator: str) -> str:
    bits_a, read_a, word_a, _ = _ELEMENTS[a]
    bits_b, read_b, _, word_b = _ELEMENTS[b]
    shared = bits_a == 32  # the lanes above K have the odd rows
    words_of_a = max(1, rows // 2) if shared else rows
    in_word_of_a = 1 if shared else 16 // bits_a
    in_word_of_b = 32 // bits_b
    sum_type = _C_TYPES[accumulator]
    value = "int" if accumulator == "s32" else "float"
    unsigned_a = "uint" if shared else "ushort"
    lane_of_a = "k" if shared else f"k / {in_word_of_a}"
    odd_rows = f" + (m & 1) * {k}" if shared else ""
    word_of_m = "m / 2" if shared else "m"
    bits_of_a = read_a.format(f"word >> (k % {in_word_of_a} * {bits_a % 32})")
    bits_of_b = read_b.format(
        f"words_b[k / {in_word_of_b}] >> (k % {in_word_of_b} * {bits_b % 32})"
    )
    types = (
        _vector(word_a, words_of_a),
        _vector(word_b, _WORDS_OF_B),
        _vector(sum_type, rows),
    )
    return f"""static {sum_type} __attribute__((noinline)) {name}_row({unsigned_a} const *row, uint const *words_b,
    {sum_type} sum)
{{
    UNROLL_NOT
    for (int k = 0; k < {k}; ++k) {{
        uint word = row[{lane_of_a}];
        {value} left = {bits_of_a};
        {value} right = {bits_of_b};
        sum = add_{accumulator}(sum, left * right);
    }}
    return sum;
}}

{types[2]} OVERLOADABLE {name}({types[0]} a, {types[1]} b, {types[2]} c)
{{
    union {{ {types[0]} vector; {unsigned_a} words[{words_of_a}]; }} all_a;
    union {{ {types[1]} vector; uint words[{_WORDS_OF_B}]; }} all_b;
    union {{ {types[2]} vector; {sum_type} sums[{rows}]; }} all_c;
    {unsigned_a} row[{_LANES}];
    all_a.vector = a;
    all_b.vector = b;
    all_c.vector = c;
    UNROLL_NOT
    for (int m = 0; m < {rows}; ++m) {{
        UNROLL_NOT
        for (int lane = 0; lane < {_LANES}; ++lane)
            row[lane] = ({unsigned_a})sub_group_broadcast((uint)all_a.words[{word_of_m}], lane);
        all_c.sums[m] = {name}_row(row{odd_rows}, all_b.words, all_c.sums[m]);
    }}
    return all_c.vector;
}}
"""
