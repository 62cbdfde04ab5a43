# find_package(tosajit): targets tosajit::shared and tosajit::static.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/FindLLVMLibrary.cmake)
if(NOT TARGET tosajit::LLVM)
  add_library(tosajit::LLVM UNKNOWN IMPORTED)
  set_target_properties(tosajit::LLVM PROPERTIES IMPORTED_LOCATION ${TOSAJIT_LLVM})
endif()
include(${CMAKE_CURRENT_LIST_DIR}/tosajitTargets.cmake)
