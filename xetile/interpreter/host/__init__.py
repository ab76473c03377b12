"""Host code: functions that allocate, launch kernels and look at the results, on numpy."""
