# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Included from an install script, which knows what it installed, or run as a script with `stage`, a directory to install into.
include(${settings})

if(DEFINED stage)
  file(REMOVE_RECURSE ${stage})
  set(config_words)
  if(config)
    set(config_words --config ${config})
  endif()
  # The check of that install itself would be the same one twice.
  set(ENV{HOSTPIN_LEAK_CHECK_STAGE} 1)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${build} ${config_words} --prefix ${stage} RESULT_VARIABLE failed OUTPUT_QUIET)
  if(failed)
    message(FATAL_ERROR "cannot install into ${stage}: ${failed}")
  endif()
  set(paths ${stage})
elseif(NOT "$ENV{HOSTPIN_LEAK_CHECK_STAGE}")
  # Only what came from here: a prefix such as /usr/local holds other people's files. A list in a file has no limit in size.
  if(CMAKE_INSTALL_MANIFEST_FILES)
    string(REPLACE ";" "\n$ENV{DESTDIR}" list "$ENV{DESTDIR}${CMAKE_INSTALL_MANIFEST_FILES}")
    set(file ${settings}.files)
    file(WRITE ${file} "${list}\n")
    set(paths --files-from ${file} --below $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX})
  endif()
endif()

if(paths)
  execute_process(COMMAND ${hostpin} leak-check ${words} ${paths} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "hostpin leak-check: exit code ${failed}")
  endif()
endif()
