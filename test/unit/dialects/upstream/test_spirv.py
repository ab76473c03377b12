"""The spirv attributes of Intel's kernels are kept as they are written."""

from collections.abc import Callable

import pytest
from xdsl.dialects import get_all_dialects
from xdsl.utils.exceptions import ParseError

from xetile.dialects.modules import parse
from xetile.parser import parse_error_location

TARGET = (
    "#spirv.target_env<#spirv.vce<v1.4, [Addresses, Kernel], [SPV_KHR_expect_assume]>, "
    "api=OpenCL, #spirv.resource_limits<subgroup_size = 16>>"
)
KERNEL = f"""gpu.module @kernels attributes {{spirv.target_env = {TARGET}}} {{
  gpu.func @f() kernel attributes {{spirv.entry_point_abi = #spirv.entry_point_abi<>}} {{
    gpu.return
  }}
}}
"""


def test_read_and_printed_as_written(round_trip: Callable[[str], None]) -> None:
    round_trip(KERNEL)
    printed = str(parse(KERNEL))
    assert f"spirv.target_env = {TARGET}" in printed
    assert "spirv.entry_point_abi = #spirv.entry_point_abi<>" in printed


def test_an_alias_for_the_whole_attribute() -> None:
    text = KERNEL.replace(TARGET, "#target")
    assert str(parse(f"#target = {TARGET}\n{text}")) == str(parse(KERNEL))


BARRIERS = """gpu.module @kernels {
  gpu.func @f() kernel {
    spirv.ControlBarrier <Subgroup>, <Subgroup>, <AcquireRelease|WorkgroupMemory>
    spirv.ControlBarrier <Workgroup>, <Device>, <None> {some}
    gpu.return
  }
}
"""


def test_barriers(round_trip: Callable[[str], None]) -> None:
    round_trip(BARRIERS)
    wanted = "expected one of CrossDevice, Device, Workgroup, Subgroup"
    with pytest.raises(ParseError, match=wanted):
        parse(BARRIERS.replace("<Workgroup>", "<Group>"))


@pytest.mark.mlir_opt
def test_mlir_reads_barriers(mlir_round_trip: Callable[[str], None]) -> None:
    mlir_round_trip(BARRIERS)


def test_stock_xdsl_has_no_such_dialect() -> None:
    """Gap of xDSL 0.75: once this fails, upstream may have attributes to build on."""
    assert "spirv" not in get_all_dialects()


@pytest.mark.mlir_opt
def test_mlir_reads_what_we_print(mlir_round_trip: Callable[[str], None]) -> None:
    mlir_round_trip(KERNEL)


@pytest.mark.parametrize(
    ("text", "token", "message"),
    [
        ("#spirv.entry_point_abi", "}", "expected '<' before '}'"),
        (
            "#spirv.target_env<#vce, api=OpenCL, #spirv.resource_limits<>>",
            "<#vce",
            "#vce is an alias inside of #spirv.target_env, which is kept as text; write it out",
        ),
        (
            "#spirv.entry_point_abi<",
            "}",
            "'}' closes nothing here; brackets are closed in the order in which they were opened",
        ),
    ],
)
def test_refused(text: str, token: str, message: str) -> None:
    source = f"func.func private @f() attributes {{a = {text}}}"
    with pytest.raises(ParseError) as found:
        parse(source)
    _, column, said = parse_error_location(found.value)
    assert said == message
    assert source[column - 1 :].startswith(token)
