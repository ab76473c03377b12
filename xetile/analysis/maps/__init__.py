"""The wg_map of each value: inference, contradictions, advice."""
