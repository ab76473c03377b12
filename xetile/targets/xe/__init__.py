"""Intel Xe GPUs: the devices, and the tables of what they do."""
