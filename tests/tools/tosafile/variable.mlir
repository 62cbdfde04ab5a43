// A streaming model keeps what it has seen last: a read before the write, and another one behind it.
module {
  tosa.variable @last = dense<[1, 2]> : tensor<2xi32>
  func.func @main(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
    %before = tosa.variable_read @last : tensor<2xi32>
    %sum = tosa.add %before, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    tosa.variable_write @last, %sum : tensor<2xi32>
    %after = tosa.variable_read @last : tensor<2xi32>
    %not = tosa.bitwise_not %after : (tensor<2xi32>) -> tensor<2xi32>
    return %sum, %not : tensor<2xi32>, tensor<2xi32>
  }
}
