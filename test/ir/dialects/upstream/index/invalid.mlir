// RUN: xetile-opt --split-input-file --verify-diagnostics %s

func.func @cast(%a: i32) {
  // expected-error@+1 {{'input' is i32, 'output' is i64; one has to be index}}
  %0 = index.casts %a : i32 to i64
  return
}

// -----

func.func @predicate(%a: index) {
  // expected-error@+1 {{expected one of eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge, found 'lt'; did you mean 'slt'?}}
  %0 = index.cmp lt(%a, %a)
  return
}
