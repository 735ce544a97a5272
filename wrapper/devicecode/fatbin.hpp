// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/terminal.hpp"
#include "toolchains/devicecode/note.hpp"
#include "toolchains/fatbin/expectation.hpp"
#include "toolchains/fatbin/inventory.hpp"
#include "toolchains/gpus/gpus.hpp"
#include "wrapper/command/json_text.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::command {

/// A file compared with what is expected.
struct FatbinVerdict {
  fatbin::Comparison comparison;
  bool agrees = false;
  bool only_jetsons_too_many = false; ///< nvcc's own `all` includes them and hostpin's lists do not
  std::string advice;                 ///< how to fix it; empty if it agrees
};

/// Everything that `fatbin` prints.
struct FatbinAnswer {
  fatbin::Inventory inventory;
  std::vector<std::optional<devicecode::Note>> notes; ///< of each file, if hostpin changed its device code
  std::optional<gpus::GpuExpansion> expected;
  /// One for each file if something is expected; nothing for a file that could not be read completely,
  /// because what is missing may be in the rest.
  std::vector<std::optional<FatbinVerdict>> verdicts;
  bool members = false;
  bool each = false; ///< each fatbin must contain what is expected

  /// Whether there is device code and all of it agrees; nothing if nothing is expected or something could not
  /// be read.
  std::optional<bool> agrees() const;
};

/// `1.5 MB`; below 1 KB in bytes.
std::string size_text(std::uint64_t bytes);

/// Some of the members that lack it: ` (a.o, b.o and 3 more)`; empty if the file has no members.
std::string members_text(const fatbin::HeldCode& code, const fatbin::FileInventory& file);

/// A table for each file, and the total if there are several.
std::string fatbin_text(const FatbinAnswer& answer, const Terminal& terminal);

/// Whether all of it could be read and has no device code, or none with functions: true only of a named file.
bool has_no_device_code(const fatbin::FileInventory& file);

/// What hostpin wrote into a file that it changed; nothing for a file that it did not change.
std::optional<devicecode::Note> note_of(const fatbin::FileInventory& file);

/// `slimmed for 9.0, 12.0`.
std::string note_text(const devicecode::Note& note);

/// What a file that does not agree lacks, and what is surplus.
Error disagreement(const fatbin::FileInventory& file, const FatbinVerdict& verdict,
                   const std::optional<devicecode::Note>& note, bool each);

/// What `--json` prints of a file apart from its comparison.
Json fatbin_file_json(const fatbin::FileInventory& file, const std::optional<devicecode::Note>& note);

/// The same as JSON; the schema is in wrapper/devicecode/README.md.
std::string fatbin_json(const FatbinAnswer& answer);

} // namespace hostpin::command
