// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"
#include "toolchains/gpus/capability.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::devicecode {

/// What hostpin notes in a file whose device code it changed: a program that does not check its launches
/// computes with wrong values on a GPU that there is no code for, so what a file serves has to be visible.
struct Note {
  static constexpr const char* section = ".note.hostpin";

  std::vector<gpus::Capability> gpus; ///< ascending: the GPUs that the file has all of its device code for
  std::string ptx; ///< which PTX is left: `newest`, `needed`, `none`, `all`; empty if not known

  bool operator==(const Note&) const = default;
};

/// The content of the section: an ELF note of the name `hostpin` and type 1, whose text is lines such as
/// `gpus=9.0;12.0`. The same note gives the same bytes.
std::string note_bytes(const Note& note);

/// Reads the content of the section; nothing if it is not such a note. Unknown lines are ignored.
std::optional<Note> note_in(std::string_view bytes);

/// The note of an ELF file; nothing if it has none.
std::optional<Note> read_note(const binary::Bytes& file);

} // namespace hostpin::devicecode
