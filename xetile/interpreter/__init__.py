"""Execution on numpy, the oracle for every level of IR: `execute` launches a kernel, `execute_host` runs host code."""

from xetile.interpreter.launcher import (
    count_bank_conflicts,
    execute,
    execute_host,
    execute_in_field,
)

__all__ = ["count_bank_conflicts", "execute", "execute_host", "execute_in_field"]
