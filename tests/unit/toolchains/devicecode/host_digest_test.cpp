// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/binary/linked_builder.hpp"
#include "toolchains/devicecode/host_digest.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::devicecode;
using namespace hostpin::test;

namespace {

HostDigest digest_of(const std::string& bytes) {
  const binary::InputFile file{std::string_view(bytes)};
  const auto headers = binary::read_elf_headers(binary::Bytes(file));
  REQUIRE(headers);
  REQUIRE(*headers);
  const auto digest = host_digest(binary::Bytes(file), **headers);
  REQUIRE(digest);
  return *digest;
}

std::string changed(const std::function<void(LinkedBuilder&)>& change) {
  LinkedBuilder one, other;
  one.fatbins = other.fatbins = {fatbin_of({{2, 80}})};
  change(other);
  return differences(digest_of(one.build()), digest_of(other.build()));
}

} // namespace

TEST_CASE("the size of the device code, which moves the rest, does not matter to the host half") {
  CHECK(changed([](LinkedBuilder& file) {
          file.fatbins = {fatbin_of({{2, 80, 0, 0, 0, {}, 100000}, {2, 90}})};
        }).empty());
  CHECK(changed([](LinkedBuilder& file) { file.note = std::string(36, 'm'); }).empty());
  CHECK(changed([](LinkedBuilder& file) { file.first = std::string(64, 'g'); }).empty());
}

TEST_CASE("what fills the last page of PT_GNU_RELRO does not matter to it") {
  CHECK(changed([](LinkedBuilder& file) { file.padding = 0xbe0; }).empty());
}

TEST_CASE("sizes of sections, strings and the number of fatbins matter to it") {
  CHECK(changed([](LinkedBuilder& file) { file.tail += "longer"; }) == "sections");
  CHECK(changed([](LinkedBuilder& file) {
          file.rodata = std::string(193, 'r') + "_Z1kv" + std::string(2, '\0');
        }) == "text");
  CHECK(changed([](LinkedBuilder& file) { file.fatbins.push_back(fatbin_of({})); }) == "sections");
  CHECK(changed([](LinkedBuilder& file) { file.machine = EM_AARCH64; }) == "format");
}

TEST_CASE("of an object all bytes of the host half count, and none of the device code") {
  const auto object = [](const std::string& data, const Entry& entry) {
    LinkedBuilder file;
    file.type = ET_REL;
    file.data = data;
    file.fatbins = {fatbin_of({entry})};
    return digest_of(file.build());
  };
  const HostDigest one = object("data", {2, 80});
  CHECK(differences(one, object("data", {1, 90})).empty());
  CHECK(differences(one, object("date", {2, 80})) == "text");
}
