# SPDX-FileCopyrightText: 2026 The tosajit developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What is released, as others get it, and what pip or apt brings to compare with: label `release`,
# `./run-tests.sh release`.
set(install ${here}/install)
set(peers ${made}/python_peers)

# The examples of the pages that say how to add something, built in a copy of the tree; each C file
# by another compiler.
if(NOT TOSAJIT_SANITIZE)
  script_test(how_to_example_test unit/how_to_example_test.sh ${source} ${CMAKE_GENERATOR}
    ${CMAKE_C_COMPILER} ${TOSAJIT_LLVM_ROOT}
    LABELS release PROPERTIES COST 60)
endif()
script_test(clang_test tools/clang_test.sh ${build} LABELS release)

# What is installed serves another project, shared and static. (With sanitizers that project would
# have to be built with them, too.)
if(NOT TOSAJIT_SANITIZE)
  script_test(find_test install/find_test.sh ${source} ${TOSAJIT_LLVM_ROOT} ${TOSAJIT_MLIR_ROOT}
    LABELS release)
  script_test(install_test install/install_test.sh ${build} ${install}/consumer LABELS release
    llvm19)
endif()

# The official tests: a sample, and all of them.
if(TARGET tosajit-cli AND Python3_FOUND AND NOT TOSAJIT_SANITIZE)
  script_test(conformance_test conformance/run.py $<TARGET_FILE:tosajit-cli> ${build}/conformance
    LABELS release conformance)
  long_test(conformance_all conformance 14400 "" ${Python3_EXECUTABLE} ${here}/conformance/run.py
    $<TARGET_FILE:tosajit-cli>
    ${build}/conformance --all)
  set_tests_properties(conformance_test conformance_all PROPERTIES SKIP_RETURN_CODE 77 RESOURCE_LOCK
    conformance)
  set_tests_properties(conformance_test PROPERTIES TIMEOUT 900 COST 100)
endif()

if(TARGET tosajit_python)
  add_test(NAME wheel_build COMMAND ${CMAKE_COMMAND} --build ${build} --target wheel)
  set_tests_properties(wheel_build PROPERTIES FIXTURES_SETUP wheel LABELS release)
  script_test(wheel_test install/wheel_test.sh ${build} ${source}
    LABELS release PROPERTIES FIXTURES_REQUIRED wheel TIMEOUT 3000 COST 200)
  # The same for AArch64, under an emulator.
  long_test(wheel_aarch64 wheels 6000 "" sh ${install}/wheel_aarch64_test.sh ${build} ${source})

  # NumPy, numexpr, PyTorch: pip brings them into a folder of the build, once.
  script_test(python_peers_install tools/python_peers.sh ${Python3_EXECUTABLE} ${peers}
    LABELS release PROPERTIES FIXTURES_SETUP python_peers TIMEOUT 900 COST 300)
  script_test(python_versions_test tools/python_test.sh ${build} ${source} all LABELS release
    PROPERTIES TIMEOUT 1800 COST 60)
  set(with_peers LABELS release PROPERTIES FIXTURES_REQUIRED python_peers TIMEOUT 900)
  set(python_peers ${build} ${source} ${peers})
  script_test(python_peers_test tools/python_peers_test.sh ${python_peers} ${with_peers}
    COST 130)
  long_test(python_peers_soak soak 3600 TOSAJIT_THIN=1 sh ${here}/tools/python_peers_test.sh
    ${python_peers})
  script_test(python_torch_compile_test tools/python_torch_compile_test.sh ${python_peers}
    ${with_peers} COST 150)
  script_test(python_torch_operations_test tools/python_torch_compile_test.sh ${python_peers}
    operations ${with_peers} COST 100)
  script_test(torch_random_test tools/torch_random_test.sh ${python_peers} ${with_peers})
  # All samples of PyTorch's database, in all types and strides.
  long_test(python_torch_all torch 20000 "" sh ${here}/tools/python_torch_compile_test.sh
    ${python_peers} --all)
  # Random texts behind every door: 10 s of one seed, an hour of the clock's. It takes the levels of
  # the machine itself.
  set(texts ${CMAKE_COMMAND} -E env PYTHONPATH=${build}/tools/python
    PYTHONPYCACHEPREFIX=${made}/pycache PYTHONDONTWRITEBYTECODE=)
  set(texts_python ${peers}/bin/python ${here}/tools/python_texts_test.py)
  add_test(NAME python_texts_test COMMAND ${texts} TOSAJIT_SEED=1 ${texts_python})
  set_tests_properties(python_texts_test PROPERTIES FIXTURES_REQUIRED python_peers TIMEOUT 300
    LABELS release)
  long_test(python_texts_soak soak 4500 "TOSAJIT_TEST_SECONDS=3600;TOSAJIT_FINDINGS=50" ${texts}
    ${texts_python})
  set_tests_properties(python_torch_all python_peers_soak python_texts_soak PROPERTIES
    FIXTURES_REQUIRED python_peers)
  # The site, in a browser.
  if(TARGET site AND NOT TOSAJIT_SANITIZE)
    script_test(site_test tools/site_test.sh ${build} ${source} LABELS release PROPERTIES
      SKIP_RETURN_CODE 77 TIMEOUT 900 COST 150)
  else()
    message(STATUS "Not tested: the site, which needs doxygen and no sanitizer")
  endif()
  if(TARGET tosajit-cli)
    # Models of TFLite: two, and all that packages carry. TOSA's tools are those of
    # conformance_test.
    set(tflite $<TARGET_FILE:tosajit-cli> ${build}/tools/python ${build}/conformance ${peers}
      ${build}/tflite)
    script_test(tflite_test tools/tflite_test.py ${tflite} LABELS release tflite)
    long_test(tflite_all tflite 1800 "" ${Python3_EXECUTABLE} ${here}/tools/tflite_test.py ${tflite}
      --all)
    set_tests_properties(tflite_test tflite_all PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1800
      RESOURCE_LOCK conformance
      FIXTURES_REQUIRED python_peers)
  endif()
