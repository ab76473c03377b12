// Under each diagnostic stand the line of source and a caret, then the notes.
// RUN: not xetile-opt --split-input-file %s 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace
// RUN: not xetile-opt --split-input-file < %s 2>&1 >/dev/null | FileCheck %s --check-prefix=STDIN
// RUN: not xetile-opt --split-input-file --no-snippets %s 2>&1 >/dev/null | FileCheck %s --check-prefix=BARE --implicit-check-not=^
// RUN: xetile-opt --split-input-file --verify-diagnostics %s > /dev/null

func.func private @first()

// -----

// CHECK:{{.*}}snippets.mlir:[[# @LINE + 11]]:3: error: redefinition of value %x; give one of the two another name
// CHECK-NEXT:  %x = arith.addi %a, %a : i32
// CHECK-NEXT:  ^
// CHECK-NEXT:{{.*}}snippets.mlir:[[# @LINE + 6]]:3: note: previously defined here
// CHECK-NEXT:  %x = arith.muli %a, %a : i32
// CHECK-NEXT:  ^
// STDIN: {{^}}<stdin>:[[# @LINE + 5]]:3: error: redefinition
func.func @second(%a: i32) {
  // expected-note@+1 {{previously defined here}}
  %x = arith.muli %a, %a : i32
  // expected-error@+1 {{redefinition of value %x}}
  %x = arith.addi %a, %a : i32
  func.return
}
// STDIN-NEXT: {{^}}  %x = arith.addi %a, %a : i32
// STDIN-NEXT: {{^}}  ^
// BARE: snippets.mlir:[[# @LINE - 5]]:3: error: redefinition
// BARE-NEXT: snippets.mlir:[[# @LINE - 8]]:3: note: previously defined here

// -----

// Tabs stay, wide characters are wide.
// CHECK:{{.*}}snippets.mlir:[[# @LINE + 5]]:18: error: value %b is used but not defined{{.*}}
// CHECK-NEXT:	func.call @"積"(	%b) : (i32) -> ()
// CHECK-NEXT:	                	^
func.func @third() {
	// expected-error@+1 {{value %b is used but not defined}}
	func.call @"積"(	%b) : (i32) -> ()
	func.return
}
