"""Which wg_map each value has: inference, contradictions, advice."""
