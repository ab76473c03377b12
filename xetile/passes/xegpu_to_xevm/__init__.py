"""The parts of `convert-xegpu-to-xevm`: what values become, messages, vectors in registers."""
