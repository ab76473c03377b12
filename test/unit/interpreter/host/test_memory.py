"""What types cannot say of memory on the host is checked when executing, at the op."""

import time

import numpy as np
import pytest

from xetile.api import parse_text
from xetile.dialects.modules import parse
from xetile.errors import XetileError
from xetile.interpreter import execute_host
from xetile.interpreter.host import loops
from xetile.interpreter.host.loops import CompiledLoop

ARGUMENTS = "%a: memref<16xi32>, %n: index, %m: index"

WRONG = {
    "a size below 0": (
        "%b = memref.reinterpret_cast %a to offset: [8], sizes: [%n], strides: [1] : "
        "memref<16xi32> to memref<?xi32, strided<[1], offset: 8>>",
        (-1, 0),
        "'memref.reinterpret_cast' makes a memref with extent -1 in dimension 0; expected none below 0",
    ),
    "a size below 0 beside one of 0": (
        "%b = memref.reinterpret_cast %a to offset: [8], sizes: [%n, 0], strides: [1, 1] : "
        "memref<16xi32> to memref<?x0xi32, strided<[1, 1], offset: 8>>",
        (-1, 0),
        "'memref.reinterpret_cast' makes a memref with extent -1 in dimension 0; expected none below 0",
    ),
    "more than there is": (
        "%b = memref.reinterpret_cast %a to offset: [8], sizes: [%n], strides: [1] : "
        "memref<16xi32> to memref<?xi32, strided<[1], offset: 8>>",
        (9, 0),
        "'memref.reinterpret_cast' reaches bytes 32 to 67 of argument 0, which has 64",
    ),
    "another buffer": (
        "%b = memref.reinterpret_cast %a to offset: [%n], sizes: [1], strides: [1] : "
        "memref<16xi32> to memref<1xi32, strided<[1], offset: ?>>",
        (1 << 38, 0),
        "'memref.reinterpret_cast' reaches bytes 1099511627776 to 1099511627779 of argument 0, "
        "which has 64",
    ),
    "a part outside": (
        "%b = memref.subview %a[%n] [4] [%m] : memref<16xi32> to "
        "memref<4xi32, strided<[?], offset: ?>>",
        (2, 5),
        "the subview reaches 2 to 17 in dimension 0 of extent 16",
    ),
    "a part before": (
        "%b = memref.subview %a[%n] [4] [1] : memref<16xi32> to "
        "memref<4xi32, strided<[1], offset: ?>>",
        (-1, 0),
        "the subview reaches -1 to 2 in dimension 0 of extent 16",
    ),
    "a cast that is not so": (
        "%v = memref.subview %a[0] [%n] [1] : memref<16xi32> to memref<?xi32, strided<[1]>>\n"
        "%b = memref.cast %v : memref<?xi32, strided<[1]>> to memref<8xi32, strided<[1]>>",
        (7, 0),
        "'memref.cast' makes a memref with extent 7 in dimension 0, its type is "
        "memref<8xi32, strided<[1]>>",
    ),
    "split to other extents": (
        "%v = memref.cast %a : memref<16xi32> to memref<?xi32>\n"
        "%b = memref.expand_shape %v [[0, 1]] output_shape [%n, %m] : memref<?xi32> into "
        "memref<?x?xi32>",
        (4, 5),
        "dimension 0 of extent 16 is split to extents [4, 5]",
    ),
    "split to other extents that are constants": (
        "%v = memref.cast %a : memref<16xi32> to memref<?xi32>\n"
        "%b = memref.expand_shape %v [[0, 1]] output_shape [3, 5] : memref<?xi32> into "
        "memref<?x5xi32>",
        (0, 0),
        "dimension 0 of extent 16 is split to extents [3, 5]",
    ),
    "merged with gaps": (
        "%v = memref.reinterpret_cast %a to offset: [0], sizes: [2, 2], strides: [%n, 1] : "
        "memref<16xi32> to memref<2x2xi32, strided<[?, 1]>>\n"
        "%b = memref.collapse_shape %v [[0, 1]] : memref<2x2xi32, strided<[?, 1]>> into "
        "memref<4xi32, strided<[1]>>",
        (3, 0),
        "dimension 0 has stride 3, to be merged with dimension 1 it needs 2",
    ),
    "a shift outside": (
        "%u = memref.alloc() : memref<64xi8>\n"
        "%b = memref.view %u[%n][] : memref<64xi8> to memref<4xi32>",
        (49, 0),
        "'memref.view' reaches bytes 49 to 64 of the memory allocated in line 2, which has 64",
    ),
    "extents whose product is beyond counting": (
        "%b = memref.alloc(%n, %n, %m) : memref<?x?x?xi32>",
        (1 << 40, 1 << 40),
        "'memref.alloc' takes more memory than there is",
    ),
    "strides beyond counting": (
        "%b = memref.alloc(%m)[%n] : memref<?x4xi32, strided<[?, 1]>>",
        (1 << 62, 1 << 40),
        "'memref.alloc' takes more memory than there is",
    ),
    "a million million elements": (
        "%b = gpu.alloc host_shared (%n) : memref<?xf32>",
        (10**12, 0),
        "'gpu.alloc' takes more memory than there is",
    ),
    "a stride below 0": (
        "%b = memref.alloc()[%n] : memref<4xi32, strided<[?]>>",
        (-1, 0),
        "a new memref has -1 among offset and strides; expected none below 0",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused_at_the_op(name: str) -> None:
    lines, numbers, message = WRONG[name]
    text = f"func.func @f({ARGUMENTS}) {{\n{lines}\nreturn\n}}"
    with pytest.raises(XetileError) as caught:
        execute_host(
            parse_text(text, "host.mlir"),
            "f",
            [np.zeros(16, np.int32), *numbers],
            output=print,
        )
    line = 2 + lines.count("\n")
    assert str(caught.value) == f"host.mlir:{line}:1: error: {message}"


@pytest.mark.parametrize(
    "line",
    [
        "memref.copy %b, %a : memref<4xf32> to memref<4xf32>",
        "gpu.memcpy %a, %b : memref<4xf32>, memref<4xf32>",
        "gpu.memset %a, %x : memref<4xf32>, f32",
    ],
)
def test_writes_to_read_only_arrays_are_refused(line: str) -> None:
    text = (
        f"func.func @f(%a: memref<4xf32>, %b: memref<4xf32>, %x: f32) {{\n{line}\nreturn\n}}"
    )
    given = np.zeros(4, np.float32)
    given.flags.writeable = False
    with pytest.raises(XetileError) as caught:
        execute_host(
            parse_text(text, "host.mlir"),
            "f",
            [given, np.ones(4, np.float32), 1.0],
            output=print,
        )
    assert str(caught.value) == (
        f"host.mlir:2:1: error: '{line.partition(' ')[0]}' writes to memory that is read-only"
    )


def test_symbols_are_offset_and_strides() -> None:
    text = """
    func.func @f(%n: index, %s: index, %o: index) -> (index, index, i32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %x = arith.constant 7 : i32
      %a = memref.alloc(%n)[%o, %s] : memref<?x4xi32, strided<[?, 2], offset: ?>>
      scf.for %i = %c0 to %n step %c1 {
        memref.store %x, %a[%i, %i] : memref<?x4xi32, strided<[?, 2], offset: ?>>
      }
      %m, %p, %d:2, %t:2 = memref.extract_strided_metadata %a
          : memref<?x4xi32, strided<[?, 2], offset: ?>> -> memref<i32>, index, index, index, index, index
      %y = memref.load %a[%c1, %c1] : memref<?x4xi32, strided<[?, 2], offset: ?>>
      return %p, %t#0, %y : index, index, i32
    }"""
    results = execute_host(parse_text(text, "host.mlir"), "f", [3, 11, 5], output=print)
    assert [int(result) for result in results] == [5, 11, 7]


def test_a_type_that_nothing_has_checked_reaches_no_other_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Read and not verified: the loop is left to the interpreter, which looks at each index."""
    monkeypatch.setattr(loops, "WORTH_COMPILING", 0)
    module = parse(
        """
    func.func @f() {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 100000000 : index
      %x = arith.constant 7.0 : f32
      %a = memref.alloc() : memref<4xf32>
      "cf.br"(%a)[^bb1] : (memref<4xf32>) -> ()
    ^bb1(%b: memref<100000000xf32>):
      scf.for %i = %c0 to %n step %c1 {
        memref.store %x, %b[%i] : memref<100000000xf32>
      }
      func.return
    }""",
        "host.mlir",
    )
    with pytest.raises(XetileError) as caught:
        execute_host(module, "f", [], output=print)
    assert str(caught.value) == (
        "host.mlir:11:9: error: index 4 is outside of dimension 0 of extent 4"
    )


CALLS = """
func.func private @row(%m: memref<?x4xi32>, %i: index, %v: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %s = scf.for %j = %c0 to %c4 step %c1 iter_args(%t = %v) -> (i32) {
    %x = memref.load %m[%i, %j] : memref<?x4xi32>
    %y = arith.addi %x, %t : i32
    func.call @put(%m, %i, %j, %y) : (memref<?x4xi32>, index, index, i32) -> ()
    scf.yield %y : i32
  }
  return %s : i32
}
func.func private @put(%m: memref<?x4xi32>, %i: index, %j: index, %v: i32) {
  memref.store %v, %m[%i, %j] : memref<?x4xi32>
  return
}
func.func @f(%m: memref<?x4xi32>, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 0 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %v) -> (i32) {
    %u = func.call @row(%m, %i, %t) : (memref<?x4xi32>, index, i32) -> i32
    scf.yield %u : i32
  }
  return %s : i32
}
"""


@pytest.mark.parametrize("worth", [1 << 62, 0])
def test_calls_hand_memory_on(worth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "WORTH_COMPILING", worth)
    module = parse_text(CALLS, "host.mlir")
    array = np.arange(12, dtype=np.int32).reshape(3, 4)
    (result,) = execute_host(module, "f", [array, 3], output=print)
    assert (array.reshape(-1) == np.arange(12).cumsum()).all()
    assert result == 66
    with pytest.raises(
        XetileError, match=r"^host\.mlir:7:5: error: index 3 is outside of dimension 0"
    ):
        execute_host(module, "f", [array, 4], output=print)
    array.flags.writeable = False
    with pytest.raises(
        XetileError, match="cannot store to argument 0: the array is read-only"
    ):
        execute_host(module, "f", [array, 3], output=print)


def chain(depth: int) -> str:
    """Functions that each call the next one twice."""
    lines = [
        "func.func private @f0(%x: i32) -> i32 {\n%y = arith.addi %x, %x : i32\nreturn %y : i32\n}"
    ]
    lines += [
        f"func.func private @f{n}(%x: i32) -> i32 {{\n"
        f"%y = func.call @f{n - 1}(%x) : (i32) -> i32\n"
        f"%z = func.call @f{n - 1}(%y) : (i32) -> i32\nreturn %z : i32\n}}"
        for n in range(1, depth + 1)
    ]
    main = f"""
    func.func @main(%b: i1, %x: i32) -> i32 {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 100 : index
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x) -> (i32) {{
        %v = scf.if %b -> (i32) {{
          %q = func.call @f{depth}(%a) : (i32) -> i32
          scf.yield %q : i32
        }} else {{
          scf.yield %a : i32
        }}
        scf.yield %v : i32
      }}
      return %r : i32
    }}"""
    return "\n".join([*lines, main])


def test_functions_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """400 functions of two calls each, which in place of the calls would be 2^400 additions."""
    monkeypatch.setattr(loops, "WORTH_COMPILING", 0)
    texts: list[str] = []
    run = CompiledLoop.__init__

    def seen(self: CompiledLoop, op: object, translation: object) -> None:
        texts.append(getattr(translation, "text"))  # noqa: B009
        run(self, op, translation)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(CompiledLoop, "__init__", seen)
    started = time.perf_counter()
    (result,) = execute_host(parse_text(chain(400), "host.mlir"), "main", [0, 3], output=print)
    assert result == 3
    assert time.perf_counter() - started < 30
    shorter = parse_text(chain(200), "host.mlir")
    execute_host(shorter, "main", [0, 3], output=print)
    assert len(texts[0]) < 2.1 * len(texts[1])


@pytest.mark.parametrize("worth", [1 << 62, 0])
def test_calls_too_deep_are_refused_alike(worth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "WORTH_COMPILING", worth)
    module = parse_text(chain(520), "host.mlir")
    (result,) = execute_host(module, "main", [0, 3], output=print)
    assert result == 3
    with pytest.raises(XetileError, match="is called inside of 500 other calls"):
        execute_host(module, "main", [1, 3], output=print)
