"""Registers of kernels of the llvm dialect, and those of products beside what IGC counted."""

from functools import cache

import pytest
from support.passes import *
