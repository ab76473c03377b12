// RUN: xetile-opt %s '--xetile-wg-to-sg=print-plan=true loads=mapped' 2>&1 >%t | FileCheck %s
// RUN: xetile-opt %s '--xetile-wg-to-sg=exchange-bytes=1 loads=mapped' 2>&1 >%t | FileCheck %s --check-prefix=LEAST

// An exchange has what the program's own buffers leave of shared memory: 64 KiB of 128, so that 256 KiB go in four bands.
// Where units are larger than what an exchange shall take, a warning says so.

#quarters = #xetile.wg_map<sg_layout = [8, 4], sg_data = [32, 64]>
#rows = #xetile.wg_map<sg_layout = [32, 1], sg_data = [8, 256]>
!quarters = !xetile.tile<256x256xf32, #xetile.tile_attr<wg_map = #quarters>>
!rows = !xetile.tile<256x256xf32, #xetile.tile_attr<wg_map = #rows>>

// LEAST: warning: this exchange takes 32768 bytes of shared memory, where it shall take 1
// CHECK: through shared memory: 1 buffer of 65536 bytes, {{.*}}4 bands
gpu.module @m [#xevm.target<chip = "bmg">] {
  gpu.func @k(%A: memref<256x256xf32>, %B: memref<256x256xf32>) workgroup(%own: memref<64x256xf32, 3>) kernel {
    %t = xetile.init_tile %A[0, 0] : memref<256x256xf32> -> !quarters
    %v = xetile.load_tile %t : !quarters -> vector<256x256xf32>
    %w = xetile.tile_conv_layout %v {wg_map_result = #rows} : vector<256x256xf32>
    %u = xetile.init_tile %B[0, 0] : memref<256x256xf32> -> !rows
    xetile.store_tile %w, %u : vector<256x256xf32>, !rows
    gpu.return
  }
}
