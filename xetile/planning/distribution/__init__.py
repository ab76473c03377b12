"""How values of a workgroup are dealt out to subgroups, and what that costs; prices are the target's."""
