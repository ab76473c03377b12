func.func @wrong(%a: i32) -> i64 {
  func.return %a : i32
}
