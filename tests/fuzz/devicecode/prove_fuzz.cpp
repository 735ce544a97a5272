// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two files with device code: the size of the first in two bytes, then both. A file that can be read proves
// itself.
#include "tests/fuzz/devicecode/samples.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/binary/builder.hpp"
#include "tests/unit/toolchains/binary/linked_builder.hpp"
#include "toolchains/devicecode/prove.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

using namespace hostpin;

namespace {

std::string pair_of(const std::string& before, const std::string& after) {
  return test::little(before.size(), 2) + before + after;
}

void require(bool holds) {
  if (!holds)
    std::abort();
}

std::vector<gpus::Gpu> rows() {
  std::vector<gpus::Gpu> all;
  for (const gpus::Capability capability : {gpus::Capability{8, 0}, {8, 7}, {9, 0}})
    all.emplace_back().capability = capability;
  all[1].jetson = true;
  return all;
}

} // namespace

std::vector<std::string> seeds() {
  const std::string one = test::fatbin_of(
                        {{1, 80, test::lz4, 20, 99, "a.cu"}, {2, 90, test::specific}, {2, 80}}),
                    two = test::fatbin_of({{8, 80, test::zstd, 9, 80}, {2, 90}});
  test::LinkedBuilder file;
  file.version = 2;
  file.fatbins = {one, two};
  file.relocatables = {two};
  const std::string linked = file.build();
  file.pointers = test::Pointers::relr;
  std::vector<std::string> pairs = {
      pair_of(one + two, one + one), pair_of(linked, file.build()), pair_of(linked, linked),
      pair_of(test::ObjectBuilder().add(".nv_fatbin", one).build(),
              test::ObjectBuilder().add(".nv_fatbin", two).build()),
      pair_of(test::archive({{"a.o", one}, {"a.o", two}}), test::archive({{"a.o", two}, {"b", "text"}}))};
  for (const std::string& choices : test::with_choices({}, 6))
    pairs.push_back(pair_of(choices, choices.substr(0, choices.size() - 6)));
  return pairs;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (size < 2)
    return 0;
  const std::size_t first = std::min<std::size_t>(data[0] + std::size_t{256} * data[1], size - 2);
  const std::string before = test::device_file(bytes.substr(2, first)),
                    after = test::device_file(bytes.substr(2 + first));
  if (before.starts_with("!<thin>") || after.starts_with("!<thin>"))
    return 0; // would open other files
  static const std::vector<gpus::Gpu> table = rows();
  const devicecode::ProofTerms terms{table, {{8, 0}, {8, 7}, {9, 0}}, {}};
  if (const auto proof = devicecode::prove(binary::Blob(before), binary::Blob(after), terms)) {
    require(proof->differences.size() ==
            std::min<std::uint64_t>(proof->count, devicecode::Proof::most_listed));
    for (const devicecode::Difference& difference : proof->differences)
      require(!difference.where.empty() && !difference.what.empty());
  }
  const auto self = devicecode::prove(binary::Blob(before), binary::Blob(before), terms);
  require(!self || self->holds());
  return 0;
}
