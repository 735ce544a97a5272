// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/signature.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/stat.h>
#include <sys/xattr.h>

namespace hostpin::binary {

namespace {

/// `.codesign`: OpenHarmony's binary-sign-tool; `.SUNW_signature`: elfsign(1). The others are names that
/// signing tools have by convention only.
constexpr auto sections = std::to_array<std::string_view>(
    {".SUNW_signature", ".codesign", ".digsig", ".note.signature", ".rsasig", ".sig", ".signature"});
static_assert(std::is_sorted(sections.begin(), sections.end()));

/// MODULE_SIG_STRING of include/linux/module_signature.h.
constexpr std::string_view appended = "~Module signature appended~\n";

/// The first byte of both attributes: enum evm_ima_xattr_type of security/integrity/integrity.h.
enum class AttributeType : unsigned char { digsig = 3, portable_digsig = 5, verity_digsig = 6 };

} // namespace

std::optional<std::string> signature_in(const Bytes& file, const ElfHeaders& headers) {
  for (const Elf64_Shdr& section : headers.sections) {
    const std::string_view name = headers.name(section);
    if (section.sh_type != SHT_NULL && std::binary_search(sections.begin(), sections.end(), name))
      return "it is signed: it has a section " + std::string(name);
  }
  if (file.size() >= appended.size() && file.view(file.size() - appended.size(), appended.size()) == appended)
    return "it is signed: a signature is appended to it";
  return std::nullopt;
}

bool is_signature(std::string_view attribute) {
  if (attribute.empty())
    return false;
  const auto type = static_cast<AttributeType>(attribute.front());
  return type == AttributeType::digsig || type == AttributeType::portable_digsig ||
         type == AttributeType::verity_digsig;
}

std::optional<std::string> signature_of(const OpenFile& file) {
  for (const char* const name : {"security.ima", "security.evm"}) {
    std::array<char, 4096> value{};
    const ssize_t size = ::fgetxattr(file.descriptor(), name, value.data(), value.size());
    // One that is longer than any digest is a signature.
    if (size < 0 ? errno == ERANGE : is_signature({value.data(), static_cast<std::size_t>(size)}))
      return std::string("it is signed: it has a signature in its extended attribute ") + name;
  }
  struct statx status {};
  if (::statx(file.descriptor(), "", AT_EMPTY_PATH, STATX_TYPE, &status) == 0 &&
      (status.stx_attributes & STATX_ATTR_VERITY) != 0)
    return "it is sealed by fs-verity";
  return std::nullopt;
}

} // namespace hostpin::binary
