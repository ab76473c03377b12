import pytest
from xdsl.transforms import get_all_passes

from xetile.cli.opt.pipeline_spec import (
    Nested,
    Step,
    collect_pipeline,
    parse_passes,
    parse_steps,
)
from xetile.errors import XetileError
from xetile.passes import PASSES
from xetile.passes.xe.convert_xegpu_to_xevm import ConvertXeGPUToXeVM
from xetile.universe import XETILE_UNIVERSE

KNOWN = ("cse", "xetile-blocking")


@pytest.mark.parametrize(
    ("arguments", "rest", "pieces"),
    [
        (["x.mlir", "--cse"], ["x.mlir"], ["cse"]),
        (
            ["--xetile-blocking=device=bmg", "--cse"],
            [],
            ["xetile-blocking{device=bmg}", "cse"],
        ),
        (["--cse", "-p", "a,b", "--cse"], [], ["cse", "a,b", "cse"]),
        (["-p=a", "-pb", "--passes=c"], [], ["a", "b", "c"]),
        (["--pass-pipeline=builtin.module(cse,gpu.module(a))"], [], ["cse,gpu.module(a)"]),
        (["--pass-pipeline", "cse"], [], ["cse"]),
        (["--unknown", "-o", "out"], ["--unknown", "-o", "out"], []),
        (["-p", ""], [], []),
    ],
)
def test_passes_are_taken_in_order(
    arguments: list[str], rest: list[str], pieces: list[str]
) -> None:
    assert collect_pipeline(arguments, KNOWN) == (rest, pieces)


@pytest.mark.parametrize("option", ["-p", "--passes", "--pass-pipeline"])
def test_an_option_without_its_value(option: str) -> None:
    with pytest.raises(XetileError, match=f"argument {option}: expected a list of passes"):
        collect_pipeline([option], KNOWN)


def told(steps: tuple[Step, ...]) -> list[object]:
    return [
        (s.anchor, told(s.steps)) if isinstance(s, Nested) else str(s.pipeline_pass_spec())
        for s in steps
    ]


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("cse,dce", ["cse", "dce"]),
        ("gpu.module(gpu.func(cse)),dce", [("gpu.module", [("gpu.func", ["cse"])]), "dce"]),
        ('any( mlir{pipeline="a(,"} , cse)', [("any", ['mlir{pipeline="a(,"}', "cse"])]),
        ("", list[object]()),
    ],
)
def test_steps(text: str, steps: list[object]) -> None:
    assert told(parse_steps(text, XETILE_UNIVERSE.all_passes | get_all_passes())) == steps


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("--pass-pipeline", "func.func(cse)", "anchored on 'func.func' and cannot run on"),
        ("--pass-pipeline", "a,any(b)", r"write builtin\.module\(a,any\(b\)\)$"),
        ("--pass-pipeline", "builtin.module(a)b", "text behind its closing parenthesis$"),
        ("-p", "func.func(cse)", "anchors belong to --pass-pipeline; write "),
        ("-p", "a,,b", "no pass stands beside a comma in 'a,,b'$"),
        ("--pass-pipeline", "", r"expected passes, such as builtin\.module\(cse\), found ''$"),
        (
            "--pass-pipeline",
            " ",
            r"expected passes, such as builtin\.module\(cse\), found ' '$",
        ),
    ],
)
def test_misplaced_anchors(option: str, text: str, message: str) -> None:
    with pytest.raises(XetileError, match=message):
        collect_pipeline([option, text], KNOWN)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--pass-pipeline=any(a)", "--cse"],
            "^--pass-pipeline says the whole pipeline, which --cse would be beside; write the pass into it$",
        ),
        (
            ["--xetile-blocking=device=bmg", "--pass-pipeline", "any(a)"],
            "^--pass-pipeline says the whole pipeline, which --xetile-blocking would be beside; write the pass into it$",
        ),
        (
            ["-pa", "--pass-pipeline=any(a)"],
            "^--pass-pipeline says the whole pipeline, which -p would be beside; write the pass into it$",
        ),
        (
            ["--pass-pipeline=any(a)", "--pass-pipeline=any(b)"],
            "^--pass-pipeline is given twice; write one pipeline$",
        ),
    ],
)
def test_a_whole_pipeline_stands_alone(arguments: list[str], message: str) -> None:
    """mlir-opt refuses flags beside it, and of two pipelines drops the first."""
    with pytest.raises(XetileError, match=message):
        collect_pipeline(arguments, KNOWN)


@pytest.mark.parametrize("text", ["func.func()", "cse,any( ),cse", "gpu.module(gpu.func())"])
def test_an_anchor_without_passes(text: str) -> None:
    with pytest.raises(
        XetileError, match=r"^pass pipeline: no pass stands in '[a-z.]+\( ?\)'$"
    ):
        parse_steps(text, XETILE_UNIVERSE.all_passes | get_all_passes())


