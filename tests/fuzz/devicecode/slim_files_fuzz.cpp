// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects, archives and files of fatbins that lose device code.
#include "tests/fuzz/devicecode/samples.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/devicecode/gpu_rows.hpp"
#include "tests/unit/toolchains/devicecode/object_builder.hpp"
#include "toolchains/devicecode/objects.hpp"

#include <cstdlib>
#include <optional>

using namespace hostpin;
using namespace hostpin::devicecode;
using binary::Bytes;
using binary::InputFile;

namespace {

void require(bool holds) {
  if (!holds)
    std::abort();
}

/// What slimming makes of the bytes; nothing if it is refused.
std::optional<std::string> slimmed(const std::string& bytes, Slimming& numbers) {
  static const Keeping keeping{test::gpu_rows(), {{{8, 0}, true, false}}, PtxPolicy::newest};
  const InputFile file(bytes);
  const auto content = slim_file(Bytes(file), keeping, numbers);
  if (!content)
    return std::nullopt;
  std::string result;
  for (const binary::Piece& piece : content->pieces()) {
    require(piece.from ? piece.bytes.empty() : piece.bytes.size() == piece.size);
    require(!piece.from || (*piece.from <= bytes.size() && piece.size <= bytes.size() - *piece.from));
    result += piece.from ? bytes.substr(*piece.from, piece.size) : piece.bytes;
  }
  require(result.size() == content->size());
  return result;
}

std::uint64_t bytes_after(const Slimming& numbers) {
  std::uint64_t sum = 0;
  for (const auto& [code, amount] : numbers.codes) {
    require(amount.after <= amount.before);
    sum += amount.after;
  }
  return sum;
}

} // namespace

std::vector<std::string> seeds() {
  test::DeviceObject object;
  object.fatbins = {test::fatbin_of({{2, 80}, {2, 90}, {1, 90}}), test::fatbin_of({{2, 90}})};
  const std::string plain = object.build();
  object.own_symbols = true;
  object.section = "__nv_relfatbin";
  object.alignment_behind = 64;
  const std::string symbols = object.build();
  return test::with_choices({plain, symbols, test::ar_of({{"a.o", plain}, {"b.o", symbols}}),
                             test::ar_of({{"a.a", test::ar_of({{"a.o", plain}})}}, true),
                             object.fatbins[0] + object.fatbins[1]},
                            16);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = test::device_file({reinterpret_cast<const char*>(data), size});
  Slimming first, second;
  const auto once = slimmed(bytes, first);
  if (!once)
    return 0;
  require(once->size() <= bytes.size());
  require(first.changes() || *once == bytes);
  // The result is as whole as the input was, holds what was counted, and nothing more can be removed.
  const auto twice = slimmed(*once, second);
  require(twice == once);
  require(second.fatbins == first.fatbins);
  require(bytes_after(second) == bytes_after(first));
  return 0;
}
