// Steps along what is summed, vectors with masks.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    %op = transform.structured.match interface{LinalgOp} in %f : (!transform.any_op) -> !transform.any_op
    %tk, %lk = transform.structured.tile_using_for %op tile_sizes [0, 0, 32] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %tk vector_sizes [32, 64, 32] {create_named_contraction} : !transform.any_op
    %g = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %g { transform.apply_patterns.canonicalization } : !transform.any_op
    transform.yield
  }
}
