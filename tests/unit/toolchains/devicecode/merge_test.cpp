// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/binary/linked_builder.hpp"
#include "tests/unit/toolchains/fatbin/pieces.hpp"
#include "toolchains/devicecode/merge.hpp"

#include <deque>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::devicecode;
using namespace hostpin::test;

namespace {

constexpr gpus::Capability sm_80{8, 0}, sm_90{9, 0};

/// Files that are merged, and their bytes.
class Sources {
public:
  const Source& add(const std::string& name, const std::string& bytes) {
    bytes_.push_back(bytes);
    files_.emplace_back(std::string_view(bytes_.back()));
    const binary::Bytes file(files_.back());
    auto code = read_device_code(file);
    REQUIRE(code);
    REQUIRE(*code);
    sources_.push_back({name, file, *std::move(*code)});
    return sources_.back();
  }

private:
  std::deque<std::string> bytes_;
  std::deque<binary::InputFile> files_;
  std::deque<Source> sources_;
};

std::string library(const std::vector<std::string>& fatbins, const std::string& strings = "_Z6kernelPf") {
  LinkedBuilder file;
  file.rodata = strings + std::string(200 - strings.size(), '\0');
  file.fatbins = fatbins;
  return file.build();
}

std::string slice(Sources& sources, const std::string& bytes, gpus::Capability gpu) {
  const Source& whole = sources.add("whole", bytes);
  const auto cut = slice_of(whole.bytes, whole.code, gpu);
  REQUIRE(cut);
  return *cut;
}

std::string merged_text(const Source& file, const std::vector<Source>& others) {
  const auto result = merged(file, others);
  if (!result)
    return '!' + result.error().message;
  std::string text;
  for (const std::string& fatbin : result->fatbins)
    text.append(text.empty() ? "" : "; ").append(told(fatbin));
  return text;
}

} // namespace

TEST_CASE("a slice holds the entries of one capability, fatbin by fatbin, and the host half's digest") {
  Sources sources;
  const std::string whole = library({fatbin_of({{2, 80}, {2, 90}, {1, 90}}), fatbin_of({{2, 90, specific}})});
  const Source& cut = sources.add("a.slice", slice(sources, whole, sm_90));
  CHECK(cut.code.slice_of == sm_90);
  CHECK(cut.code.host == sources.add("whole", whole).code.host);
  REQUIRE(cut.code.fatbins.size() == 2);
  CHECK(cut.code.fatbins[0].entries.size() == 2);
  CHECK(cut.code.fatbins[1].entries.empty()); // 9.0a is another capability
  CHECK(entry_bytes(cut.bytes, cut.code.fatbins[0].entries[1]) == entry({1, 90}));
}

TEST_CASE("a file without code for that GPU has no slice") {
  Sources sources;
  const Source& whole = sources.add("whole", library({fatbin_of({{2, 80}})}));
  const auto cut = slice_of(whole.bytes, whole.code, sm_90);
  REQUIRE_FALSE(cut);
  CHECK(cut.error().message == "it has no device code for 9.0");
}

TEST_CASE("merging puts capabilities in ascending order and machine code before PTX") {
  Sources sources;
  const Source& file = sources.add("file", library({fatbin_of({{1, 90}, {2, 90}}), fatbin_of({{2, 90}})}));
  const Source& twin = sources.add("twin", library({fatbin_of({{2, 80}}), fatbin_of({{2, 80}, {1, 80}})}));
  const auto result = merged(file, {twin});
  REQUIRE(result);
  CHECK(result->fatbins[0] == fatbin_of({{2, 80}, {2, 90}, {1, 90}}));
  CHECK(result->fatbins[1] == fatbin_of({{2, 80}, {1, 80}, {2, 90}}));
  CHECK(result->added.at({sm_80, binary::DeviceCode::cubin}) == 2);
  CHECK(result->present == 0);
}

TEST_CASE("slices and twins give the same") {
  Sources sources;
  const std::string all = library({fatbin_of({{2, 80}, {2, 90}})});
  const Source& file = sources.add("file", library({fatbin_of({{2, 80}})}));
  const Source& cut = sources.add("a.slice", slice(sources, all, sm_90));
  CHECK(merged(file, {cut})->fatbins == merged(file, {sources.add("all", all)})->fatbins);
}

TEST_CASE("the same code for the same GPU is kept once, and other code is refused") {
  Sources sources;
  const Source& file = sources.add("file", library({fatbin_of({{2, 80}, {1, 80}})}));
  CHECK(merged(file, {file, file})->fatbins[0] == fatbin_of({{2, 80}, {1, 80}}));
  CHECK(merged(file, {file})->present == 2);
  std::string other = fatbin_of({{2, 80}, {1, 80}});
  other[16 + 64] = 'x';
  CHECK(merged_text(file, {sources.add("other", library({other}))}) ==
        "!other and file have different 8.0 machine code (fatbin 1 of 1)");
  const Source& twice = sources.add("twice", library({fatbin_of({{2, 80}, {2, 80}, {1, 80}})}));
  CHECK(merged_text(file, {twice}).starts_with("!twice and file have different 8.0 machine code"));
}

TEST_CASE("another host half is refused, and what differs is named") {
  Sources sources;
  const Source& file = sources.add("file", library({fatbin_of({{2, 80}})}));
  const std::string other = library({fatbin_of({{2, 90}})}, "_Z5otherPf");
  CHECK(merged_text(file, {sources.add("other", other)}) ==
        "!other belongs to another host half than file: they differ in text");
  CHECK(merged_text(file, {sources.add("a.slice", slice(sources, other, sm_90))}) ==
        "!a.slice belongs to another host half than file: they differ in text");
  const Source& more = sources.add("more", library({fatbin_of({{2, 90}}), fatbin_of({})}));
  CHECK(merged_text(file, {more}).ends_with("they differ in sections"));
  CHECK(merged_text(more, {file}).ends_with("they differ in sections"));
}

TEST_CASE("a slice gets nothing added") {
  Sources sources;
  const std::string whole = library({fatbin_of({{2, 80}})});
  const Source& cut = sources.add("a.slice", slice(sources, whole, sm_80));
  CHECK(merged_text(cut, {cut}) == "!a.slice is a slice, and has no host half");
}

TEST_CASE("fatbins without a host half are merged as well") {
  Sources sources;
  const Source& file = sources.add("a.fatbin", fatbin_of({{2, 80}}));
  CHECK(merged(file, {sources.add("b.fatbin", fatbin_of({{2, 90}}))})->fatbins[0] ==
        fatbin_of({{2, 80}, {2, 90}}));
  CHECK(merged_text(file, {sources.add("library", library({fatbin_of({{2, 90}})}))})
            .starts_with("!library belongs"));
}

TEST_CASE("a slice that was changed or cut anywhere is damaged") {
  Sources sources;
  const std::string whole = slice(sources, library({fatbin_of({{2, 80}})}), sm_80);
  const auto reason = [](const std::string& bytes) {
    const binary::InputFile file{std::string_view(bytes)};
    const auto read = read_device_code(binary::Bytes(file));
    return read ? std::string(*read ? "read" : "nothing") : read.error().what;
  };
  CHECK(reason(whole) == "read");
  for (std::size_t size = 16; size < whole.size(); ++size)
    CHECK(reason(whole.substr(0, size)) != "read");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string wrong = whole;
    wrong[at] = static_cast<char>(wrong[at] ^ 0x10);
    CHECK(reason(wrong) != "read");
  }
  std::string newer = whole;
  newer[14] = '2';
  CHECK(reason(newer) == "it is a slice of an unknown version");
}
