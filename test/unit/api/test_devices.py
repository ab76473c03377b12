"""`xetile.execute(..., on=)`: what is opened and closed, what is refused, what a device computes."""

import numpy
import pytest
from support.made_up_device import MadeUpDevice

import xetile
from xetile.runtime import devices


@pytest.fixture
def arrays() -> list[numpy.ndarray]:
    generator = numpy.random.default_rng(0)
    a, b = (generator.standard_normal((64, 64)).astype(numpy.float16) for _ in range(2))
    return [a, b, numpy.zeros((64, 64), numpy.float32)]


MODULE = xetile.kernels.gemm_module(
    m=64, n=64, k=64, workgroup_tile=(32, 32), subgroup_tile=(16, 16)
)


def test_a_name_is_opened_for_the_call_and_a_device_stays_open(
    arrays: list[numpy.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    named, opened = MadeUpDevice(), MadeUpDevice()

    def by_name(name: str) -> MadeUpDevice:
        return named

    monkeypatch.setattr(devices, "open_device", by_name)
    xetile.execute(MODULE, "gemm", *arrays, on="opencl:cpu", device="bmg")
    xetile.execute(MODULE, "gemm", *arrays, on=opened, device="bmg", grid=(1, 2, 1))
    assert [named.is_closed, opened.is_closed] == [True, False]
    assert [len(device.launches) for device in (named, opened)] == [1, 1]
    assert opened.launches[0][2:] == ((1, 2, 1), (64, 1, 1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"device": "bmg"}, "device='bmg' goes with on=: on numpy a kernel is executed at its own level, for no device"),
        ({"on": "cpu"}, "unknown device 'cpu'; expected opencl:cpu, opencl:gpu or opencl:gpu:N; did you mean 'opencl:cpu'?"),
        ({"on": "bmg"}, "'bmg' is what to compile for, which device says; expected where to run: opencl:cpu, opencl:gpu or opencl:gpu:N"),
        ({"on": MadeUpDevice(), "sanitize": True}, "sanitize=True watches what is executed on numpy; leave out on="),
        ({"on": 3}, "expected the name of a device, found int"),
        ({"on": MadeUpDevice(), "device": "bgm"}, "unknown device 'bgm'; known are pvc, bmg, lnl, ptl, cri; did you mean 'bmg'?"),
    ],
)  # fmt: skip
def test_what_is_refused(
    arrays: list[numpy.ndarray], options: dict[str, object], message: str
) -> None:
    with pytest.raises(xetile.XetileError) as refused:
        xetile.execute(MODULE, "gemm", *arrays, **options)  # pyright: ignore[reportCallIssue, reportArgumentType]
    assert refused.value.message == message


def test_arguments_that_do_not_fit(arrays: list[numpy.ndarray]) -> None:
    lowered = xetile.lower(MODULE, to="llvm", device="bmg")
    for module in (MODULE, lowered):
        with pytest.raises(xetile.XetileError, match="the array has shape"):
            xetile.execute(module, "gemm", *arrays[:2], arrays[2][:8], on=MadeUpDevice(), device="bmg")  # fmt: skip
        with pytest.raises(
            xetile.XetileError, match=r"the kernel takes 3 arguments \(memref<64x64xf16>, "
        ):
            xetile.execute(module, "gemm", *arrays[:2], on=MadeUpDevice(), device="bmg")  # fmt: skip


@pytest.mark.opencl
def test_a_device_gives_the_bits_of_numpy(arrays: list[numpy.ndarray]) -> None:
    a, b, wanted = arrays
    found = wanted.copy()
    xetile.execute(MODULE, "gemm", a, b, wanted)
    assert wanted.any()
    with xetile.open_device("opencl:cpu") as device:
        xetile.execute(MODULE, "gemm", a, b, found, on=device, device="bmg")
    assert (found == wanted).all()
    assert xetile.list_devices()[0].name == "opencl:cpu"
