"""SPIR-V instruction by instruction: names of opcodes, and what each of their words is.

Of the specification's instructions those that modules for OpenCL have. Source: SPIR-V specification 1.4,
"Instructions"; SPV_EXT_shader_atomic_float_add and _min_max, SPV_INTEL_subgroups.
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from xetile.codegen.spirv import Instruction

OP_SOURCE, OP_NAME, OP_STRING, OP_LINE, OP_IMPORT = 3, 5, 7, 8, 11
OP_EXT_INST, OP_MEMORY_MODEL, OP_TYPE_VOID, OP_FUNCTION = 12, 14, 19, 54
OP_PARAMETER, OP_FUNCTION_END, OP_CALL, OP_VARIABLE, OP_STORE = 55, 56, 57, 59, 62
OP_DECORATE, OP_PHI, OP_LOOP_MERGE, OP_LABEL, OP_NO_LINE = 71, 245, 246, 248, 317

BRANCHES = frozenset(range(249, 256))
"""OpBranch, OpBranchConditional, OpSwitch, OpKill, OpReturn, OpReturnValue, OpUnreachable: the ends of blocks."""

IMPURE = frozenset(
    # OpExtInst, functions and calls, variables, loads
    [12, OP_FUNCTION, OP_PARAMETER, OP_CALL, OP_VARIABLE, 61]
    # atomics, blocks, what lanes do together
    + [*range(227, 243), OP_PHI, OP_LABEL, *range(259, 272), *range(333, 367)]
    + [*range(5571, 5577), 5614, 5615, 6035]
)
"""Instructions with a result that do something else too, or whose place matters."""

_TABLE = """
0 Nop
1 Undef type result
2 SourceContinued text
3 Source SourceLanguage number id text
4 SourceExtension text
5 Name id text
6 MemberName id number text
7 String result text
8 Line id number number
10 Extension text
11 ExtInstImport result text
12 ExtInst type result id number ids
14 MemoryModel AddressingModel MemoryModel
15 EntryPoint ExecutionModel id text ids
16 ExecutionMode id ExecutionMode numbers
17 Capability Capability
19 TypeVoid result
20 TypeBool result
21 TypeInt result number number
22 TypeFloat result numbers
23 TypeVector result id number
24 TypeMatrix result id number
28 TypeArray result id id
29 TypeRuntimeArray result id
30 TypeStruct result ids
31 TypeOpaque result text
32 TypePointer result StorageClass id
33 TypeFunction result ids
34 TypeEvent result
39 TypeForwardPointer id StorageClass
41 ConstantTrue type result
42 ConstantFalse type result
43 Constant type result numbers
44 ConstantComposite type result ids
46 ConstantNull type result
48 SpecConstantTrue type result
49 SpecConstantFalse type result
50 SpecConstant type result numbers
51 SpecConstantComposite type result ids
52 SpecConstantOp type result number ids
54 Function type result FunctionControl id
55 FunctionParameter type result
56 FunctionEnd
57 FunctionCall type result ids
59 Variable type result StorageClass id
61 Load type result id MemoryAccess numbers
62 Store id id MemoryAccess numbers
63 CopyMemory id id MemoryAccess numbers
64 CopyMemorySized id id id MemoryAccess numbers
65 AccessChain type result ids
66 InBoundsAccessChain type result ids
67 PtrAccessChain type result ids
70 InBoundsPtrAccessChain type result ids
71 Decorate id Decoration
72 MemberDecorate id number Decoration
77 VectorExtractDynamic type result ids
78 VectorInsertDynamic type result ids
79 VectorShuffle type result id id numbers
80 CompositeConstruct type result ids
81 CompositeExtract type result id numbers
82 CompositeInsert type result id id numbers
83 CopyObject type result id
109 ConvertFToU =1
110 ConvertFToS =1
111 ConvertSToF =1
112 ConvertUToF =1
113 UConvert =1
114 SConvert =1
115 FConvert =1
116 QuantizeToF16 =1
117 ConvertPtrToU =1
118 SatConvertSToU =1
119 SatConvertUToS =1
120 ConvertUToPtr =1
121 PtrCastToGeneric =1
122 GenericCastToPtr =1
123 GenericCastToPtrExplicit type result id StorageClass
124 Bitcast =1
126 SNegate =1
127 FNegate =1
128 IAdd =1
129 FAdd =1
130 ISub =1
131 FSub =1
132 IMul =1
133 FMul =1
134 UDiv =1
135 SDiv =1
136 FDiv =1
137 UMod =1
138 SRem =1
139 SMod =1
140 FRem =1
141 FMod =1
142 VectorTimesScalar =1
148 Dot =1
149 IAddCarry =1
150 ISubBorrow =1
151 UMulExtended =1
152 SMulExtended =1
154 Any =1
155 All =1
156 IsNan =1
157 IsInf =1
158 IsFinite =1
159 IsNormal =1
160 SignBitSet =1
161 LessOrGreater =1
162 Ordered =1
163 Unordered =1
164 LogicalEqual =1
165 LogicalNotEqual =1
166 LogicalOr =1
167 LogicalAnd =1
168 LogicalNot =1
169 Select =1
170 IEqual =1
171 INotEqual =1
172 UGreaterThan =1
173 SGreaterThan =1
174 UGreaterThanEqual =1
175 SGreaterThanEqual =1
176 ULessThan =1
177 SLessThan =1
178 ULessThanEqual =1
179 SLessThanEqual =1
180 FOrdEqual =1
181 FUnordEqual =1
182 FOrdNotEqual =1
183 FUnordNotEqual =1
184 FOrdLessThan =1
185 FUnordLessThan =1
186 FOrdGreaterThan =1
187 FUnordGreaterThan =1
188 FOrdLessThanEqual =1
189 FUnordLessThanEqual =1
190 FOrdGreaterThanEqual =1
191 FUnordGreaterThanEqual =1
194 ShiftRightLogical =1
195 ShiftRightArithmetic =1
196 ShiftLeftLogical =1
197 BitwiseOr =1
198 BitwiseXor =1
199 BitwiseAnd =1
200 Not =1
201 BitFieldInsert =1
202 BitFieldSExtract =1
203 BitFieldUExtract =1
204 BitReverse =1
205 BitCount =1
224 ControlBarrier ids
225 MemoryBarrier ids
227 AtomicLoad =1
228 AtomicStore ids
229 AtomicExchange =1
230 AtomicCompareExchange =1
231 AtomicCompareExchangeWeak =1
232 AtomicIIncrement =1
233 AtomicIDecrement =1
234 AtomicIAdd =1
235 AtomicISub =1
236 AtomicSMin =1
237 AtomicUMin =1
238 AtomicSMax =1
239 AtomicUMax =1
240 AtomicAnd =1
241 AtomicOr =1
242 AtomicXor =1
245 Phi =1
246 LoopMerge id id LoopControl numbers
247 SelectionMerge id SelectionControl
248 Label result
249 Branch id
250 BranchConditional id id id numbers
251 Switch id id cases
252 Kill
253 Return
254 ReturnValue id
255 Unreachable
256 LifetimeStart id number
257 LifetimeStop id number
261 GroupAll =1
262 GroupAny =1
263 GroupBroadcast =1
264 GroupIAdd type result id GroupOperation ids
265 GroupFAdd type result id GroupOperation ids
266 GroupFMin type result id GroupOperation ids
267 GroupUMin type result id GroupOperation ids
268 GroupSMin type result id GroupOperation ids
269 GroupFMax type result id GroupOperation ids
270 GroupUMax type result id GroupOperation ids
271 GroupSMax type result id GroupOperation ids
317 NoLine
330 ModuleProcessed text
331 ExecutionModeId id ExecutionMode ids
337 GroupNonUniformBroadcast =1
338 GroupNonUniformBroadcastFirst =1
339 GroupNonUniformBallot =1
345 GroupNonUniformShuffle =1
346 GroupNonUniformShuffleXor =1
347 GroupNonUniformShuffleUp =1
348 GroupNonUniformShuffleDown =1
349 GroupNonUniformIAdd type result id GroupOperation ids
350 GroupNonUniformFAdd type result id GroupOperation ids
351 GroupNonUniformIMul type result id GroupOperation ids
352 GroupNonUniformFMul type result id GroupOperation ids
353 GroupNonUniformSMin type result id GroupOperation ids
354 GroupNonUniformUMin type result id GroupOperation ids
355 GroupNonUniformFMin type result id GroupOperation ids
356 GroupNonUniformSMax type result id GroupOperation ids
357 GroupNonUniformUMax type result id GroupOperation ids
358 GroupNonUniformFMax type result id GroupOperation ids
400 CopyLogical =1
401 PtrEqual =1
402 PtrNotEqual =1
403 PtrDiff =1
5571 SubgroupShuffleINTEL =1
5572 SubgroupShuffleDownINTEL =1
5573 SubgroupShuffleUpINTEL =1
5574 SubgroupShuffleXorINTEL =1
5575 SubgroupBlockReadINTEL =1
5576 SubgroupBlockWriteINTEL ids
5614 AtomicFMinEXT =1
5615 AtomicFMaxEXT =1
5630 AssumeTrueKHR id
5631 ExpectKHR =1
5632 DecorateString id Decoration
6035 AtomicFAddEXT =1
"""
"""Opcode, name, and what the words behind it are; `=1` is the usual: a type, a result, and ids."""


class Form(NamedTuple):
    """An instruction's name, and what its words are, in order; the last kind is of all that follow."""

    name: str
    kinds: tuple[str, ...]


