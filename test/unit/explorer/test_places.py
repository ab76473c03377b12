"""What an exploration says of elements' places is where the interpreter has them: 200 elements of each kernel, and more.

Every element of every part is compared too, so a place that is missing from the 200 does not hide one that is wrong.
"""

import pytest
from support.explored_kernels import (
    ELEMENTS,
    explored_case,
    wrong_in_registers,
    wrong_in_subgroups,
    wrong_of_chosen,
)
from support.tiled.kernels import FAMILIES

BY_NAME = {case.name: case for cases in FAMILIES.values() for case in cases()}
CASES = [
    *("gemm_f16_a_rows_b_transposed", "gemm_f16_a_transposed_b_rows", "gemm_f16_a_columns_b_columns"),
    *("gemm_bf16_a_columns_b_columns", "gemm_i8_a_transposed_b_transposed", "gemm_row_bias"),
    *("mma_tf32_tf32_f32_16x32x16", "mma_i8_i8_i32_16x32x64", "mma_f16_f16_f32_12x16x16"),
    *("softmax", "layer_norm", "flash_attention", "attention_d64_k_by_keys_128_keys_16_rows"),
    *("gemm_int8_weights", "gemm_i8_weights", "gemm_i4_weights", "gemm_f16_through_shared_memory"),
    *("rows_gathered_f16", "rows_scattered_f32", "transposed_f16_in_rows_of_32", "prefetch_f16"),
    *("columns_stored_f16", "broadcast_column_f32", "carried_rows_24", "copy_over_edges_f16"),
]  # fmt: skip
"""Products of all types, transposed and computed operands, rows, attention, weights, gathers, and single ops."""

PVC = ["gemm_f16_a_rows_b_transposed", "softmax", "flash_attention", "gemm_int8_weights", "rows_gathered_f16"]  # fmt: skip
DEVICES = [*((name, "bmg") for name in CASES), *((name, "pvc") for name in PVC)]


@pytest.mark.parametrize("name, device", DEVICES)
def test_elements_are_where_the_holdings_say(name: str, device: str) -> None:
    one = explored_case(BY_NAME[name], device)
    count, wrong = wrong_in_registers(one)
    assert count > ELEMENTS
    assert not wrong
    if "W" in one.found:
        units, others = wrong_in_subgroups(one)
        assert units
        assert not others
        found, missed = wrong_of_chosen(one)
        assert found > ELEMENTS // 2
        assert not missed
