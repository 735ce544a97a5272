# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DPROGRAM=... -DKEPT=... -DCORPUS=... [-DOPTIONS=...] -P run.cmake: runs a fuzz target on the corpus that is kept of it,
# which is unpacked into CORPUS.
file(REMOVE_RECURSE ${CORPUS})
file(MAKE_DIRECTORY ${CORPUS})
if(EXISTS ${KEPT})
  file(ARCHIVE_EXTRACT INPUT ${KEPT} DESTINATION ${CORPUS})
endif()
execute_process(COMMAND ${PROGRAM} ${OPTIONS} ${CORPUS} RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${PROGRAM}: ${code}")
endif()
