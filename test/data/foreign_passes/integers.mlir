func.func @integers(%a: i32, %b: i32) -> i64 {
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant 5 : i32
  %dead = arith.muli %a, %b : i32
  %sum = arith.addi %c3, %c5 : i32
  %once = arith.muli %a, %sum : i32
  %twice = arith.muli %a, %sum : i32
  %quotient = arith.divsi %once, %c3 : i32
  %rest = arith.remsi %twice, %c5 : i32
  %shifted = arith.shli %quotient, %c3 : i32
  %low = arith.minsi %shifted, %rest : i32
  %wide = arith.extsi %low : i32 to i64
  %index = arith.index_cast %wide : i64 to index
  %back = arith.index_cast %index : index to i64
  func.return %back : i64
}
