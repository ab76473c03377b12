"""Number formats that matrix products read and write, as OpenCL C.

Written from
- cl_intel_subgroup_matrix_multiply_accumulate_tf32, 6.3.1.X "The tf32 Format": 1 sign, 8 exponent and 23 mantissa bits
  in memory, "only 10 mantissa bits are used when performing operations". So the lower 13 bits count for nothing, as
  users of the instruction report (intel-xpu-backend-for-triton, issue 3729: without a rounding of its own a program
  "always truncate[s] the lower bits"; IGC's vISA documentation, DPAS: "TF32 is 19-bit tensor float type (E8M10)").
  That a NaN whose upper fraction is zero (0x7f800001) then reads as an infinity follows from it and is what level V
  computes (`cut_tf32`); for the hardware it is not documented;
- SPV_EXT_float8 for the 8-bit formats: e5m2 is the upper byte of an IEEE half; e4m3 has a bias of 7, no infinity, and
  one NaN of each sign;
- SPV_INTEL_bfloat16_conversion: bf16 is the upper half of an IEEE float, made by rounding to nearest even.
"""

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
