"""The tool that plants faults in emitted LLVM IR: what it plants and what not, and what the comparison tells."""

from collections.abc import Mapping, Sequence
from typing import cast

import numpy
import pytest
from support.fake_device import FakeDevice

from tools.mutants.edits import Edit
from tools.mutants.emitted_choice import choose
from tools.mutants.emitted_faults import faults_of, planted
from tools.mutants.emitted_kernels import KERNELS
from tools.mutants.emitted_trial import Trial, compiled, difference, prepare
from tools.mutants.llvm_meaning import changes_the_program
from xetile.codegen.spirv_emitter import to_spirv
from xetile.runtime.driver import Argument, Pointer
from xetile.runtime.open_device import Device

HEAD = """
declare spir_func i64 @"_Z12get_group_idj"(i32 %".1")
declare spir_func void @"_Z41intel_sub_group_2d_block_prefetch_16b_8r16x2cPU3AS1viiiDv2_i"(ptr addrspace(1) %".1", i32 %".2", i32 %".3", i32 %".4", <2 x i32> %".5")
declare spir_func void @"__internal_intel_sub_group_2d_block_read_16b_8r16x1c_cache_controls"(ptr addrspace(1) %".1", i32 %".2", i32 %".3", i32 %".4", <2 x i32> %".5", ptr %".6", i32 %".7")
define spir_kernel void @"k"(ptr addrspace(1) %"A", i32 %"n", i32 %"m", <8 x i32> %"v", <8 x i32> %"w") !intel_reqd_sub_group_size !0
{
.1:
"""
TAIL = """
  ret void
}

!0 = !{ i32 16 }
"""
LOOP = """  br label %"head"
head:
  %"i" = phi  i32 [0, %".1"], [%"j", %"body"]
  %"x" = phi  i32 [0, %".1"], [%"y", %"body"]
  %"c" = icmp slt i32 %"i", 80
  br i1 %"c", label %"body", label %"end"
body:
  %"j" = add i32 %"i", 32
  %"y" = add i32 %"x", 32
  br label %"head"
end:
  store i32 %"x", ptr addrspace(1) %"A\""""


def faults(body: str, kind: str) -> set[str]:
    """What a body of a kernel can be given, as the line would read with it."""
    text = f"{HEAD}{body}{TAIL}"
    return {
        fault.apply(text).splitlines()[fault.line - 1].strip()
        for fault in faults_of(text)
        if fault.kind == kind and changes_the_program(fault, text)
    }


STORED = '\n  store i32 %"x", ptr addrspace(1) %"A"'
STORED_VECTOR = '\n  store <8 x i32> %"x", ptr addrspace(1) %"A"'


@pytest.mark.parametrize(
    ("kind", "line", "after"),
    [
        ("constant", '%"x" = shl i32 %"n", 6', {"5", "7", "12", "4"}),
        ("constant", '%"x" = add i32 %"n", 0', {"1", "-1"}),
        ("operation", '%"x" = mul i32 %"n", %"m"', {'add i32 %"n", %"m"'}),
        ("operation", '%"x" = ashr i32 %"n", 4', set[str]()),
        ("swap", '%"x" = sub i32 %"n", %"m"', {'sub i32 %"m", %"n"'}),
        ("swap", '%"x" = add i32 %"n", %"m"', set[str]()),
        ("operand", '%"x" = sub i32 %"n", %"m"', {'sub i32 %"m", %"m"', 'sub i32 %"n", %"n"'}),
        ("operand", '%"x" = add i32 %"n", %"n"', {'add i32 %"m", %"n"', 'add i32 %"n", %"m"'}),
    ],
)
def test_the_faults_of_a_line(kind: str, line: str, after: set[str]) -> None:
    head, _, _ = line.rpartition(" ")
    expected = {f'%"x" = {text}' if " " in text else f"{head} {text}" for text in after}
    found = faults(f"  {line}{STORED}", kind)
    assert {text for text in found if not text.startswith("store")} == expected


@pytest.mark.parametrize(
    ("kind", "body", "count"),
    [
        (
            "element",
            '  %"x" = add <8 x i32> %"v", <i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3, i32 3>',
            24,
        ),
        ("index", '  %"x" = insertelement <8 x i32> %"v", i32 %"n", i32 3', 7),
        (
            "index",
            '  %"x" = shufflevector <8 x i32> %"v", <8 x i32> %"w", <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 15>',
            16,
        ),
        ("operation", '  %"x" = ashr <8 x i32> %"v", %"w"', 1),
    ],
)
def test_the_faults_of_vectors(kind: str, body: str, count: int) -> None:
    assert len(faults(f"{body}{STORED_VECTOR}", kind)) == count


