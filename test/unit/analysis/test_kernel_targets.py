"""Which device a kernel is lowered for: option, gpu.module, default; and what is refused."""

import pytest
from xdsl.dialects.builtin import ModuleOp

import xetile
from xetile.analysis.kernel_targets import device_named, device_of, subgroup_threads, target_of
from xetile.analysis.module_kernels import functions
from xetile.codegen import emit, only_kernel
from xetile.errors import XetileError, collected_remarks, one_command
from xetile.targets import names
from xetile.targets.xe.device import XeDevice


def module(*targets: str) -> ModuleOp:
    kernels = "\n".join(
        f"gpu.module @m{n} {target} {{\n  gpu.func @k() kernel {{\n    gpu.return\n  }}\n}}"
        for n, target in enumerate(targets)
    )
    return xetile.parse(f"{kernels}\n")


@pytest.mark.parametrize(
    ("targets", "option", "name"),
    [
        ("", None, "pvc"),
        ("", "cri", "cri"),
        ('[#xevm.target<chip = "lnl">]', None, "lnl"),
        ('[#xevm.target<chip = "lnl">]', "lnl", "lnl"),
        ("[#xevm.target]", None, "bmg"),
        ("[#xevm.target<O = 3>]", "bmg", "bmg"),
        ('[#xevm.target<chip = "pvc">, #xevm.target<O = 3, chip = "pvc">]', None, "pvc"),
        ('[#xevm.target<chip = "pvc">, #xevm.target<chip = "cri">]', "cri", "cri"),
    ],
)
def test_the_option_else_the_module_else_the_default(
    targets: str, option: str | None, name: str
) -> None:
    found = module(targets)
    for at in (found, next(functions(found))):
        assert target_of(at, option).name == name
        assert device_of(at, XeDevice, option).name == name
        assert subgroup_threads(at) == 16


@pytest.mark.parametrize(
    ("targets", "option", "message"),
    [
        ("", "xe", "^unknown device 'xe'; known are pvc, bmg, "),
        (
            '[#xevm.target<chip = "bmg">]',
            "pvc",
            "^<text>:1:1: error: the option 'device' is pvc, but the gpu.module is for bmg$",
        ),
        ("[#xevm.target]", "pvc", "is pvc, but the gpu.module is for bmg$"),
        (
            '[#xevm.target<chip = "pvc">, #xevm.target<chip = "cri">]',
            None,
            "^<text>:1:1: error: several targets are named, pvc, cri; the option 'device' has to",
        ),
        (
            '[#xevm.target<chip = "pvc">, #xevm.target<chip = "cri">]',
            "bmg",
            "is bmg, but the gpu.module is for pvc, cri$",
        ),
        (
            '[#xevm.target<chip = "a770">]',
            None,
            "^<text>:1:1: error: #xevm.target: unknown device 'a770'; known are pvc, bmg",
        ),
        ('[#xevm.target<chip = "a770">]', "bmg", "unknown device 'a770'"),
    ],
)
def test_what_is_refused(targets: str, option: str | None, message: str) -> None:
    found = module(targets)
    for at in (found, next(functions(found))):
        with pytest.raises(XetileError, match=message):
            target_of(at, option)


def test_each_gpu_module_has_its_own_target() -> None:
    both = module('[#xevm.target<chip = "lnl">]', '[#xevm.target<chip = "ptl">]')
    assert [target_of(function).name for function in functions(both)] == ["lnl", "ptl"]
    assert subgroup_threads(both) == 16
    with pytest.raises(XetileError, match="several targets are named, lnl, ptl"):
        target_of(both)
    with pytest.raises(
        XetileError, match=r"<text>:6:1: .* is lnl, but the gpu.module is for ptl"
    ):
        target_of(both, "lnl")


def test_a_command_is_told_once_what_is_taken_and_python_never() -> None:
    with collected_remarks() as remarks:
        for _ in range(3):
            target_of(module(""))
            device_named(None, XeDevice)
    assert remarks == []
    with collected_remarks() as remarks, one_command():
        for at in (module(""), next(functions(module("", "")))):
            target_of(at)
            target_of(at, "bmg")
            subgroup_threads(at)
    assert remarks == [
        (
            "remark",
            1,
            f"the device is pvc, since nothing names one; choose among {', '.join(names())} with the option "
            "'device', or write the gpu.module's target, such as [#xevm.target<chip = \"bmg\">]",
        )
    ]


BMG = '[#xevm.target<chip = "bmg">]'


def test_modules_of_which_one_is_silent_need_a_word() -> None:
    message = (
        r"^<text>:6:1: error: the gpu.module names no target, another one names bmg; name it"
    )
    with pytest.raises(XetileError, match=message):
        target_of(module(BMG, ""))
    assert target_of(module(BMG, ""), "bmg").name == "bmg"
    assert target_of(module('[#xevm.target<chip = "pvc">]', "")).name == "pvc"


def test_where_no_option_fits_all_modules_it_is_not_advised() -> None:
    with pytest.raises(XetileError, match=r"bmg, cri; lower one gpu\.module at a time"):
        target_of(module(BMG, '[#xevm.target<chip = "cri">]'))


def test_a_target_among_the_attributes_counts() -> None:
    written = module('attributes {targets = [#xevm.target<chip = "bmg">]}')
    assert target_of(written).name == "bmg"
    with pytest.raises(XetileError, match=r"is pvc, but the gpu\.module is for bmg"):
        target_of(written, "pvc")


def test_code_of_one_kernel_asks_its_own_module() -> None:
    kernel = "gpu.func @{} (%A: memref<64x64xf16>) kernel {{\n gpu.return\n }}"
    both = xetile.parse(
        f"gpu.module @a {BMG} {{\n {kernel.format('first')}\n }}\n"
        f'gpu.module @b [#xevm.target<chip = "pvc">] {{\n {kernel.format("second")}\n }}\n'
    )
    for name, chip in (("first", "bmg"), ("second", "pvc")):
        one = only_kernel(both, name)
        assert target_of(one).name == chip
        assert "define" in str(emit(both, "ll", chip, kernel=name))
