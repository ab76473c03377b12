"""The parts of `convert-xetile-to-xegpu`: what values become, tiles and their messages, vectors of blocks."""
