# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# CMake toolchain of the portable tarball, for Debian 12: compiles as always and links with the C library in HOSTPIN_SYSROOT, which is older, so
# that the programs need no symbol newer than it, and with all other libraries statically. HOSTPIN_MACHINE: what the programs run on, as x86_64.
# HOSTPIN_LIBRARIES, for another machine than this one: a directory with that machine's Debian 12 libraries, headers and CMake packages.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HOSTPIN_SYSROOT HOSTPIN_MACHINE HOSTPIN_LIBRARIES)
set(HOSTPIN_PORTABLE ON)
set(portable_triple ${HOSTPIN_MACHINE}-linux-gnu)
set(portable_libraries ${HOSTPIN_LIBRARIES}/usr/lib/${portable_triple})

if(HOSTPIN_LIBRARIES)
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SYSTEM_PROCESSOR ${HOSTPIN_MACHINE})
  set(CMAKE_C_COMPILER ${portable_triple}-gcc-12)
  set(CMAKE_CXX_COMPILER ${portable_triple}-g++-12)
  set(CMAKE_LIBRARY_ARCHITECTURE ${portable_triple})
  set(CMAKE_SYSROOT_COMPILE ${HOSTPIN_LIBRARIES})
  set(CMAKE_FIND_ROOT_PATH ${HOSTPIN_LIBRARIES})
  set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
  foreach(kind LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
  endforeach()
  # With the C library of the headers: doctest, compiled with them, asks it for _SC_SIGSTKSZ, which the sysroot's does not know.
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${HOSTPIN_MACHINE}-static -L ${HOSTPIN_LIBRARIES})
else()
  set(CMAKE_C_COMPILER cc)
  set(CMAKE_CXX_COMPILER c++)
endif()
# -B and -L: GCC looks below its own sysroot for the multiarch directories.
string(JOIN " " CMAKE_EXE_LINKER_FLAGS_INIT
  --sysroot=${HOSTPIN_SYSROOT}
  -B${HOSTPIN_SYSROOT}/usr/lib/${portable_triple}
  -L${HOSTPIN_SYSROOT}/lib/${portable_triple}
  -L${HOSTPIN_SYSROOT}/usr/lib/${portable_triple}
  -static-libstdc++ -static-libgcc -s -Wl,--as-needed)
# Before 2.34 threads and dlopen are in libraries of their own. They have to follow libstdc++, which the compiler driver appends only later.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.a OUTPUT_VARIABLE portable_libstdcxx OUTPUT_STRIP_TRAILING_WHITESPACE)
set(CMAKE_CXX_STANDARD_LIBRARIES "${portable_libstdcxx} -lpthread -ldl -lrt -lm")
set(CMAKE_SKIP_RPATH ON)

# Static libraries where CMake's modules prefer shared ones; libcurl is the system's, see curl.cpp.
set(ZLIB_LIBRARY ${portable_libraries}/libz.a CACHE FILEPATH "")
set(OPENSSL_USE_STATIC_LIBS ON)
set(CURL_NO_CURL_CMAKE ON)
set(CURL_LIBRARY_RELEASE ${CMAKE_BINARY_DIR}/wrapper/package/portable/libportable_curl.a CACHE FILEPATH "")
