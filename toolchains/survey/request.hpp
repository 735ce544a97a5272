// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

namespace hostpin {

/// What the user names, strongest first applied: options, then $HOSTPIN_TOOLKIT, $HOSTPIN_STDENV and
/// $HOSTPIN_HOST, then the configuration. Whatever is left open is discovered.
struct Request {
  std::optional<std::string> toolkit; ///< a toolkit directory or an nvcc
  std::optional<std::string> stdenv;  ///< a C++ driver, with arguments behind it if need be
  std::optional<std::string> host;    ///< the host compiler, judged and obeyed
  std::string toolkit_by = "--toolkit", stdenv_by = "--stdenv",
              host_by = "--host"; ///< who says so, for messages
  bool allow_unsupported = false; ///< a host compiler that does not fit is used all the same
};

} // namespace hostpin
