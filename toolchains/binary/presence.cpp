// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/presence.hpp"

#include "toolchains/binary/fatbin.hpp"
#include "toolchains/binary/inputs.hpp"
#include "toolchains/binary/kind.hpp"

#include <algorithm>

namespace hostpin::binary {

namespace {

/// True for damage as well, so that the caller reports it.
bool fatbins_hold_ltoir(const Bytes& bytes) {
  bool found = false;
  const auto read = each_fatbin(bytes, [&](const std::vector<EmbeddedCode>& fatbin) -> Reading<bool> {
    found = found || std::any_of(fatbin.begin(), fatbin.end(),
                                 [](const EmbeddedCode& entry) { return entry.code == DeviceCode::ltoir; });
    return !found;
  });
  return found || !read;
}

bool section_holds_lto(const SectionTable& sections, const ObjectSection& section) {
  const auto name = sections.name_bytes(section);
  if (!name)
    return true;
  const auto content = sections.content(section);
  switch (role(section, *name)) {
  case SectionRole::none:
  case SectionRole::comment:
    return false;
  case SectionRole::device:
    return !content || fatbins_hold_ltoir(*content);
  case SectionRole::llvm_module:
    return !content || content->size() > 1;
  case SectionRole::gcc_version:
  case SectionRole::gcc_declarations:
  case SectionRole::gcc_assembler:
  case SectionRole::gcc_symbols:
  case SectionRole::gcc_other:
    break;
  }
  return true;
}

bool object_holds_lto(const Bytes& bytes) {
  const auto sections = SectionTable::open(bytes);
  if (!sections || !*sections)
    return !sections;
  const auto none = (*sections)->each([&](const ObjectSection& section) {
    return !may_hold_code(section) || !section_holds_lto(**sections, section);
  });
  return !none || !*none;
}

} // namespace

bool may_hold_lto(const Bytes& input) {
  const auto kind = input_kind(input);
  if (!kind)
    return true;
  switch (*kind) {
  case InputKind::object:
    return object_holds_lto(input);
  case InputKind::fatbin:
    return fatbins_hold_ltoir(input);
  case InputKind::bitcode:
  case InputKind::ltoir:
    return true;
  case InputKind::other:
    break;
  }
  return false;
}

bool may_hold_lto(const std::string& path) {
  bool found = false;
  each_input(path, [&](const InputName&, const Result<Bytes>& bytes) {
    found = !bytes || may_hold_lto(*bytes);
    return !found;
  });
  return found;
}

} // namespace hostpin::binary
