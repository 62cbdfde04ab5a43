// Views between operations that compute: shapes are operands, a concatenation has three tensors, and constants are read by one operator or by several.
func.func @main(%x: tensor<2x12xf32>, %y: tensor<4x2x3xf32>, %i: tensor<3x1xi8>)
    -> (tensor<4x2x3xf32>, tensor<2x9xf32>, tensor<1x2x5xi8>) {
  %split = tosa.const_shape {values = dense<[2, 3, 4]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %a = tosa.reshape %x, %split : (tensor<2x12xf32>, !tosa.shape<3>) -> tensor<2x3x4xf32>
  %b = tosa.transpose %a {perms = array<i32: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %c = tosa.add %b, %y : (tensor<4x2x3xf32>, tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
  %d = tosa.reverse %c {axis = 0 : i32} : (tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
  %start = tosa.const_shape {values = dense<[0, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %size = tosa.const_shape {values = dense<[2, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %later = tosa.const_shape {values = dense<[0, 8]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %e = tosa.slice %x, %start, %size : (tensor<2x12xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x3xf32>
  %f = tosa.abs %e : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %g = tosa.slice %x, %later, %size : (tensor<2x12xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x3xf32>
  %h = tosa.concat %f, %g, %e {axis = 1 : i32} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
  %k = tosa.floor %h : (tensor<2x9xf32>) -> tensor<2x9xf32>
  %times = tosa.const_shape {values = dense<[1, 5]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %l = tosa.tile %i, %times : (tensor<3x1xi8>, !tosa.shape<2>) -> tensor<3x5xi8>
  %m = tosa.bitwise_not %l : (tensor<3x5xi8>) -> tensor<3x5xi8>
  %two = tosa.const_shape {values = dense<[1, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %rest = tosa.const_shape {values = dense<[2, 5]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %n = tosa.slice %m, %two, %rest : (tensor<3x5xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x5xi8>
  %one = tosa.const_shape {values = dense<[1, 2, 5]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %o = tosa.reshape %n, %one : (tensor<2x5xi8>, !tosa.shape<3>) -> tensor<1x2x5xi8>
  return %d, %k, %o : tensor<4x2x3xf32>, tensor<2x9xf32>, tensor<1x2x5xi8>
}
