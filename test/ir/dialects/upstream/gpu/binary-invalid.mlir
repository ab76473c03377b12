// One error per chunk.
//
// RUN: xetile-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'objects' has to be an array of one or more #gpu.object}}
gpu.binary @m []

// -----

// expected-error @below {{'objects' has to be an array of one or more #gpu.object}}
gpu.binary @m [1 : i32]

// -----

// expected-error @below {{'elf' is no format of an object; legal are offload, assembly, bin, fatbin}}
gpu.binary @m [#gpu.object<#xevm.target, elf = "abc">]

// -----

// expected-error @below {{'targets' has to be an array of one or more targets, such as #xevm.target}}
gpu.module @m [] {
}

// -----

// expected-error @below {{'targets' has to be an array of one or more targets, such as #xevm.target}}
gpu.module @m [#xevm.target, "bmg"] {
}
