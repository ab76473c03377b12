"""The distribution of a workgroup's values over subgroups and its cost. The target sets the prices."""
