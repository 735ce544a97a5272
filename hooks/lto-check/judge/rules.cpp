// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/judge/rules.hpp"

#include <algorithm>
#include <array>

namespace hostpin::lto {

namespace {

/// A condition of a row.
enum class Condition { any, yes, no };

enum class Reader {
  any,
  nothing,
  plugin,
  collect2
}; ///< which part of the stream's own compiler the linker runs
enum class Output { any, executable, shared, relocatable };

struct Row {
  LtoFormat format;
  Condition slim;
  Reader reader;
  Output output;
  std::optional<LinkerFamily> family;
  Treatment treatment;
};

using enum LtoFormat;
using enum Treatment;
constexpr std::optional<LinkerFamily> every = std::nullopt;

// The first row that matches applies. Observed with GNU ld and gold 2.35 to 2.46, lld 13 to 22, mold 1.10,
// GCC 9 to 16, Clang 13 to 22, CUDA 11.2 to 13.0; tests/e2e/lto-check verifies each of them.
constexpr auto rows = std::to_array<Row>({
    // nvlink reads the device half only.
    {cuda_ltoir, Condition::any, Reader::any, Output::any, LinkerFamily::nvlink, reads_device},
    {gcc_lto, Condition::any, Reader::any, Output::any, LinkerFamily::nvlink, carries},
    {llvm_bitcode, Condition::any, Reader::any, Output::any, LinkerFamily::nvlink, carries},
    {llvm_fat, Condition::any, Reader::any, Output::any, LinkerFamily::nvlink, carries},
    {cuda_ltoir, Condition::any, Reader::any, Output::any, every, carries},
    // The plugin claims fat objects too, with or without -flto.
    {gcc_lto, Condition::any, Reader::plugin, Output::any, every, reads_same},
    // collect2 links the machine code first, and has GCC compile LTO code only if that succeeds.
    {gcc_lto, Condition::yes, Reader::collect2, Output::executable, every, misses_first},
    {gcc_lto, Condition::any, Reader::collect2, Output::any, every, reads_same},
    {gcc_lto, Condition::no, Reader::any, Output::any, every, machine_code},
    {gcc_lto, Condition::yes, Reader::any, Output::any, LinkerFamily::mold, rejects},
    // Sections are copied, and are still bytecode in the output.
    {gcc_lto, Condition::yes, Reader::any, Output::relocatable, every, carries},
    {gcc_lto, Condition::yes, Reader::any, Output::any, every, drops},
    {llvm_bitcode, Condition::any, Reader::plugin, Output::any, every, reads_older},
    {llvm_bitcode, Condition::any, Reader::any, Output::any, every, rejects},
    // Read by lld under --fat-lto-objects only.
    {llvm_fat, Condition::any, Reader::any, Output::any, every, machine_code},
});

bool fits(Condition condition, bool fact) {
  return condition == Condition::any || (condition == Condition::yes) == fact;
}

Reader reader_of(const Bitstream& stream, const Linker& linker, bool in_archive) {
  if (stream.format == gcc_lto && linker.gcc) {
    if (!linker.gcc->by_collect2)
      return Reader::plugin;
    // It reads the objects of its command, never archives.
    return in_archive ? Reader::nothing : Reader::collect2;
  }
  if (stream.format == llvm_bitcode && linker.llvm)
    return Reader::plugin;
  return Reader::nothing;
}

/// In tests a reader of that major loaded some of five small modules of producers up to `newest`, and none of
/// later ones, not even an empty module.
struct Compatibility {
  int reader, newest;
};
constexpr auto compatible = std::to_array<Compatibility>(
    {{13, 15}, {14, 15}, {15, 18}, {16, 18}, {17, 18}, {18, 18}, {19, 19}, {21, 22}});

/// The newest attribute that a reader knows; 20 is between 19 and 21, and not listed. From LLVMBitCodes.h and
/// the names in its library. From 15 on this alone decides whether it reads the symbols of a newer module;
/// before that, typed pointers do too.
struct Attributes {
  int reader;
  std::uint64_t newest;
};
constexpr auto attributes = std::to_array<Attributes>(
    {{14, 78}, {15, 84}, {16, 86}, {17, 87}, {18, 91}, {19, 95}, {21, 103}, {22, 105}});

} // namespace

// A newer release knows all attributes of an older one.
Glance glance_of(int reader, std::uint64_t newest_attribute) {
  constexpr int first_by_attributes_alone = 15;
  if (reader < attributes.front().reader || reader > attributes.back().reader)
    return Glance::chance;
  for (const Attributes& row : attributes) {
    if (row.reader <= reader && newest_attribute <= row.newest && reader >= first_by_attributes_alone)
      return Glance::passes;
    if (row.reader >= reader && newest_attribute > row.newest)
      return Glance::fails;
  }
  return Glance::chance;
}

Treatment treatment(const Bitstream& stream, const Linker& linker, const LinkShape& shape, bool in_archive) {
  if (stream.format == llvm_fat && shape.fat_bitcode && linker.family == LinkerFamily::lld)
    return reads_older;
  const Reader reader = reader_of(stream, linker, in_archive);
  const Output output = shape.relocatable ? Output::relocatable
                        : shape.shared    ? Output::shared
                                          : Output::executable;
  const auto* const row = std::find_if(rows.begin(), rows.end(), [&](const Row& candidate) {
    return candidate.format == stream.format && fits(candidate.slim, stream.slim) &&
           (candidate.reader == Reader::any || candidate.reader == reader) &&
           (candidate.output == Output::any || candidate.output == output) &&
           (!candidate.family || *candidate.family == linker.family);
  });
  return row == rows.end() ? carries : row->treatment;
}

bool may_load_newer(int producer, int reader) {
  for (const Compatibility& row : compatible)
    if (row.reader == reader)
      return producer <= row.newest;
  return true; // not tested
}

bool reads_every_member(const Bitstream& stream, const Linker& linker) {
  if (stream.format != llvm_bitcode || !linker.llvm)
    return false;
  // lld 15 began to read the members themselves rather than the archive's index.
  return linker.family == LinkerFamily::mold ||
         (linker.family == LinkerFamily::lld && linker.llvm->major >= 15);
}

} // namespace hostpin::lto
