# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# find_package(hostpin): the program as the target hostpin::hostpin and in HOSTPIN_COMMAND, the drop-in nvcc in HOSTPIN_NVCC, and
# hostpin_leak_check() of HostpinLeakCheck.cmake. The compiler is chosen before a project begins: by CMAKE_CUDA_COMPILER, or by the
# toolchain.cmake of a bound directory.
get_filename_component(_hostpin_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(HOSTPIN_COMMAND "${_hostpin_prefix}/@CMAKE_INSTALL_BINDIR@/hostpin")
set(HOSTPIN_NVCC "${_hostpin_prefix}/@CMAKE_INSTALL_LIBEXECDIR@/hostpin/nvcc")
unset(_hostpin_prefix)
foreach(_hostpin_file "${HOSTPIN_COMMAND}" "${HOSTPIN_NVCC}" "${CMAKE_CURRENT_LIST_DIR}/HostpinLeakCheck.cmake")
  if(NOT EXISTS "${_hostpin_file}")
    set(hostpin_FOUND FALSE)
    set(hostpin_NOT_FOUND_MESSAGE "This installation of hostpin has no ${_hostpin_file}; install it again")
    return()
  endif()
endforeach()
if(NOT TARGET hostpin::hostpin)
  add_executable(hostpin::hostpin IMPORTED)
  set_target_properties(hostpin::hostpin PROPERTIES IMPORTED_LOCATION "${HOSTPIN_COMMAND}")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/HostpinLeakCheck.cmake")
