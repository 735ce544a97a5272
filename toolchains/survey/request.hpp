// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/config/config.hpp"

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
  /// Where the configuration names what it names; empty for others.
  std::string toolkit_at, stdenv_at, host_at;
  /// How whoever reads a message names a host compiler, and takes one that does not fit.
  std::string host_option = "--host", insist_option = "--allow-unsupported";
  bool allow_unsupported = false; ///< a host compiler that does not fit is used all the same
  std::string own_cxx;            ///< hostpin's c++ that a call may name as its host compiler; may be empty
  /// What a bound directory was made with: it holds until that is refreshed. Nothing: the configuration in
  /// force now fills what is left open.
  std::optional<Config> config = {};
};

} // namespace hostpin
