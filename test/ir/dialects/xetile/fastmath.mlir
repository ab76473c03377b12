// RUN: xetile-opt %s | xetile-opt | FileCheck %s
// RUN: xetile-opt --print-op-generic %s | xetile-opt | FileCheck %s
// RUN: xetile-opt --print-op-generic %s | FileCheck %s --check-prefix=GENERIC

// CHECK: xetile.tile_reduce <maximumf>, %{{.*}} [1] {fastmath = #arith.fastmath<nnan,nsz>} : vector<8x16xf32>
// GENERIC: "xetile.tile_reduce"(%{{.*}}) <{{.*}}fastmath = #arith.fastmath<nnan,nsz>
func.func @flags(%v: vector<8x16xf32>) {
  %r = xetile.tile_reduce <maximumf>, %v [1] {fastmath = #arith.fastmath<nsz, nnan>} : vector<8x16xf32> -> vector<8x1xf32>
  return
}
