"""Words of SPIR-V by their numbers, as far as modules for OpenCL have them.

Source: SPIR-V specification 1.4, "Binary Form"; OpenCL.std extended instruction set.
"""

from collections.abc import Mapping

ENUMERATIONS: Mapping[str, Mapping[int, str]] = {
    "AddressingModel": {0: "Logical", 1: "Physical32", 2: "Physical64"},
    "BuiltIn": {
        **{24: "NumWorkgroups", 25: "WorkgroupSize", 26: "WorkgroupId"},
        **{27: "LocalInvocationId", 28: "GlobalInvocationId", 29: "LocalInvocationIndex"},
        **{30: "WorkDim", 31: "GlobalSize", 36: "SubgroupSize", 37: "SubgroupMaxSize"},
        **{38: "NumSubgroups", 40: "SubgroupId", 41: "SubgroupLocalInvocationId"},
    },
    "Capability": {
        **{4: "Addresses", 5: "Linkage", 6: "Kernel", 7: "Vector16", 8: "Float16Buffer"},
        **{9: "Float16", 10: "Float64", 11: "Int64", 12: "Int64Atomics", 18: "Groups"},
        **{22: "Int16", 38: "GenericPointer", 39: "Int8", 58: "SubgroupDispatch"},
        **{61: "GroupNonUniform", 62: "GroupNonUniformVote", 63: "GroupNonUniformArithmetic"},
        **{64: "GroupNonUniformBallot", 65: "GroupNonUniformShuffle"},
        **{66: "GroupNonUniformShuffleRelative", 5612: "AtomicFloat32MinMaxEXT"},
        **{5613: "AtomicFloat64MinMaxEXT", 5616: "AtomicFloat16MinMaxEXT"},
        **{5629: "ExpectAssumeKHR", 6033: "AtomicFloat32AddEXT", 6034: "AtomicFloat64AddEXT"},
        **{6095: "AtomicFloat16AddEXT"},
    },
    "Decoration": {
        **{11: "BuiltIn", 21: "Volatile", 22: "Constant", 28: "SaturatedConversion"},
        **{38: "FuncParamAttr", 39: "FPRoundingMode", 40: "FPFastMathMode"},
        **{41: "LinkageAttributes", 42: "NoContraction", 44: "Alignment"},
        **{4469: "NoSignedWrap", 4470: "NoUnsignedWrap", 5635: "UserSemantic"},
    },
    "ExecutionMode": {
        **{17: "LocalSize", 18: "LocalSizeHint", 31: "ContractionOff", 35: "SubgroupSize"},
    },
    "ExecutionModel": {6: "Kernel"},
    "FPRoundingMode": {0: "RTE", 1: "RTZ", 2: "RTP", 3: "RTN"},
    "GroupOperation": {0: "Reduce", 1: "InclusiveScan", 2: "ExclusiveScan"},
    "LinkageType": {0: "Export", 1: "Import"},
    "MemoryModel": {2: "OpenCL"},
    "SourceLanguage": {3: "OpenCL_C", 4: "OpenCL_CPP"},
    "StorageClass": {
        **{0: "UniformConstant", 1: "Input", 4: "Workgroup", 5: "CrossWorkgroup"},
        **{6: "Private", 7: "Function", 8: "Generic"},
    },
}

MASKS: Mapping[str, Mapping[int, str]] = {
    "FPFastMathMode": {1: "NotNaN", 2: "NotInf", 4: "NSZ", 8: "AllowRecip", 16: "Fast"},
    "FunctionControl": {1: "Inline", 2: "DontInline", 4: "Pure", 8: "Const"},
    "LoopControl": {1: "Unroll", 2: "DontUnroll", 0x100: "PartialCount"},
    "MemoryAccess": {1: "Volatile", 2: "Aligned", 4: "Nontemporal"},
    "SelectionControl": {1: "Flatten", 2: "DontFlatten"},
}
"""Words that are sums of these; nothing is `None`."""

_FROM_ACOS = """
acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos cosh cospi erfc erf exp exp2
exp10 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hypot ilogb ldexp lgamma lgamma_r log log2 log10 log1p logb
mad maxmag minmag modf nan nextafter pow pown powr remainder remquo rint rootn round rsqrt sin sincos sinh sinpi sqrt
tan tanh tanpi tgamma trunc half_cos half_divide half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_powr
half_recip half_rsqrt half_sin half_sqrt half_tan native_cos native_divide native_exp native_exp2 native_exp10
native_log native_log2 native_log10 native_powr native_recip native_rsqrt native_sin native_sqrt native_tan
"""

OPENCL: Mapping[int, str] = {
    **dict(enumerate(_FROM_ACOS.split())),
    **{141: "s_abs", 151: "clz", 152: "ctz", 156: "s_max", 157: "u_max", 158: "s_min"},
    **{159: "u_min", 160: "s_mul_hi", 166: "popcount", 184: "printf", 201: "u_abs"},
    **{203: "u_mul_hi"},
}
"""By number the functions of OpenCL.std, as far as they are emitted."""
