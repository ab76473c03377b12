"""Run upstream MLIR's passes on the module, as `-p 'mlir{pipeline="canonicalize,cse"}'`.

Before:

    %a = arith.addi %x, %y : index
    %b = arith.addi %x, %y : index
    "test.use"(%a, %b)

After, with `pipeline="cse"`:

    %a = arith.addi %x, %y : index
    "test.use"(%a, %a)

The module is at level xegpu or below. XeTile is unknown to upstream and refused, unless unregistered dialects are
allowed (`--allow-unregistered-dialect`): upstream then leaves ops that it does not know alone. An empty pipeline
only verifies.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass


@dataclass(frozen=True)
class MLIRPass(ModulePass):
    """Run upstream MLIR's passes on the module.

    Parameters:
        pipeline: passes in mlir-opt's notation, such as "canonicalize,cse"; needed.
    """

    name = "mlir"

    pipeline: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from xetile.toolchain.mlir import run_passes

        result = run_passes(op, self.pipeline, allow_unregistered=ctx.allow_unregistered)
        body = result.detach_region(result.body)
        op.detach_region(op.body).drop_all_references()
        op.add_region(body)
        op.attributes = result.attributes
        op.properties = result.properties
