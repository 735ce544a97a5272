// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whatever a report of a shard holds, it is refused with its name and a hint, or what was read of it is
// written and read again as the same.
#include "hooks/leak-check/report/merge.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

using namespace hostpin;

namespace {

const std::string version = "0.1.0";

ReadReport reading(std::string_view text) {
  return [text, at = std::size_t{0}](char* space, std::size_t size) mutable {
    const std::size_t count = std::min(size, text.size() - at);
    std::memcpy(space, text.data() + at, count);
    at += count;
    return Result<std::size_t>(count);
  };
}

struct Read {
  Findings findings;
  std::optional<ShardStamp> stamp;
};

Result<Read> read(std::string_view text) {
  Read all;
  auto done = read_shard(reading(text), "report", version, all.findings, [&](const ShardStamp& stamp) {
    all.stamp = stamp;
    return Result<void>();
  });
  return done.map([&] { return std::move(all); });
}

std::string written(const Read& all) {
  std::string text;
  report_shard(all.findings, *all.stamp, [&](std::string_view piece) {
    text += piece;
    return true;
  });
  return text;
}

void require(bool holds) {
  if (!holds)
    std::abort();
}

std::string seed(Findings findings, std::uint32_t index, std::uint32_t of) {
  Read all{std::move(findings), ShardStamp()};
  all.stamp->number = {index, of};
  all.stamp->version = version;
  all.stamp->options = {"--metadata"};
  all.stamp->exceptions = "e.toml";
  all.stamp->used = {{1, 2}};
  return written(all);
}

} // namespace

std::vector<std::string> seeds() {
  Findings findings;
  findings.files = 3;
  findings.found = {
      {Rule::wrong_libstdcxx,
       Severity::error,
       {"bin/a", {}, ".dynamic", std::nullopt, "/out"},
       "\xFF",
       "/x",
       "Why.",
       "Do."},
      {Rule::forbidden_reference, Severity::note, {"\xFE", {"y.o", "\xFD"}, {}, 9}, "/opt", {}, {}, {}}};
  findings.unseen = {{{"secret", {}, {}, std::nullopt}, "Permission denied"}};
  findings.found.leave_out(Rule::dangling_runpath, Severity::note, 3);
  DeviceCodeHead head;
  head.architecture = 90;
  findings.device_code.add(head);
  return {seed(Findings(), 1, 1), seed(std::move(findings), 2, 3),
          "{\"schema\": 1, \"files\": 1, \"findings\": []}", "[[[[[[[[[[[[]]]]]]]]]]]]"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto once = read(text);
  if (!once) {
    require(once.error().message.starts_with("report") && !once.error().hint.empty());
    return 0;
  }
  const ShardNumber number = once->stamp->number;
  require(number.index >= 1 && number.index <= number.of && number.of <= ShardNumber::most);
  const std::string first = written(*once);
  const auto twice = read(first);
  require(twice.has_value());
  require(written(*twice) == first);
  Merge merge(version);
  const auto added = merge.add(reading(text), "report");
  require(added.has_value());
  const auto all = merge.finish();
  require(all.has_value() == (number.of == 1 && once->findings.files == once->stamp->entries));
  return 0;
}
