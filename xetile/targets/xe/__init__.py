"""Intel Xe GPUs: the devices, and the tables of their abilities."""
