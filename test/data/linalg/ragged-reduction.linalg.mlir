// The largest of each row and of what is there, of sizes that no tile divides.
func.func @reduction(%X: memref<100x72xf32>, %Y: memref<100xf32>) {
  linalg.reduce { arith.maximumf } ins(%X : memref<100x72xf32>) outs(%Y : memref<100xf32>) dimensions = [1]
  return
}
