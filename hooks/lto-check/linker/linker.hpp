// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/linker/collect2.hpp"
#include "hooks/lto-check/linker/driver_answer.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"
#include "toolchains/cmdline/linker_command.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::lto {

enum class LinkerFamily { bfd, gold, mold, lld, nvlink };

/// `bfd`, `gold`, `mold`, `lld`, `nvlink`.
const char* to_string(LinkerFamily family);

/// The GCC that compiles LTO code in a link.
struct GccReader {
  std::uint32_t major = 0, minor = 0; ///< version of the bytecode that its lto1 takes
  std::string producer;     ///< as its objects name it: `GCC: (Debian 12.2.0-14) 12.2.0`; may be empty
  bool by_collect2 = false; ///< not by a plugin: only after the machine code was linked first
};

/// The LLVM that compiles bitcode in a link.
struct LlvmReader {
  int major = 0;
  std::string by; ///< `lld`, or the path of the plugin
};

/// The linker that is finally run, and what it can read.
struct Linker {
  std::string path;
  LinkerFamily family = LinkerFamily::bfd;
  Version version; ///< its own
  std::optional<GccReader> gcc;
  std::optional<LlvmReader> llvm;
  std::string unloadable{}; ///< its message if it cannot load a plugin that the link names; empty: it can
};

/// Family and version by the first lines of a linker's `--version`; nothing for another program.
struct LinkerName {
  LinkerFamily family = LinkerFamily::bfd;
  Version version;
};
std::optional<LinkerName> linker_name(std::string_view text);

/// The directories in which a linker looks for libraries after the directories of -L, such as /usr/local/lib,
/// as printed by GNU ld. Empty under -nostdlib, and for gold, lld and mold, which print none.
std::vector<std::string> own_directories(const std::string& path, const cmdline::LinkerCommand& words,
                                         const LinkTools& tools);

/// Determines the versions of the linker and of what it would load, run as collect2 would. `driver` is the
/// command of the compiler driver that GCC's plugin would call back; empty if the linker is called directly.
Result<Linker> learn_linker(const std::string& path, const cmdline::LinkerCommand& words,
                            const std::vector<std::string>& driver, const LinkTools& tools,
                            const LinkerRun& run = {});

/// The version of bytecode that the lto1 of a GCC takes. No file names it: GCC is made to write an empty
/// object once, and the answer is cached until lto1 changes. An error if `driver` is empty.
Result<GccReader> learn_gcc_reader(const std::vector<std::string>& driver, const std::string& lto_wrapper,
                                   const LinkTools& tools);

/// The LLVM release of a linker plugin: the release of the libLLVM it loads, else the one in its directory's
/// name.
Result<LlvmReader> learn_llvm_plugin(const std::string& path, const Files& files);

/// 19 for `libLLVM.so.19.1`, 14 for `libLLVM-14.so.1`; 0 for other names.
int llvm_of_soname(std::string_view soname);

} // namespace hostpin::lto
