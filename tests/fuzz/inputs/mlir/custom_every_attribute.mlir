func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = "tosa.custom"(%x) {operator_name = "sqrt", domain_name = "tosajit", implementation_attrs = "", axis = 1 : i32, joined = 0 : i32, nan_mode = "x", shape = array<i64: 4, 4>, perms = array<i64: 0, 1>, ranges = array<i64: 0, 1, 1, 0, 1, 1>, multiples = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
