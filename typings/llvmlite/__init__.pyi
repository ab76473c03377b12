# The part of llvmlite 0.50 that xetile uses; llvmlite has no types of its own.
