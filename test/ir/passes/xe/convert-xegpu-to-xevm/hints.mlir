// Hints of accesses to shared memory have no effect, which the user is told once for each access.
//
// RUN: xetile-opt --split-input-file --verify-diagnostics --convert-xegpu-to-xevm="device=bmg" %s

gpu.module @m {
  gpu.func @shared(%A: memref<16xf32>) workgroup(%S : memref<64xf32, 3>) kernel {
    %s = vector.step : vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    // expected-remark @below {{'xegpu.prefetch' from shared memory is left out; no cache stands in front of it}}
    xegpu.prefetch %S[%s] <{l1_hint = #xegpu.cache_hint<cached>}> : memref<64xf32, 3>, vector<16xindex>
    // expected-warning @below {{'l1_hint' has no effect on shared memory, which no cache stands in front of}}
    %v = xegpu.load %S[%s], %m <{l1_hint = #xegpu.cache_hint<cached>}> : memref<64xf32, 3>, vector<16xindex>, vector<16xi1> -> vector<16xf32>
    // expected-warning @below {{'l3_hint' has no effect on shared memory, which no cache stands in front of}}
    xegpu.store %v, %S[%s], %m <{l3_hint = #xegpu.cache_hint<uncached>}> : vector<16xf32>, memref<64xf32, 3>, vector<16xindex>, vector<16xi1>
    xegpu.store %v, %A[%s], %m : vector<16xf32>, memref<16xf32>, vector<16xindex>, vector<16xi1>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @wrong(%A: memref<16xf32>) kernel {
    %s = vector.step : vector<16xindex>
    %m = arith.constant dense<true> : vector<16xi1>
    %v = xegpu.load %A[%s], %m : memref<16xf32>, vector<16xindex>, vector<16xi1> -> vector<16xf32>
    // expected-error @below {{'xegpu.store' has l1_hint cached; expected one of uncached, write_back, write_through}}
    xegpu.store %v, %A[%s], %m <{l1_hint = #xegpu.cache_hint<cached>}> : vector<16xf32>, memref<16xf32>, vector<16xindex>, vector<16xi1>
    gpu.return
  }
}
