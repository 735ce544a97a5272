# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Run by cpack on the staged trees, one for each component: moves and converts files as Debian requires.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  set(epoch $ENV{SOURCE_DATE_EPOCH})
else()
  string(TIMESTAMP epoch %s)
endif()
execute_process(COMMAND date -R -u -d @${epoch} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

# Licences of statically linked code are required too.
set(copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: hostpin

Files: *
Copyright: 2026 the hostpin contributors
License: Apache-2.0-with-LLVM-exception

Files: usr/libexec/hostpin/clang/*
Copyright: 2003-2025 the LLVM contributors
License: Apache-2.0-with-LLVM-exception

License: Apache-2.0-with-LLVM-exception
 On Debian systems the Apache License 2.0 is found in /usr/share/common-licenses/Apache-2.0.
 .
")
file(STRINGS ${CPACK_RESOURCE_FILE_LICENSE} lines)
list(FIND lines "---- LLVM Exceptions to the Apache 2.0 License ----" start)
math(EXPR start "${start} + 1")
list(SUBLIST lines ${start} -1 exception)
foreach(line ${exception})
  if(line STREQUAL "")
    set(line .)
  endif()
  string(APPEND copyright " ${line}\n")
endforeach()

foreach(component ${CPACK_COMPONENTS_ALL})
  set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr)
  set(package hostpin-${component})
  if(component STREQUAL core)
    set(package hostpin)
    file(MAKE_DIRECTORY ${usr}/share/zsh/vendor-completions)
    file(RENAME ${usr}/share/zsh/site-functions/_hostpin ${usr}/share/zsh/vendor-completions/_hostpin)
    file(REMOVE_RECURSE ${usr}/share/zsh/site-functions)
    file(REMOVE ${usr}/share/doc/hostpin/LICENSE)
    execute_process(COMMAND strip --strip-unneeded ${usr}/libexec/hostpin/c++ COMMAND_ERROR_IS_FATAL ANY) # cpack strips targets only
    file(MAKE_DIRECTORY ${usr}/share/doc/hostpin)
    file(RENAME ${usr}/share/doc/hostpin/CHANGELOG.md ${usr}/share/doc/hostpin/changelog)
  else()
    file(MAKE_DIRECTORY ${usr}/share/doc/${package})
    file(COPY_FILE ${CPACK_HOSTPIN_SOURCE}/../../CHANGELOG.md ${usr}/share/doc/${package}/changelog)
  endif()
  set(doc ${usr}/share/doc/${package})
  file(READ ${CPACK_HOSTPIN_SOURCE}/lintian-overrides overrides)
  string(REPLACE "hostpin:" "${package}:" overrides "${overrides}")
  file(WRITE ${usr}/share/lintian/overrides/${package} "${overrides}")
  file(WRITE ${doc}/changelog.Debian "${package} (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Packaged by cpack; changelog.gz says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  file(WRITE ${doc}/copyright "${copyright}
Comment:
 The programs contain parts of other software. hostpin.spdx.json names each with its version and licence.
")
  file(GLOB pages ${usr}/share/man/man1/*.1)
  execute_process(COMMAND gzip -9n ${pages} ${doc}/changelog ${doc}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
endforeach()
