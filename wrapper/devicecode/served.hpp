// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/terminal.hpp"
#include "toolchains/devicecode/note.hpp"
#include "toolchains/devicecode/slimming.hpp"
#include "toolchains/fatbin/inventory.hpp"
#include "wrapper/devicecode/commands.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::command {

/// A named file, and the GPUs that find nothing in it.
struct ExaminedFile {
  fatbin::FileInventory inventory;
  std::optional<devicecode::Note> note; ///< if hostpin changed its device code
  Result<devicecode::Slimming> serving; ///< `unserved` has the GPUs; the error is why they are not known
};

/// The device code of files, and GPUs to run it.
struct DeviceCodeHere {
  Result<std::vector<gpus::Capability>> gpus; ///< ascending; the error is why this machine's are not known
  bool listed = false;                        ///< by --capabilities
  std::vector<ExaminedFile> files;
  std::vector<fatbin::Unread> unread;

  bool is_served() const; ///< no GPU finds nothing in some fatbin, as far as known
};

/// As a part of what `hostpin doctor` prints.
std::string served_text(const DeviceCodeHere& here, const Terminal& terminal);

/// The same as JSON.
std::string served_json(const DeviceCodeHere& here);

} // namespace hostpin::command
