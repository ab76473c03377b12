// RUN: xetile-opt --split-input-file --verify-diagnostics %s

func.func @cast(%a: i32) {
  // expected-error@+1 {{'input' is i32, 'output' is i64; one has to be index}}
  %0 = index.casts %a : i32 to i64
  return
}

// -----

func.func @predicate(%a: index) {
  // expected-error@+1 {{Expected `eq`}}
  %0 = index.cmp lt(%a, %a)
  return
}
