"""Dialects of upstream MLIR, with the ops, forms and checks that xDSL lacks or gets wrong."""
