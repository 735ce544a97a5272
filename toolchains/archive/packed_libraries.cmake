# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hostpin_packed_readers: libarchive and the libraries that its readers of gzip, bzip2, xz, zstd, tar and
# zip use, static if the system has static ones. Its own package names all that it was built with (libacl,
# libxml2, lz4, ...), none of which these readers need. Only encrypted zip members, which are never decrypted
# here, need cryptography, so whichever such library it was built with is linked if it exists: nettle here, libcrypto
# by hostpin_packed_libraries, because a program that has a shared libcrypto must not have a static one as well.
find_path(archive_headers archive.h)
set(packed_libraries)
foreach(name archive z bz2 lzma zstd) # toolchains/binary links z and zstd
  find_library(packed_${name} NAMES lib${name}.a ${name})
  mark_as_advanced(packed_${name})
  list(APPEND packed_libraries ${packed_${name}})
endforeach()
if(NOT archive_headers OR NOT packed_archive)
  message(FATAL_ERROR "libarchive is needed: install libarchive-dev (Debian, Ubuntu), libarchive-devel or libarchive")
endif()
if(packed_archive MATCHES "\\.a$")
  foreach(name bz2 lzma)
    if(NOT packed_${name})
      message(FATAL_ERROR "the static libarchive needs lib${name}: install libbz2-dev and liblzma-dev")
    endif()
  endforeach()
  foreach(name nettle crypto)
    find_library(packed_${name} NAMES lib${name}.a ${name})
    mark_as_advanced(packed_${name})
  endforeach()
  list(APPEND packed_libraries ${packed_nettle})
endif()
list(FILTER packed_libraries EXCLUDE REGEX NOTFOUND)
add_library(hostpin_packed_readers INTERFACE)
target_include_directories(hostpin_packed_readers SYSTEM INTERFACE ${archive_headers} ${zlib_headers} ${zstd_headers})
target_link_libraries(hostpin_packed_readers INTERFACE ${packed_libraries})
add_library(hostpin_packed_libraries INTERFACE)
target_link_libraries(hostpin_packed_libraries INTERFACE hostpin_packed_readers $<$<BOOL:${packed_crypto}>:${packed_crypto}>)
