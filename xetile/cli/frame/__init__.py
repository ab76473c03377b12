"""What all commands share: errors, options, files, streams and signals."""
