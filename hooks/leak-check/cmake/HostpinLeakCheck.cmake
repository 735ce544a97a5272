# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin_leak_check([NO_TEST] [NO_INSTALL] [BINDING dir] [EXCEPTIONS file] [FAIL_ON level] [FORBID path...] [VENDOR path...])
#
# Scans what this project installs, after each install and as the test `hostpin-leak-check`, which installs into the build
# directory first. Call it last in the top-level CMakeLists.txt, after everything that installs files. BINDING defaults to the
# directory of CMAKE_CUDA_COMPILER if that is a bound one; without it hostpin decides as for an unbound nvcc.
include_guard(GLOBAL)
cmake_minimum_required(VERSION 3.18)
set(_hostpin_leak_check_run ${CMAKE_CURRENT_LIST_DIR}/RunLeakCheck.cmake)

function(hostpin_leak_check)
  cmake_parse_arguments(PARSE_ARGV 0 arg "NO_TEST;NO_INSTALL" "BINDING;EXCEPTIONS;FAIL_ON" "FORBID;VENDOR")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hostpin_leak_check does not take ${arg_UNPARSED_ARGUMENTS}")
  endif()
  find_program(HOSTPIN_COMMAND hostpin DOC "hostpin, for its leak-check")
  if(NOT HOSTPIN_COMMAND)
    message(FATAL_ERROR "hostpin_leak_check needs hostpin: put it on PATH, or set HOSTPIN_COMMAND")
  endif()

  if(NOT arg_BINDING AND CMAKE_CUDA_COMPILER)
    get_filename_component(directory ${CMAKE_CUDA_COMPILER} DIRECTORY)
    if(EXISTS ${directory}/binding.toml)
      set(arg_BINDING ${directory})
    elseif(EXISTS ${directory}/../hostpin/binding.toml) # a toolkit view
      get_filename_component(arg_BINDING ${directory}/../hostpin ABSOLUTE)
    endif()
  endif()
  set(words --build-dir ${CMAKE_BINARY_DIR})
  foreach(option BINDING EXCEPTIONS FAIL_ON FORBID VENDOR)
    string(TOLOWER ${option} name)
    string(REPLACE _ - name ${name})
    foreach(value IN LISTS arg_${option})
      string(REPLACE "\\;" ";" value "${value}") # as written between quotes
      string(REPLACE ";" "\\;" value "${value}")
      list(APPEND words --${name} "${value}")
    endforeach()
  endforeach()

  # A file instead of arguments: neither a semicolon nor a bracket in a path means anything in it.
  set(settings ${CMAKE_CURRENT_BINARY_DIR}/hostpin-leak-check.cmake)
  # Not file(CONFIGURE): CMake 3.18 refuses a text that holds a semicolon.
  string(CONFIGURE "set(hostpin [==[@HOSTPIN_COMMAND@]==])\nset(words [==[@words@]==])\n" text @ONLY)
  file(WRITE ${settings} "${text}")
  if(NOT arg_NO_INSTALL)
    install(CODE "set(settings [==[${settings}]==])\ninclude([==[${_hostpin_leak_check_run}]==])")
  endif()
  if(NOT arg_NO_TEST)
    add_test(NAME hostpin-leak-check
      COMMAND ${CMAKE_COMMAND} -Dsettings=${settings} -Dbuild=${CMAKE_BINARY_DIR} -Dconfig=$<CONFIG>
              -Dstage=${CMAKE_CURRENT_BINARY_DIR}/hostpin-leak-check.stage -P ${_hostpin_leak_check_run})
  endif()
endfunction()
