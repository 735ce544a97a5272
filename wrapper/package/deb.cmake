# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Read by cpack for each kind of package.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_PACKAGE_CONTACT "${CPACK_HOSTPIN_MAINTAINER}")
  if(NOT CPACK_PACKAGE_CONTACT)
    if(NOT "$ENV{DEBEMAIL}" MATCHES "^[^ <>]+@[^ <>]+$")
      message(FATAL_ERROR "A Debian package needs somebody who answers for it: set DEBFULLNAME and DEBEMAIL, "
        "or configure with -DHOSTPIN_MAINTAINER=\"Name <address>\"")
    endif()
    set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
  endif()
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${CPACK_PACKAGE_CONTACT}")
  set(CPACK_PRE_BUILD_SCRIPTS ${CPACK_HOSTPIN_SOURCE}/deb_contents.cmake)
endif()
