// What --explain prints, and what does not go with it.

// RUN: xetile-compile %examples/gemm_f16_plain.mlir --device bmg --explain | FileCheck %s --check-prefix=GEMM --match-full-lines --strict-whitespace
//      GEMM:memory: tiles, and what one subgroup moves in one round
// GEMM-NEXT:  at                               matrix  workgroup  subgroup  messages             bytes  in
// GEMM-NEXT:  gemm_f16_plain.mlir:39:7  load   A f16      256x32     32x32  1 of 32x16x2         2,048  loop 1
// GEMM-NEXT:  gemm_f16_plain.mlir:40:7  load   B f16      32x256     32x64  2 of 32x16x2 packed  4,096  loop 1
// GEMM-NEXT:  gemm_f16_plain.mlir:51:5  store  C f32     256x256     32x64  16 of 8x16           8,192
//      GEMM:loops: what one subgroup does in one round
// GEMM-NEXT:           at                        rounds  emitted           dpas  loads  stores  bytes
// GEMM-NEXT:  loop 1   gemm_f16_plain.mlir:36:5     128  16 rounds in one    32      3       0  6,144
// GEMM-NEXT:  outside                                                         0      0      16  8,192
//      GEMM:work of a workgroup
// GEMM-NEXT:  flops of dpas          536,870,912
// GEMM-NEXT:  bytes of its tiles       4,456,448  120.5 flops a byte
// GEMM-NEXT:  bytes of its messages   25,427,968  21.1 flops a byte
//      GEMM:registers of 64 bytes, by estimate: 225 live at once, at gemm_f16_plain.mlir:40:7
// GEMM-NEXT:  large file: 256 of a thread, 251 live ones spill nothing; IGC counts 258, with copies
// GEMM-NEXT:   128  gemm_f16_plain.mlir:42:7  tile_mma
//      GEMM:between lanes and registers: nothing moves

// RUN: env XETILE_OCLOC= xetile-compile %examples/gemm_int8_weights.mlir --device bmg --explain -o %t.txt --unroll 1 --grf large
// RUN: FileCheck %s --check-prefix=WEIGHTS --input-file=%t.txt
//      WEIGHTS: between subgroups: values that change their owners, by sg_layout x sg_data
// WEIGHTS-NEXT:   gemm_int8_weights.mlir:46:7  xetile.tile_broadcast of 1x256xf16 from [4, 4] x [1, 64] to [2, 8] x [1, 32]
// WEIGHTS-NEXT:     by loading or making it so

// RUN: not xetile-compile %examples/softmax.mlir --explain --emit asm 2>&1 | FileCheck %s --check-prefix=EMIT
// EMIT: xetile-compile: error: --explain prints an explanation in place of code and counts; leave out --emit
// RUN: not xetile-compile %examples/softmax.mlir --explain --stats 2>&1 | FileCheck %s --check-prefix=STATS
// STATS: xetile-compile: error: --explain prints an explanation in place of code and counts; leave out --stats
// RUN: not xetile-compile %examples/softmax.mlir --explain --device bmg,pvc 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: xetile-compile: error: --explain takes one input and one device, and no folder; leave out --jobs and --force
