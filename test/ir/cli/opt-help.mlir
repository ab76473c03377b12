// What there is to choose from.
// RUN: xetile-opt --help | FileCheck %s --check-prefix=HELP
// HELP: usage: xetile-opt [options] [input_file]
// HELP: --verify-diagnostics
// HELP: --xetile-wg-to-sg Distribute workgroup-level tiles and vectors over subgroups, by their
// HELP: --xetile-blocking Cut subgroup-level tiles and vectors into the device's blocks
// HELP-NEXT: device=DEVICE the device that is lowered for: pvc, bmg, {{[a-z0-9, ]+}}
// HELP: passes of xDSL
// HELP: canonicalize

// RUN: xetile-opt --show-pass xetile-blocking | FileCheck %s --check-prefix=SHOW
// SHOW: xetile-blocking
// SHOW: Cut subgroup-level tiles and vectors into the device's blocks.
// SHOW: options:
// SHOW-NEXT: device=DEVICE the device that is lowered for: pvc, bmg, {{[a-z0-9, ]+}}
// SHOW: Before
// SHOW: After

// RUN: xetile-opt --show-pass=licm | FileCheck %s --check-prefix=LICM
// LICM: licm
// LICM: options:
// LICM-NEXT: none

// RUN: not xetile-opt --show-pass xetile-blokcing 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: {{^}}xetile-opt: error: unknown pass 'xetile-blokcing'; did you mean 'xetile-blocking'?{{$}}

// RUN: xetile-opt --list-passes | FileCheck %s --check-prefix=LIST
// LIST: {{^}}canonicalize{{$}}
// LIST: {{^}}xetile-wg-to-sg{{$}}
// RUN: xetile-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS
// DIALECTS: {{^}}xegpu{{$}}
// DIALECTS: {{^}}xetile{{$}}
