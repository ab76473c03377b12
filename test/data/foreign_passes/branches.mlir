func.func @branches(%a: i32, %b: i32) -> i32 {
  %less = arith.cmpi slt, %a, %b : i32
  %r = scf.if %less -> (i32) {
    %x = arith.addi %a, %b : i32
    scf.yield %x : i32
  } else {
    %x = arith.subi %a, %b : i32
    scf.yield %x : i32
  }
  %s = arith.select %less, %r, %a : i32
  func.return %s : i32
}
