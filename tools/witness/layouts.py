"""The calls of `xetile-layout`: its commands, options, drawings and refusals."""

BLOCKED = (
    "'#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 4], warpsPerCTA = [2, 1], "
    "order = [1, 0]}>'"
)
WIDE = (
    "'#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [1, 16], warpsPerCTA = [2, 1], "
    "order = [1, 0]}>'"
)
TALL = (
    "'#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 1], warpsPerCTA = [1, 2], "
    "order = [0, 1]}>'"
)
SLICE = f"'#ttg.slice<{{dim = 0, parent = {BLOCKED[1:-1]}}}>'"
NVMMA = (
    "'#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>'"
)
XEGPU = "'#xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>'"
WG_MAP = "'#xetile.wg_map<sg_layout = [2, 2], sg_data = [8, 16]>'"

ON_A_DEVICE = (
    "block-load --device {device} --dtype f16 --operand A --shape 32x32",
    "block-load --device {device} --dtype f16 --operand B --shape 32x64 --warps 1x2 --rep 1x2 --json",
    "block-load --device {device} --dtype i8 --operand A --shape 32x64 --html out.html --svg out.svg",
    "block-load --device {device} --dtype tf32 --operand B --shape 16x32 --transposed",
    "block-load --device {device} --dtype bf16 --operand B --shape 32x64 --transposed --mask 1x16",
    "block-load --device {device} --dtype f16 --operand C --shape 16x32 --repeat-count 4",
    "block-load --device {device} --dtype f64 --operand A --shape 32x32",
)

ANYWHERE = (
    f"-l {BLOCKED} -t 'tensor<16x16xf16>'",
    f"-l {BLOCKED} -t 'tensor<16x16xf16>' -use-hw-view",
    f"-l {BLOCKED} -l {SLICE} -t 'tensor<16xf16>'",
    f"-l {SLICE} -t 'tensor<16xf16>' --view bases --view hardware --json",
    f"-l {WIDE} -t 'tensor<8x64xf32>' --view matrix --view bases --view tensor --html out.html",
    f"-l {TALL} -t 'tensor<128x4xbf16>' --svg out.svg -o out.txt",
    f"-l {XEGPU} -t 'tensor<8x16xf16>' --view hardware --view bases",
    f"-l {WG_MAP} -t 'tensor<16x32xf16>' --view tensor --subgroup",
    '--bases \'{"register": [[0, 1], [1, 0]], "lane": [[2, 0], [0, 2]]}\' --view bases',
    f"convert {BLOCKED} {WIDE} -t 'tensor<16x64xf16>'",
    f"convert {WIDE} {TALL} -t 'tensor<64x64xf16>' --html out.html --svg out.svg",
    f"convert {WIDE} {TALL} -t 'tensor<64x64xf32>' --json",
    "wgmma --dtype bf16 --major K --swizzle 128 --shape 64x64 --html out.html",
    "wgmma --dtype bf16 --major MN --swizzle 0 --shape 16x16 --leading 128 --stride 0x100 --json",
    f"wgmma -l {NVMMA} -t 'tensor<128x64xbf16>' --svg out.svg",
    "wgmma --descriptor 0x4000004000010000",
    "wgmma --dtype tf32 --major K --swizzle 32 --shape 16x16",
    "wgmma --descriptor 0xffff",
    "block-load --device a770 --dtype f16 --operand A --shape 32x32",
    f"convert {BLOCKED} -t 'tensor<16x64xf16>'",
    "-l '#ttg.amd_mfma<{}>' -t 'tensor<16x16xf16>'",
    "frobnicate",
    "--help",
    "block-load --help",
    "convert --help",
    "wgmma --help",
)


def layout_commands(device: str) -> list[str]:
    """The command lines for a device; those that need none come with bmg."""
    calls = [call.replace("{device}", device) for call in ON_A_DEVICE]
    calls += ANYWHERE if device == "bmg" else ()
    return [f"xetile-layout {call}" for call in calls]
