"""Host code on numpy: functions that allocate, launch kernels and read the results."""
