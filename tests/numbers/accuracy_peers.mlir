// TOSA operations as MLIR lowers them, for comparing their accuracy: tosa-to-linalg, loops, and the polynomial approximations of its math
// dialect (math-expand-ops for what has none). CMake runs mlir-opt and clang on this; see tests/numbers/accuracy_peers_x86.c.

func.func @mlir_cos(%in: memref<4096xf32>, %out: memref<4096xf32>) {
  %x = bufferization.to_tensor %in restrict : memref<4096xf32> to tensor<4096xf32>
  %r = tosa.cos %x : (tensor<4096xf32>) -> tensor<4096xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<4096xf32>, memref<4096xf32>) -> ()
  return
}

func.func @mlir_erf(%in: memref<4096xf32>, %out: memref<4096xf32>) {
  %x = bufferization.to_tensor %in restrict : memref<4096xf32> to tensor<4096xf32>
  %r = tosa.erf %x : (tensor<4096xf32>) -> tensor<4096xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<4096xf32>, memref<4096xf32>) -> ()
  return
}

func.func @mlir_exp(%in: memref<4096xf32>, %out: memref<4096xf32>) {
  %x = bufferization.to_tensor %in restrict : memref<4096xf32> to tensor<4096xf32>
  %r = tosa.exp %x : (tensor<4096xf32>) -> tensor<4096xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<4096xf32>, memref<4096xf32>) -> ()
  return
}

func.func @mlir_log(%in: memref<4096xf32>, %out: memref<4096xf32>) {
  %x = bufferization.to_tensor %in restrict : memref<4096xf32> to tensor<4096xf32>
  %r = tosa.log %x : (tensor<4096xf32>) -> tensor<4096xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<4096xf32>, memref<4096xf32>) -> ()
  return
}

func.func @mlir_rsqrt(%in: memref<4096xf32>, %out: memref<4096xf32>) {
  %x = bufferization.to_tensor %in restrict : memref<4096xf32> to tensor<4096xf32>
  %r = tosa.rsqrt %x : (tensor<4096xf32>) -> tensor<4096xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<4096xf32>, memref<4096xf32>) -> ()
  return
}

func.func @mlir_sigmoid(%in: memref<4096xf32>, %out: memref<4096xf32>) {
  %x = bufferization.to_tensor %in restrict : memref<4096xf32> to tensor<4096xf32>
  %r = tosa.sigmoid %x : (tensor<4096xf32>) -> tensor<4096xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<4096xf32>, memref<4096xf32>) -> ()
  return
}

func.func @mlir_sin(%in: memref<4096xf32>, %out: memref<4096xf32>) {
  %x = bufferization.to_tensor %in restrict : memref<4096xf32> to tensor<4096xf32>
  %r = tosa.sin %x : (tensor<4096xf32>) -> tensor<4096xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<4096xf32>, memref<4096xf32>) -> ()
  return
}

func.func @mlir_tanh(%in: memref<4096xf32>, %out: memref<4096xf32>) {
  %x = bufferization.to_tensor %in restrict : memref<4096xf32> to tensor<4096xf32>
  %r = tosa.tanh %x : (tensor<4096xf32>) -> tensor<4096xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<4096xf32>, memref<4096xf32>) -> ()
  return
}

func.func @mlir_pow(%a: memref<4096xf32>, %b: memref<4096xf32>, %out: memref<4096xf32>) {
  %x = bufferization.to_tensor %a restrict : memref<4096xf32> to tensor<4096xf32>
  %y = bufferization.to_tensor %b restrict : memref<4096xf32> to tensor<4096xf32>
  %r = tosa.pow %x, %y : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  bufferization.materialize_in_destination %r in restrict writable %out : (tensor<4096xf32>, memref<4096xf32>) -> ()
  return
}