def test_a_predicate_becomes_its_opposite_or_its_neighbour() -> None:
    body = (
        '  %"c" = icmp slt i32 %"n", %"m"\n  %"x" = select i1 %"c", i32 %"n", i32 7' + STORED
    )
    assert faults(body, "comparison") == {
        '%"c" = icmp sge i32 %"n", %"m"',
        '%"c" = icmp sle i32 %"n", %"m"',
    }
    least = body.replace("i32 7", 'i32 %"m"')
    assert faults(least, "comparison") == {'%"c" = icmp sge i32 %"n", %"m"'}


def test_as_many_rounds_of_a_loop_are_no_fault() -> None:
    # 80 in steps of 32 are three rounds, as 81 and 79 are, and as are steps of 31 and 33
    assert faults(LOOP, "comparison") == {'%"c" = icmp sge i32 %"i", 80'}
    found = faults(LOOP, "constant")
    assert {line for line in found if "icmp" in line} == {
        '%"c" = icmp slt i32 %"i", 160',
        '%"c" = icmp slt i32 %"i", 64',
    }
    assert {line for line in found if '%"j" =' in line} == {
        '%"j" = add i32 %"i", 64',
        '%"j" = add i32 %"i", 0',
    }
    assert len({line for line in found if '%"y" =' in line}) == 4
    # both count from 0 by 32
    assert not any('"x", 80' in line for line in faults(LOOP, "operand"))


def test_what_is_added_to_nan_is_no_fault() -> None:
    body = """  %"a" = bitcast <8 x i32> %"v" to <8 x float>
  %"s" = fadd <8 x float> %"a", <float 0x0, float 0x0, float 0x0, float 0x0, float 0x0, float 0x0, float 0x0, float 0x0>
  %"n1" = fcmp uno <8 x float> %"a", <float 0x0, float 0x0, float 0x0, float 0x0, float 0x0, float 0x0, float 0x0, float 0x0>
  %"x" = select <8 x i1> %"n1", <8 x float> %"s", <8 x float> %"a"
  store <8 x float> %"x", ptr addrspace(1) %"A\""""
    assert faults(body, "element") == faults(body, "operation") == set()
    always = body.replace('<8 x float> %"x", ptr', '<8 x float> %"s", ptr')
    assert len(faults(always, "element")) == 8
    assert len(faults(always, "operation")) == 1


def test_which_nan_it_is_does_not_matter() -> None:
    """A NaN becomes narrower: its bits are cut off, and one is set so that it does not become infinite."""
    body = """  %"a" = bitcast <8 x i32> %"v" to <8 x float>
  %"s" = or <8 x i32> %"v", <i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64, i32 64>
  %"n1" = fcmp uno <8 x float> %"a", %"a"
  %"x" = select <8 x i1> %"n1", <8 x i32> %"s", <8 x i32> %"w"
  store <8 x i32> %"x", ptr addrspace(1) %"A\""""
    bits = [line.count("i32 0") + line.count("i32 128") for line in faults(body, "element")]
    assert bits == [1] * 16  # these may make it infinite
    assert len(faults(body, "operation")) == 1
    assert any(line.startswith('%"s" = or <8 x i32> %"w"') for line in faults(body, "operand"))


def test_an_equal_value_is_no_fault() -> None:
    body = """  %"p" = mul i32 %"n", 8
  %"q" = mul i32 %"n", 8
  %"a" = insertelement <2 x i32> <i32 undef, i32 undef>, i32 %"p", i32 0
  %"b" = insertelement <2 x i32> %"a", i32 %"m", i32 1
  %"c" = insertelement <2 x i32> %"b", i32 %"n", i32 1
  store <2 x i32> %"c", ptr addrspace(1) %"A\""""
    found = faults(body, "operand")
    assert not any('i32 %"q", i32 0' in line for line in found)
    assert not any(line.startswith('%"c"') and '%"a"' in line for line in found)
    assert any('i32 %"m", i32 0' in line for line in found)


def test_a_value_stands_where_it_is_known_only() -> None:
    found = faults(LOOP, "operand")
    assert '%"x" = phi  i32 [0, %".1"], [%"j", %"body"]' not in found  # it is equal
    assert '%"x" = phi  i32 [0, %".1"], [%"n", %"body"]' in found
    assert not any(line.startswith("store") and '"y"' in line for line in found)


def test_what_computes_nothing_is_left_alone() -> None:
    body = """  %"p" = alloca [8 x i16], i32 1, align 64
  %"dead" = mul i32 %"n", 8
  %"xy" = insertelement <2 x i32> <i32 undef, i32 undef>, i32 %"dead", i32 0
  call spir_func void @"_Z41intel_sub_group_2d_block_prefetch_16b_8r16x2cPU3AS1viiiDv2_i"(ptr addrspace(1) %"A", i32 64, i32 8, i32 64, <2 x i32> %"xy")
  call spir_func void @"__internal_intel_sub_group_2d_block_read_16b_8r16x1c_cache_controls"(ptr addrspace(1) %"A", i32 64, i32 8, i32 64, <2 x i32> <i32 0, i32 0>, ptr %"p", i32 4)"""
    text = f"{HEAD}{body}{TAIL}"
    lines = text.splitlines()
    changed = {
        (lines[fault.line - 1].split("(")[0], fault.before) for fault in faults_of(text)
    }
    assert {line for line, _ in changed} == {
        '  call spir_func void @"__internal_intel_sub_group_2d_block_read_16b_8r16x1c_cache_controls"'
    }
    assert {before for _, before in changed if before.isdigit()} == {"64", "8", "0"}


