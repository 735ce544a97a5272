// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/config/config.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin {

/// What the user names, in order of precedence: options, then $HOSTPIN_TOOLKIT, $HOSTPIN_STDENV and
/// $HOSTPIN_HOST, then the configuration. What nothing names is discovered.
struct Request {
  std::optional<std::string> toolkit; ///< a toolkit directory or an nvcc
  std::optional<std::string> stdenv;  ///< a C++ driver, optionally followed by arguments
  std::optional<std::string> host;    ///< the host compiler, judged and used
  /// What programs are made for: a triple, or NVIDIA's name of a platform; nothing: what the stdenv makes.
  std::optional<std::string> target;
  std::optional<std::string> sysroot; ///< of the stdenv and the host compilers of its target, absolute
  std::string policy; ///< manylinux policy that shared libraries are linked for; empty for none
  std::vector<std::string> allowed_libraries; ///< sonames that they may need beyond it
  std::string run_path;                       ///< that links add: `toolkit:$ORIGIN/../lib`; empty for none
  std::string toolkit_by = "--toolkit", stdenv_by = "--stdenv",
              host_by = "--host"; ///< what names them, for messages
  /// The position in the configuration file that names them; empty if something else does.
  std::string toolkit_at, stdenv_at, host_at;
  /// For hints: the options that name a host compiler, and that accept a compiler that does not fit.
  std::string host_option = "--host", insist_option = "--allow-unsupported";
  bool allow_unsupported = false; ///< a host compiler that does not fit is used anyway
  bool one_toolkit = false;       ///< only the toolkit to use is needed; others are not run if it is usable
  std::string own_cxx;            ///< hostpin's c++ that a call may name as its host compiler; may be empty
  /// The configuration that a bound directory was made with, valid until it is refreshed. Nothing: the
  /// current configuration is used.
  std::optional<Config> config = {};
};

} // namespace hostpin
