"""Linear layouts themselves: the algebra, which knows no hardware."""