def test_kernels_are_changed_where_they_compute() -> None:
    """The first kernel prefetches; each of its faults is compiled unless LLVM refuses it."""
    from xetile import api

    text = cast(str, api.emit(api.parse(KERNELS[0].text()), "ll", KERNELS[0].device))
    assert "prefetch" in text
    lines = text.splitlines()
    found = faults_of(text)
    assert {fault.kind for fault in found} >= {
        "constant",
        "element",
        "operand",
        "builtin",
        "index",
    }
    for fault in found:
        assert not any(
            word in lines[fault.line - 1]
            for word in ("prefetch", "AddressPayloadBlock", "alloca")
        )
    # the payloads of two prefetches compute nothing, that of the stores does
    made = [
        n for n, line in enumerate(lines, 1) if "= call" in line and "createBlock2D" in line
    ]
    assert {fault.line for fault in found} & set(made) == {made[-1]}
    other = next(fault for fault in found if fault.kind == "builtin" and "bf16" in fault.after)
    assert planted(text, other).count(other.after) == 2  # the call and a declaration
    assert compiled(planted(text, other)) not in (None, to_spirv(text))


def test_the_choice_is_the_seeds_and_is_spread() -> None:
    body = "\n".join(f'  %"x{n}" = mul i32 %"n", {n + 5}' for n in range(9))
    stores = "\n".join(f'  store i32 %"x{n}", ptr addrspace(1) %"A"' for n in range(9))
    text = f"{HEAD}{body}\n{stores}{TAIL}"
    trials = [Trial(kernel, text, b"", {}, ()) for kernel in KERNELS[:2]]

    def chosen(seed: int) -> Sequence[tuple[str, Edit]]:
        found = choose(trials, seed=seed, count=8, compile=str.encode)
        return [(planted.trial.kernel.name, planted.fault) for planted in found]

    assert chosen(1) == chosen(1) != chosen(2)
    names = [name for name, _ in chosen(1)]
    assert [names.count(kernel.name) for kernel in KERNELS[:2]] == [4, 4]
    assert len({(name, fault.line) for name, fault in chosen(1)}) == 8
    assert choose(trials, seed=1, count=8, compile=lambda text: None) == []


def careless(results: Mapping[int, bytes], spoilt: int | None) -> FakeDevice:
    """A device that leaves in memory what the kernel would, and one byte more before an array."""

    def leave(device: FakeDevice, arguments: Sequence[Argument]) -> None:
        for number, argument in enumerate(arguments):
            assert isinstance(argument, Pointer)
            memory, result = device.memories[argument.memory], results[number]
            memory[argument.offset : argument.offset + len(result)] = result
            if spoilt == number:
                memory[argument.offset - 1] = 0

    return FakeDevice(leave)


def test_bytes_around_an_array_are_compared() -> None:
    """What a fault writes beside a matrix is told, though every element is right."""
    transposed = next(kernel for kernel in KERNELS if kernel.name == "transposed")
    trial = prepare(transposed)
    results = {
        number: place.view.tobytes()
        for number, place in enumerate(trial.runs[0].expected)
        if place is not None
    }
    devices = [careless(results, None), careless(results, 0)]
    assert difference(trial, b"", devices[0]) is None
    told = "launch 0, argument 0: bytes outside of the array"
    assert difference(trial, b"", devices[1]) == told
    assert all(device.is_empty for device in devices)
    results[4] = (
        numpy.frombuffer(results[4], numpy.float32).copy().tobytes()[:-4] + b"\0\0\0\1"
    )
    wrong = difference(trial, b"", careless(results, None))
    assert wrong is not None
    assert wrong.startswith("launch 0, argument 4: [23, 63] is ")


@pytest.mark.opencl
def test_a_fault_is_found(opencl_cpu: Device) -> None:
    branches = next(kernel for kernel in KERNELS if kernel.name == "branches")
    trial = prepare(branches)
    assert difference(trial, trial.spirv, opencl_cpu) is None
    fault = next(
        fault
        for fault in faults_of(trial.text)
        if (fault.kind, fault.before, fault.after) == ("comparison", "ult", "ule")
    )
    spirv = compiled(planted(trial.text, fault))
    assert spirv is not None
    found = difference(trial, spirv, opencl_cpu)
    assert found is not None
    assert found.startswith("launch 0, argument 1: [32, 0] is ")
