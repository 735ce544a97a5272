# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Of a sanitized build: headers.hpp is compiled once, with hostpin's options, and used by all libraries and replays; test_headers.hpp by all
# unit tests.
foreach(name headers test_headers)
  file(CONFIGURE OUTPUT ${name}.cpp CONTENT "")
  add_library(hostpin_common_${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(hostpin_common_${name} PRIVATE hostpin_options)
  target_precompile_headers(hostpin_common_${name} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/${name}.hpp)
endforeach()
# No times of headers are in it, so that a compiler cache finds the objects of another checkout's day.
target_compile_options(hostpin_options INTERFACE "SHELL:-Xclang -fno-pch-timestamp")

function(hostpin_use_common_headers folder)
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(each IN LISTS folders)
    hostpin_use_common_headers(${each})
  endforeach()
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(each IN LISTS targets)
    get_target_property(type ${each} TYPE)
    if(each MATCHES "^unit_")
      target_precompile_headers(${each} REUSE_FROM hostpin_common_test_headers)
    elseif(each MATCHES "^fuzz_" OR type STREQUAL STATIC_LIBRARY)
      target_precompile_headers(${each} REUSE_FROM hostpin_common_headers)
    endif()
  endforeach()
endfunction()
hostpin_use_common_headers(${PROJECT_SOURCE_DIR})
