// expected-error@+1 {{is never said}}
func.func private @first()

// -----

func.func @second(%a: i32) -> i64 {
  func.return %a : i32
}
