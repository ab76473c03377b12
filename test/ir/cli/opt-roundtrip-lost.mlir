// Attributes of a yield without values are not printed, as mlir-opt 22 has it: only the check tells.
// RUN: not xetile-opt --verify-roundtrip %s 2>&1 | FileCheck %s --check-prefix=LOST
// LOST: opt-roundtrip-lost.mlir:1:1: error: --verify-roundtrip: what was read differs from what is read back after printing it
func.func @f(%n: index) {
  "scf.for"(%n, %n, %n) ({
  ^bb0(%i: index):
    "scf.yield"() {some.thing = 1 : i32} : () -> ()
  }) : (index, index, index) -> ()
  func.return
}
