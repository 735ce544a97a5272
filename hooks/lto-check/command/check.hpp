// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/judge/rules.hpp"
#include "hooks/lto-check/linker/driver_answer.hpp"
#include "toolchains/base/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::lto {

struct CheckContext {
  LinkTools tools;
  std::string data;         ///< directory that holds lto.toml
  bool ask_always = false;  ///< identify the linker even if no input has intermediate code
  bool before_link = false; ///< the link follows, and reports itself which named inputs do not exist
};

/// One run of a linker, and the verdicts on its inputs.
struct LinkCheck {
  std::string program;                ///< the linker, as it would be started
  std::optional<Linker> linker;       ///< nothing if no input depends on it, so that it was not queried
  std::vector<Judgement> judgements;  ///< in the link's order: every stream, every input that cannot be read,
                                      ///< and one `none` for each file that has neither
  std::vector<std::string> missing{}; ///< named inputs that neither exist nor are made by the command;
                                      ///< `unreadable` ones, unless the link follows
};

/// Judges the inputs of the links that a command would run, device link first; empty if it links nothing.
/// Runs no link, and writes nothing but its cache. An error if the command names no input, or the programs
/// that it runs, or the formats that those can read, cannot be determined.
Result<std::vector<LinkCheck>> check_link(const std::vector<std::string>& command,
                                          const CheckContext& context);

/// The same for inputs without a link command: all members of each archive count. `linker`: the beginning of
/// a link command (`g++ -flto`, `ld.lld`, `nvlink -dlto`).
Result<LinkCheck> check_inputs(const std::vector<std::string>& inputs, const std::vector<std::string>& linker,
                               const CheckContext& context);

/// If a host linker and nvlink both get an input, assigns to each what it reads: to nvlink the device code,
/// to the other the rest. `check_link` has done so already.
void share_out(std::vector<LinkCheck>& checks);

/// Whether an input holds device code, which nvlink would read, not the host's linker.
bool has_device_code(const LinkCheck& check);

} // namespace hostpin::lto
