func.func @main() -> i64 {
  %one = arith.constant 1 : i64
  func.return %one : i64
}
