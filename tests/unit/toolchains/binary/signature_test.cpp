// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/binary/signature.hpp"

#include <cstddef>
#include <elf.h>
#include <filesystem>
#include <string>
#include <sys/xattr.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::binary;

namespace {

/// An object with one section of that name.
std::string object_with(const std::string& section) {
  std::string bytes(64, '\0');
  const auto put = [&](std::size_t at, std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
      bytes[at + i] = static_cast<char>(value >> 8 * i);
  };
  const std::string names = std::string(1, '\0') + section + '\0';
  bytes.replace(0, 7,
                "\x7f"
                "ELF\2\1\1");
  bytes += names;
  const std::size_t table = bytes.size();
  bytes.resize(table + 3 * sizeof(Elf64_Shdr));
  put(offsetof(Elf64_Ehdr, e_shoff), table, 8);
  put(offsetof(Elf64_Ehdr, e_shentsize), sizeof(Elf64_Shdr), 2);
  put(offsetof(Elf64_Ehdr, e_shnum), 3, 2);
  put(offsetof(Elf64_Ehdr, e_shstrndx), 1, 2);
  const std::size_t strings = table + sizeof(Elf64_Shdr), named = strings + sizeof(Elf64_Shdr);
  put(strings + offsetof(Elf64_Shdr, sh_type), SHT_STRTAB, 4);
  put(strings + offsetof(Elf64_Shdr, sh_offset), 64, 8);
  put(strings + offsetof(Elf64_Shdr, sh_size), names.size(), 8);
  put(named + offsetof(Elf64_Shdr, sh_name), 1, 4);
  put(named + offsetof(Elf64_Shdr, sh_type), SHT_PROGBITS, 4);
  return bytes;
}

std::string found_in(const std::string& bytes) {
  const InputFile file{std::string_view(bytes)};
  const auto headers = read_elf_headers(Bytes(file));
  REQUIRE(headers);
  REQUIRE(*headers);
  return signature_in(Bytes(file), **headers).value_or("");
}

} // namespace

TEST_CASE("a section that signing tools write is a signature, whatever its content") {
  for (const char* const name :
       {".SUNW_signature", ".codesign", ".digsig", ".note.signature", ".rsasig", ".sig", ".signature"})
    CHECK(found_in(object_with(name)) == std::string("it is signed: it has a section ") + name);
  for (const char* const name : {".text", ".sigs", ".si", ""})
    CHECK(found_in(object_with(name)).empty());
}

TEST_CASE("a signature may be appended, as the kernel's sign-file does") {
  CHECK(found_in(object_with(".text") + "PKCS#7~Module signature appended~\n") ==
        "it is signed: a signature is appended to it");
  CHECK(found_in(object_with(".text") + "~Module signature appended~").empty());
  CHECK(found_in(object_with(".text") + "~Module signature appended~\n\n").empty());
}

TEST_CASE("of IMA's and EVM's attributes, digests and HMACs are not signatures") {
  for (const char type : {'\3', '\5', '\6'})
    CHECK(is_signature(std::string(1, type) + "\2\4"));
  for (const char type : {'\0', '\1', '\2', '\4', '\7'})
    CHECK_FALSE(is_signature(std::string(1, type) + "\2\4"));
  CHECK_FALSE(is_signature(""));
}

TEST_CASE("a signature in an extended attribute is found, if the file system has these") {
  const auto place = ScratchDirectory::make(std::filesystem::temp_directory_path().string());
  REQUIRE(place);
  const std::string path = place->path() + "/file";
  REQUIRE(replace_file(path, "content", false));
  const auto signature = [&] {
    const auto blob = open_blob(path);
    REQUIRE(blob);
    return signature_of(*blob->file()).value_or("");
  };
  CHECK(signature().empty());
  for (const std::string name : {"security.ima", "security.evm"}) {
    const std::string digest = "\4\4digest", signed_by = "\3\2signature";
    if (::setxattr(path.c_str(), name.c_str(), digest.data(), digest.size(), 0) != 0)
      continue; // only root may, and only in some file systems
    CHECK(signature().empty());
    REQUIRE(::setxattr(path.c_str(), name.c_str(), signed_by.data(), signed_by.size(), 0) == 0);
    CHECK(signature() == "it is signed: it has a signature in its extended attribute " + name);
    REQUIRE(::removexattr(path.c_str(), name.c_str()) == 0);
  }
}