@cache
def forms() -> Mapping[int, Form]:
    """By opcode what is known of an instruction."""
    found: dict[int, Form] = {}
    for line in _TABLE.strip().splitlines():
        number, name, *kinds = line.split()
        usual = ("type", "result", "ids")
        found[int(number)] = Form(f"Op{name}", usual if kinds == ["=1"] else tuple(kinds))
    return found


class Word(NamedTuple):
    """One word of an instruction, or the words of a text: what it is, and its value."""

    kind: str
    value: int | str


def words_of(instruction: Instruction) -> list[Word]:
    """The words of an instruction by their kinds; of one that is not known all are `number`."""
    opcode, operands = instruction
    kinds = kinds_of(opcode)
    at = kinds.index("text") if "text" in kinds else len(operands)
    if at >= len(operands):
        return list(map(Word, spread(kinds, len(operands)), operands))
    text, count = text_of(operands[at:])
    rest = operands[at + count :]
    after = map(Word, spread(kinds[at + 1 :], len(rest)), rest)
    return [*map(Word, kinds[:at], operands), Word("text", text), *after]


def kinds_of(opcode: int) -> tuple[str, ...]:
    """What the words of an instruction are, as its form has them; nothing of one that is not known."""
    form = forms().get(opcode)
    return () if form is None else form.kinds


