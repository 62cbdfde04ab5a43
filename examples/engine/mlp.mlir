// The feed-forward half of a transformer block, for any number of tokens: r = LayerNorm(x + W2 SiLU(W1 x + b1) + b2).
// matmul and reshape are the engine's; everything between them is tosajit's, and the norm with its sums is one kernel.
func.func @mlp(%x: tensor<?x16xf32>, %w1: tensor<1x16x40xf32>, %b1: tensor<1x1x40xf32>, %w2: tensor<1x40x16xf32>, %b2: tensor<1x1x16xf32>,
               %gamma: tensor<1x1x16xf32>, %beta: tensor<1x1x16xf32>) -> tensor<?x16xf32> {
  %batched = tosa.const_shape {values = dense<[1, -1, 16]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %flat = tosa.const_shape {values = dense<[-1, 16]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %sixteenth = "tosa.const"() <{values = dense<0.0625> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %epsilon = "tosa.const"() <{values = dense<1.0e-5> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %x3 = tosa.reshape %x, %batched : (tensor<?x16xf32>, !tosa.shape<3>) -> tensor<1x?x16xf32>
  %h = tosa.matmul %x3, %w1, %zero, %zero : (tensor<1x?x16xf32>, tensor<1x16x40xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x40xf32>
  %hb = tosa.add %h, %b1 : (tensor<1x?x40xf32>, tensor<1x1x40xf32>) -> tensor<1x?x40xf32>
  %gate = tosa.sigmoid %hb : (tensor<1x?x40xf32>) -> tensor<1x?x40xf32>
  %silu = tosa.mul %hb, %gate, %shift : (tensor<1x?x40xf32>, tensor<1x?x40xf32>, tensor<1xi8>) -> tensor<1x?x40xf32>
  %o = tosa.matmul %silu, %w2, %zero, %zero : (tensor<1x?x40xf32>, tensor<1x40x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x16xf32>
  %ob = tosa.add %o, %b2 : (tensor<1x?x16xf32>, tensor<1x1x16xf32>) -> tensor<1x?x16xf32>
  %sum = tosa.add %ob, %x3 : (tensor<1x?x16xf32>, tensor<1x?x16xf32>) -> tensor<1x?x16xf32>
  %total = tosa.reduce_sum %sum {axis = 2 : i32} : (tensor<1x?x16xf32>) -> tensor<1x?x1xf32>
  %mean = tosa.mul %total, %sixteenth, %shift : (tensor<1x?x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x?x1xf32>
  %centred = tosa.sub %sum, %mean : (tensor<1x?x16xf32>, tensor<1x?x1xf32>) -> tensor<1x?x16xf32>
  %square = tosa.mul %centred, %centred, %shift : (tensor<1x?x16xf32>, tensor<1x?x16xf32>, tensor<1xi8>) -> tensor<1x?x16xf32>
  %squares = tosa.reduce_sum %square {axis = 2 : i32} : (tensor<1x?x16xf32>) -> tensor<1x?x1xf32>
  %variance = tosa.mul %squares, %sixteenth, %shift : (tensor<1x?x1xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x?x1xf32>
  %positive = tosa.add %variance, %epsilon : (tensor<1x?x1xf32>, tensor<1x1x1xf32>) -> tensor<1x?x1xf32>
  %inverse = tosa.rsqrt %positive : (tensor<1x?x1xf32>) -> tensor<1x?x1xf32>
  %normal = tosa.mul %centred, %inverse, %shift : (tensor<1x?x16xf32>, tensor<1x?x1xf32>, tensor<1xi8>) -> tensor<1x?x16xf32>
  %scaled = tosa.mul %normal, %gamma, %shift : (tensor<1x?x16xf32>, tensor<1x1x16xf32>, tensor<1xi8>) -> tensor<1x?x16xf32>
  %moved = tosa.add %scaled, %beta : (tensor<1x?x16xf32>, tensor<1x1x16xf32>) -> tensor<1x?x16xf32>
  %r = tosa.reshape %moved, %flat : (tensor<1x?x16xf32>, !tosa.shape<2>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}
