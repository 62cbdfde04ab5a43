# Peers from MLIR's own passes: TOSA to loops to LLVM, then clang's -O3 for this machine. In: ops, forms and sizes. Out: an object with one
# function of three pointers for each, its name and sizes in peer_mlir.def. Where the tools are missing, nothing.
find_program(TOSAJIT_MLIR_OPT mlir-opt-22)
find_program(TOSAJIT_MLIR_TRANSLATE mlir-translate-22)
find_program(TOSAJIT_MLIR_CLANG clang-22)
mark_as_advanced(TOSAJIT_MLIR_OPT TOSAJIT_MLIR_TRANSLATE TOSAJIT_MLIR_CLANG)
if(NOT TOSAJIT_MLIR_OPT OR NOT TOSAJIT_MLIR_TRANSLATE OR NOT TOSAJIT_MLIR_CLANG)
  message(STATUS "Benchmarks without MLIR")
  return()
endif()

set(module "")
set(rows "")
foreach(size 16x256 256x256 372x11)
  string(REPLACE "x" ";" sizes ${size})
  list(GET sizes 0 height)
  list(GET sizes 1 width)
  set(same_a ${size})
  set(same_b ${size})
  set(scalar_a ${size})
  set(scalar_b 1x1)
  set(row_a ${size})
  set(row_b 1x${width})
  set(column_a ${size})
  set(column_b ${height}x1)
  set(outer_a ${height}x1)
  set(outer_b 1x${width})
  set(r "${size}xf32")
  foreach(op add mul maximum)
    set(shift "")
    set(shift_value "")
    set(shift_type "")
    if(op STREQUAL "mul")
      set(shift "%shift = \"tosa.const\"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>")
      set(shift_value ", %shift")
      set(shift_type ", tensor<1xi8>")
    endif()
    foreach(form same scalar row column outer)
      set(name "mlir_${op}_${form}_${size}")
      set(a "${${form}_a}xf32")
      set(b "${${form}_b}xf32")
      string(APPEND module "func.func @${name}(%a: memref<${a}> {llvm.noalias}, %b: memref<${b}> {llvm.noalias}, "
        "%to: memref<${r}> {llvm.noalias}) {\n"
        "  %x = bufferization.to_tensor %a restrict : memref<${a}> to tensor<${a}>\n"
        "  %y = bufferization.to_tensor %b restrict : memref<${b}> to tensor<${b}>\n"
        "  ${shift}\n"
        "  %r = tosa.${op} %x, %y${shift_value} : (tensor<${a}>, tensor<${b}>${shift_type}) -> tensor<${r}>\n"
        "  bufferization.materialize_in_destination %r in restrict writable %to : (tensor<${r}>, memref<${r}>) -> ()\n"
        "  return\n}\n")
      string(APPEND rows "MLIR_PEER(${op}, ${form}, ${height}, ${width}, ${name})\n")
    endforeach()
  endforeach()
endforeach()
set(made ${CMAKE_CURRENT_BINARY_DIR}/mlir)
file(CONFIGURE OUTPUT ${made}/peer_mlir.mlir CONTENT "${module}")
file(CONFIGURE OUTPUT ${made}/peer_mlir.def CONTENT "${rows}")

set(passes "func.func(tosa-to-linalg)" "canonicalize" "func.func(linalg-fuse-elementwise-ops)" "eliminate-empty-tensors"
  "one-shot-bufferize{bufferize-function-boundaries}" "canonicalize" "func.func(convert-linalg-to-loops)" "canonicalize" "cse"
  "expand-strided-metadata" "lower-affine" "convert-scf-to-cf" "finalize-memref-to-llvm"
  "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1}" "convert-cf-to-llvm" "convert-arith-to-llvm" "convert-index-to-llvm"
  "reconcile-unrealized-casts")
list(JOIN passes "," pipeline)
add_custom_command(OUTPUT ${made}/peer_mlir.o
  COMMAND ${TOSAJIT_MLIR_OPT} ${made}/peer_mlir.mlir "--pass-pipeline=builtin.module(${pipeline})" -o ${made}/lowered.mlir
  COMMAND ${TOSAJIT_MLIR_TRANSLATE} --mlir-to-llvmir ${made}/lowered.mlir -o ${made}/lowered.ll
  COMMAND ${TOSAJIT_MLIR_CLANG} -O3 ${native_flags} -fPIC -Wno-override-module -c ${made}/lowered.ll -o ${made}/peer_mlir.o
  DEPENDS ${made}/peer_mlir.mlir VERBATIM)
target_sources(tosajit-bench PRIVATE ${made}/peer_mlir.o)
target_include_directories(tosajit-bench PRIVATE ${made})
target_compile_definitions(tosajit-bench PRIVATE TOSAJIT_BENCH_MLIR)
