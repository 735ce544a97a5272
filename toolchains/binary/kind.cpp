// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/kind.hpp"

#include <array>
#include <string_view>

namespace hostpin::binary {

namespace {

using namespace std::string_view_literals;

struct Row {
  std::string_view magic;
  InputKind kind;
};

// An archive that is cut within its magic is none yet.
constexpr auto rows = std::to_array<Row>({{"\x7f"
                                           "ELF"sv,
                                           InputKind::object},
                                          {"BC\xC0\xDE"sv, InputKind::bitcode},
                                          {"\xDE\xC0\x17\x0B"sv, InputKind::bitcode},
                                          {"\x50\xED\x55\xBA"sv, InputKind::fatbin},
                                          {"\xED\x43\x4E\x7F"sv, InputKind::ltoir},
                                          {"!<arch>\n"sv, InputKind::other},
                                          {"!<thin>\n"sv, InputKind::other}});

} // namespace

Reading<InputKind> input_kind(const Bytes& input) {
  const std::string_view head = input.up_to(0, 8);
  if (head.empty()) {
    if (input.size() != 0)
      return damaged("its first bytes cannot be read");
    if (input.whole_file())
      return damaged("it is empty");
    return InputKind::other; // no linker minds an empty member
  }
  for (const Row& row : rows) {
    if (head.starts_with(row.magic))
      return row.kind;
    if (row.magic.starts_with(head))
      return damaged("it ends after its first bytes");
  }
  return InputKind::other;
}

} // namespace hostpin::binary