@cache
def spread(kinds: tuple[str, ...], count: int) -> tuple[str, ...]:
    """What each of so many words is, where none is a text; words that no kind is left for are `number`."""
    found: list[str] = []
    for kind in kinds:
        several = {"ids": ["id"], "numbers": ["number"], "cases": ["number", "id"]}.get(kind)
        left = max(0, count - len(found))
        found += [kind] if several is None else (several * left)[:left]
    return (*found, *["number"] * (count - len(found)))[:count]


def ids_of(instruction: Instruction) -> list[int]:
    """The ids that an instruction uses, its type too, in order."""
    opcode, operands = instruction
    if "text" in kinds_of(opcode):
        return [int(value) for kind, value in words_of(instruction) if kind in _USES]
    return [operands[place] for place in _uses(opcode, len(operands))]


_USES = ("id", "type")


@cache
def _uses(opcode: int, count: int) -> tuple[int, ...]:
    """Which of so many words are ids that an instruction uses."""
    kinds = spread(kinds_of(opcode), count)
    return tuple(place for place, kind in enumerate(kinds) if kind in _USES)


def result_of(instruction: Instruction) -> int | None:
    """The id that an instruction defines."""
    opcode, operands = instruction
    place = _result(opcode)
    return None if place is None else operands[place]


@cache
def _result(opcode: int) -> int | None:
    """Which word of an instruction is the id that it defines."""
    kinds = kinds_of(opcode)
    return kinds.index("result") if "result" in kinds else None


def text_of(words: Sequence[int]) -> tuple[str, int]:
    """The text that begins here, and how many words it takes."""
    data = struct.pack(f"<{len(words)}I", *words)
    end = data.index(b"\0")
    return data[:end].decode(), end // 4 + 1


def text_words(text: str) -> tuple[int, ...]:
    """The words of a text: its bytes, ended by at least one zero."""
    data = text.encode()
    data += b"\0" * (4 - len(data) % 4)
    return struct.unpack(f"<{len(data) // 4}I", data)


def names_of(module: Sequence[Instruction]) -> dict[int, str]:
    """By id what OpName calls it."""
    return {
        operands[0]: text_of(operands[1:])[0]
        for opcode, operands in module
        if opcode == OP_NAME
    }


def bodies(module: Sequence[Instruction]) -> Iterator[tuple[int, list[int]]]:
    """The functions that have blocks: their ids, and where their instructions stand, from OpFunction to its end."""
    start = None
    for place, instruction in enumerate(module):
        if instruction.opcode == OP_FUNCTION:
            start = place
        elif instruction.opcode == OP_FUNCTION_END and start is not None:
            inside = list(range(start, place + 1))
            if any(module[i].opcode == OP_LABEL for i in inside):
                yield module[start].operands[1], inside
