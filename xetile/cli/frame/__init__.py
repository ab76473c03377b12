"""The parts that all commands share: errors, options, files, streams and signals."""
