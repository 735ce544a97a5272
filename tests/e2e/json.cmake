# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DFILE=... -DKEYS=a;b -P json.cmake: one value of a JSON file on stdout; `length` as first key counts.
cmake_minimum_required(VERSION 3.19)
file(READ "${FILE}" text)
list(GET KEYS 0 first)
if(first STREQUAL "length")
  list(POP_FRONT KEYS)
  string(JSON value LENGTH "${text}" ${KEYS})
else()
  string(JSON value GET "${text}" ${KEYS})
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${value}")