@pytest.mark.parametrize("text", ["builtin.module(a", "a)", "a{x=(}", 'a{"', "m(a)b"])
def test_unbalanced_pipelines_are_refused(text: str) -> None:
    with pytest.raises(XetileError, match=r"^pass pipeline: "):
        parse_steps(text, XETILE_UNIVERSE.all_passes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cses", r"^unknown pass 'cses'; did you mean 'cse'\?$"),
        ("cse{x=1}", "^pass 'cse' has no option 'x'; its options: none$"),
        ("a b", "^pass pipeline 'a b': expected a comma or pass arguments here; write it as"),
        (
            "scf-for-loop-unroll,{",
            "^pass pipeline 'scf-for-loop-unroll,{': expected pass name",
        ),
        (
            "canonicalize{max-iterations=1}",
            "^pass 'canonicalize' has no option 'max-iterations'; its options: none$",
        ),
        (
            "canonicalize{max_iterations=1}",
            "^pass 'canonicalize' has no option 'max_iterations'; its options: none$",
        ),
        ("licm,cse{x x}", "^pass 'cse': the option 'x' is given twice; write it once$"),
        (
            "convert-stencil-to-csl-stencil{num-chunks=a}",
            "^pass 'convert-stencil-to-csl-stencil': ",
        ),
    ],
)
def test_wrong_pipelines(text: str, message: str) -> None:
    with pytest.raises(XetileError, match=message):
        parse_passes(text, get_all_passes())


def test_a_missing_option_is_named() -> None:
    with pytest.raises(XetileError, match=r"^pass 'mlir' needs the option 'pipeline' "):
        parse_passes("mlir", XETILE_UNIVERSE.all_passes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("exchange_bytes=all", "option 'exchange-bytes' is all, expected a whole number"),
        ("exchange_bytes=1,2", "option 'exchange-bytes' is 1,2, expected a whole number"),
        (
            "exchange_bytes",
            "option 'exchange-bytes' is without a value, expected a whole number",
        ),
        ("exchange_bytes=true", "option 'exchange-bytes' is true, expected a whole number"),
        ("exchange_bytes=0", "exchange_bytes is 0, expected at least 1"),
    ],
)
def test_wrong_values_of_options(options: str, message: str) -> None:
    with pytest.raises(XetileError) as caught:
        parse_passes(f"xetile-wg-to-sg{{{options}}}", XETILE_UNIVERSE.all_passes)
    assert str(caught.value) == f"pass 'xetile-wg-to-sg': {message}"


def test_a_switch_is_true_or_false() -> None:
    with pytest.raises(XetileError, match=r"'upstream-plan' is 3, expected true or false$"):
        parse_passes(
            "convert-xetile-to-xegpu{device=bmg upstream-plan=3}", XETILE_UNIVERSE.all_passes
        )


def test_a_number_that_may_be_left_out_is_a_whole_number() -> None:
    with pytest.raises(XetileError, match=r"option 'unroll' is x, expected a whole number$"):
        parse_passes("xetile-to-llvm{device=bmg unroll=x}", XETILE_UNIVERSE.all_passes)


def test_a_switch_that_is_named_is_on() -> None:
    (found,) = parse_passes("convert-xegpu-to-xevm{print-layouts}", XETILE_UNIVERSE.all_passes)
    assert str(found) == str(ConvertXeGPUToXeVM(print_layouts=True))


@pytest.mark.parametrize("name", PASSES)
def test_every_listed_pass_is_there(name: str) -> None:
    assert XETILE_UNIVERSE.all_passes[name]().name == name


@pytest.mark.parametrize(
    ("specification", "message"),
    [
        (
            "xetile-to-xegpu{device=}",
            "pass pipeline 'xetile-to-xegpu{device=}': the option 'device' has no value behind '='",
        ),
        (
            "xetile-to-xegpu{device=bmg,pvc}",
            "pass 'xetile-to-xegpu': option 'device' is bmg,pvc, expected one of pvc, bmg, lnl, ptl, cri",
        ),
        (
            "xetile-to-xegpu{device}",
            "pass 'xetile-to-xegpu': option 'device' is without a value, expected one of pvc, bmg, lnl, ptl, cri",
        ),
        (
            "xetile-to-xegpu{devise=bmg}",
            "pass 'xetile-to-xegpu' has no option 'devise'; its options: device, assume; did you mean 'device'?",
        ),
        (
            "xegpu-wg-to-sg-distribute",
            "unknown pass 'xegpu-wg-to-sg-distribute'; did you mean 'xetile-wg-to-sg'?",
        ),
    ],
)
def test_wrong_pipelines_say_what_is_legal(specification: str, message: str) -> None:
    with pytest.raises(XetileError) as caught:
        parse_passes(specification, dict(XETILE_UNIVERSE.all_passes))
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ("device=bmg device=pvc", "device"),
        ("device=bmg device=bmg", "device"),
        ("upstream-plan device=bmg upstream-plan=true", "upstream-plan"),
        ("upstream-plan=true upstream_plan=false", "upstream_plan"),
    ],
)
def test_an_option_given_twice(options: str, name: str) -> None:
    said = (
        f"^pass 'convert-xetile-to-xegpu': the option '{name}' is given twice; write it once$"
    )
    with pytest.raises(XetileError, match=said):
        parse_passes(
            f"cse,convert-xetile-to-xegpu{{{options}}}", dict(XETILE_UNIVERSE.all_passes)
        )
