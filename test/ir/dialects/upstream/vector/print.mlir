// vector.print in its forms; what it prints is what mlir-runner 22 prints.
// RUN: xetile-opt %s | FileCheck %s
// RUN: xetile-opt %s | xetile-opt | FileCheck %s
// RUN: %if mlir-opt %{ %mlir-opt --mlir-print-op-generic %s | xetile-opt | FileCheck %s %}
// RUN: %if mlir-opt %{ xetile-opt %s | %mlir-opt | FileCheck %s %}
// RUN: xetile-run %s --entry main | FileCheck %s --check-prefix=RAN
// RAN: {{^}}( 1, 2.5 ){{$}}
// RAN-NEXT: {{^}}hello7, ( ( 1, 2 ), ( 3, 4 ) ) ){{$}}
// RAN-NOT: {{.}}

func.func @main() {
  %v = arith.constant dense<[1.0, 2.5]> : vector<2xf32>
  %i = arith.constant 7 : i64
  %w = arith.constant dense<[[1, 2], [3, 4]]> : vector<2x2xi32>
  // CHECK: vector.print %{{.*}} : vector<2xf32>{{$}}
  vector.print %v : vector<2xf32>
  // CHECK: vector.print str "hello"
  vector.print str "hello"
  // CHECK: vector.print %{{.*}} : i64 punctuation <comma>
  vector.print %i : i64 punctuation <comma>
  // CHECK: vector.print %{{.*}} : vector<2x2xi32> punctuation <no_punctuation>
  vector.print %w : vector<2x2xi32> punctuation <no_punctuation>
  // CHECK: vector.print punctuation <close>
  vector.print punctuation <close>
  // CHECK: vector.print{{ *$}}
  vector.print
  return
}