endif()

# In ONNX Runtime, which the first test installs into the build.
if(TARGET tosajit_onnxruntime)
  add_subdirectory(onnx)
endif()
if(TARGET tosajit_onnx AND TARGET tosajit_python AND onnxruntime)
  script_test(onnx_load_test tools/onnx_load_test.sh ${build} ${source} LABELS release PROPERTIES
    TIMEOUT 600)
  script_test(onnx_models_install onnx/engine.sh ${onnxruntime} ${Python3_EXECUTABLE} models
    LABELS release PROPERTIES FIXTURES_REQUIRED onnxruntime FIXTURES_SETUP onnx_models TIMEOUT 600)
  # The models that onnx_test has left, made where it has not run with this command.
  script_test(onnx_operators tools/onnx_test.sh ${build} ${source} ${onnx_operators} kept
    LABELS release PROPERTIES FIXTURES_SETUP onnx_operators DEPENDS onnx_test)
  script_test(onnx_engine_test tools/onnx_engine_test.sh ${build} ${source} ${onnxruntime}
    ${onnx_operators}
    LABELS release PROPERTIES FIXTURES_REQUIRED "onnxruntime;onnx_models;onnx_operators" COST 100)
  script_test(onnx_python_test tools/onnx_python_test.sh ${build} ${onnxruntime}
    LABELS release PROPERTIES FIXTURES_REQUIRED onnxruntime)
endif()

# The packages of a build with sanitizers would need their libraries.
if(TARGET tosajit-cli AND NOT TOSAJIT_SANITIZE)
  set(packages ${made}/packages)
  script_test(package_build install/package_build.sh ${source} ${packages}
    LABELS release PROPERTIES FIXTURES_SETUP packages COST 200)
  script_test(package_test install/package_test.sh ${build} ${source} ${packages}
    LABELS release PROPERTIES FIXTURES_REQUIRED packages)
endif()

# What a user does, in each form that users have.
if(TARGET tosajit-cli AND TARGET tosajit_python AND onnxruntime AND NOT TOSAJIT_SANITIZE)
  # The packages' root has the system's Python. ONNX Runtime is installed for that, too, where the
  # build has another one.
  set(engine ${onnxruntime})
  if(NOT Python3_EXECUTABLE MATCHES "^/usr/bin/")
    string(APPEND engine _of_system)
    script_test(onnxruntime_system_install onnx/engine.sh ${engine} /usr/bin/python3
      LABELS release PROPERTIES FIXTURES_SETUP onnxruntime TIMEOUT 600)
  endif()
  foreach(form tree prefix packages wheel)
    script_test(form_${form}_test install/forms_test.sh ${form} ${build} ${source} ${packages}
      ${engine}
      LABELS release PROPERTIES FIXTURES_REQUIRED onnxruntime SKIP_RETURN_CODE 77 TIMEOUT 900)
  endforeach()
  # The packages once more in a Debian of their own, which takes root, the network and minutes:
  # `sudo ctest -C root -L root`.
  long_test(package_root root 1800 "" sh ${install}/package_root.sh ${source} ${packages} ${engine})
  set_tests_properties(form_packages_test package_root PROPERTIES FIXTURES_REQUIRED
    "onnxruntime;packages")
  set_tests_properties(form_wheel_test PROPERTIES FIXTURES_REQUIRED "onnxruntime;wheel")
else()
  message(STATUS
    "Not tested: what a user does with each form of tosajit, which needs command, Python package and ONNX Runtime, and no sanitizer")
endif()
