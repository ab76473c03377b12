"""What xDSL lacks or breaks of the dialects that upstream MLIR owns."""
