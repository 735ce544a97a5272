// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/binary/fatbin_pieces.hpp"
#include "toolchains/binary/fatbin.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::binary;
using namespace hostpin::test;

TEST_CASE("the header of an entry has the kind of its code and its compression") {
  const auto head = device_code_head(entry({1, 103, zstd | specific, 21, 4306, "a.cu"}));
  REQUIRE(head);
  CHECK(head->code == DeviceCode::ptx);
  CHECK(head->architecture == 103);
  CHECK(head->variant == DeviceVariant::architecture_specific);
  CHECK(head->major == 8);
  CHECK(head->minor == 4);
  CHECK(head->header == 72);
  CHECK(head->payload == 24);
  CHECK(head->size == 21);
  CHECK(head->unpacked == 4306);
  CHECK(head->packing == DevicePacking::zstd);
  CHECK(head->name_at == 64);
  CHECK(head->name_size == 4);
}

TEST_CASE("an empty fatbin is the stub of a link if its wrapper is that of one, by their order") {
  const auto wrappers = [](const std::vector<std::uint32_t>& versions) {
    std::string segment;
    for (const std::uint32_t version : versions)
      segment += little(FatbinWrapper::magic, 4) + little(version, 4) + std::string(16, '\0');
    return segment;
  };
  const auto versions_in = [](const std::string& segment, std::uint64_t most) {
    const InputFile file(segment);
    return wrapper_versions(Bytes(file), most);
  };
  using Versions = std::vector<std::uint32_t>;
  CHECK(versions_in(wrappers({2, 1, 1}), 9) == Versions{2, 1, 1});
  CHECK(versions_in(wrappers({2, 1, 1}), 2) == Versions{2, 1});
  CHECK(versions_in(wrappers({2}) + std::string(24, 'x') + "cut", 9) == Versions{2, 0});
  CHECK(versions_in("", 9).empty());
  CHECK(link_stubs({true, false}, {2, 1}) == std::vector{true, false});
  CHECK(link_stubs({true, true, false}, {1, 2, 2}) == std::vector{false, true, false});
  CHECK(link_stubs({true, false}, {2, 1, 1}) == std::vector{false, false}); // not one for each
  CHECK(link_stubs({true}, {}) == std::vector{false});
}

TEST_CASE("variants and compression are flags") {
  const struct {
    std::uint64_t flags;
    DeviceVariant variant;
    DevicePacking packing;
  } rows[] = {{0x11, DeviceVariant::baseline, DevicePacking::none},
              {0x2011, DeviceVariant::baseline, DevicePacking::lz4},
              {0x8013, DeviceVariant::baseline, DevicePacking::zstd},
              {0x100011, DeviceVariant::architecture_specific, DevicePacking::none},
              {0x1200011, DeviceVariant::family_specific, DevicePacking::none},
              {0x208011, DeviceVariant::family_specific, DevicePacking::zstd}};
  for (const auto& row : rows) {
    const auto head = device_code_head(entry({2, 90, row.flags, 20, 100}));
    REQUIRE(head);
    CHECK(head->architecture == 90);
    CHECK(head->variant == row.variant);
    CHECK(head->packing == row.packing);
    CHECK(head->unpacked == (row.packing == DevicePacking::none ? 24 : 100));
  }
}

TEST_CASE("a header that is truncated or declares to be shorter has only its own fields") {
  const std::string whole = entry({2, 90, lz4, 20, 100});
  for (std::size_t size = 0; size < DeviceCodeHead::least_bytes; ++size)
    CHECK_FALSE(device_code_head(whole.substr(0, size)));
  const auto cut = device_code_head(whole.substr(0, 0x28));
  REQUIRE(cut);
  CHECK(cut->packing == DevicePacking::none);
  std::string shorter = whole;
  put(shorter, 4, little(0x30, 4)); // then the size when unpacked is the payload's
  CHECK(device_code_head(shorter)->unpacked == 0);
  put(shorter, 4, little(0x1f, 4));
  CHECK_FALSE(device_code_head(shorter));
}

TEST_CASE("a bundle has the pieces in its header") {
  // As fatbinary 13.5 writes it: a row of 64 bytes, a name or options after it, rounded up to 8.
  const auto row = [](unsigned kind, unsigned architecture, std::uint64_t begins, std::uint64_t size,
                      const std::string& name) {
    std::string bytes = entry({kind, architecture, 0x11, 0, 0, name, 0});
    put(bytes, 4, little(begins, 4) + little(size, 8));
    return bytes;
  };
  const auto bundle_of = [](const std::string& rows, unsigned count) {
    const std::string table = little(count, 4) + little(rows.size() + 8, 4) + rows;
    std::string bytes = entry({0x100, 0, zstd, 20, 300}).substr(0, 0x40) + table + std::string(24, '\x5a');
    put(bytes, 4, little(0x40 + table.size(), 4));
    return little(0xba55ed50, 4) + little(1, 2) + little(16, 2) + little(bytes.size(), 8) + bytes;
  };
  const auto read = [](const std::string& fatbin) {
    const InputFile file(fatbin);
    std::vector<EmbeddedCode> found;
    CHECK(each_fatbin(Bytes(file), [&](const std::vector<EmbeddedCode>& entries) -> Reading<bool> {
      found = entries;
      return true;
    }));
    REQUIRE(found.size() == 1);
    return found.front();
  };
  const std::string rows =
      row(2, 80, 0, 100, "a.cu") + row(2, 86, 100, 150, "") + row(1, 90, 250, 50, "b.cu");
  const EmbeddedCode bundle = read(bundle_of(rows, 3));
  CHECK(bundle.code == DeviceCode::other);
  REQUIRE(bundle.bundled.size() == 3);
  const DevicePieces all = pieces_of({bundle, bundle});
  CHECK(all.entries == std::vector<std::size_t>{0, 0, 0, 1, 1, 1});
  std::uint64_t bytes = 0;
  for (const DeviceCodeHead& piece : bundle.bundled)
    bytes += piece.header + piece.payload;
  CHECK(bytes == bundle.header + bundle.payload);
  const DeviceCodeHead& last = bundle.bundled.back();
  CHECK(last.code == DeviceCode::ptx);
  CHECK(last.architecture == 90);
  CHECK(last.major == 8);
  CHECK(last.packing == DevicePacking::bundle);
  CHECK(last.begins == 250);
  CHECK(last.unpacked == 50);
  CHECK(last.name_size == 4);
  CHECK(bundle_of(rows, 3).substr(16 + last.name_at, 4) == "b.cu");
  // Damage makes it an entry that is not known.
  CHECK(read(bundle_of(rows, 4)).bundled.empty());
  CHECK(read(bundle_of(rows, 0xffff)).bundled.empty());
  CHECK(read(bundle_of(row(2, 80, 0, 301, ""), 1)).bundled.empty());
  CHECK(read(bundle_of(row(2, 80, 299, 2, ""), 1)).bundled.empty());
  CHECK(read(bundle_of(rows.substr(0, 40), 1)).bundled.empty());
}

TEST_CASE("a fatbin's own header needs its magic and all of its bytes") {
  const std::string whole = fatbin_of({{2, 90}});
  const auto head = fatbin_head(whole);
  REQUIRE(head);
  CHECK(head->version == 1);
  CHECK(head->header == 16);
  CHECK(head->content == whole.size() - 16);
  CHECK_FALSE(fatbin_head(whole.substr(0, 15)));
  CHECK_FALSE(fatbin_head("no fatbin, but long enough"));
}
