// A tile that will spill is told of where the kernel is written and where it is compiled, at the product.

// RUN: xetile-kernel gemm --m 512 --n 512 --k 512 --a tf32 --wg 64x128 --sg 32x64 --k-step 32 -o %t.mlir 2>&1 | FileCheck %s --check-prefix KERNEL
// RUN: xetile-compile %t.mlir --device pvc -o %t.spv 2>&1 | FileCheck %s --check-prefix COMPILE
// RUN: xetile-kernel gemm --m 512 --n 512 --k 512 --a tf32 --wg 64x128 --sg 32x64 --k-step 16 -o %t.mlir 2>&1 | FileCheck %s --check-prefix SMALLER
// RUN: xetile-opt --xetile-to-xevm="device=bmg" %t.mlir | xetile-opt --convert-xevm-to-llvm=print-registers=true 2>&1 >/dev/null | FileCheck %s --check-prefix PRINTED

// KERNEL: {{.*}}.mlir:{{[0-9]+}}:9: warning: a subgroup multiplies a tile of 32x64x32 (MxNxK); about 289 registers of 64 bytes are live here at once, and a thread has 256: some will be spilled to memory; a tile of 32x64x16 has about 225
// KERNEL-NEXT: %{{.+}} = xetile.tile_mma
// COMPILE: {{.*}}.mlir:{{[0-9]+}}:9: warning: a subgroup multiplies a tile of 32x64x32 (MxNxK); about 289 registers
// SMALLER-NOT: warning
// PRINTED: @gemm: 225 registers of 64 bytes live at once, most in line {{[0-9]+}}; 242 with copies, as IGC counts
