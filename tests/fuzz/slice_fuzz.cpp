// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files whose device code is sliced and merged: programs, libraries, fatbins, slices.
#include "tests/fuzz/devicecode/samples.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/binary/linked_builder.hpp"
#include "toolchains/devicecode/merge.hpp"
#include "toolchains/devicecode/repack.hpp"
#include "toolchains/fatbin/holding.hpp"

#include <cstdlib>
#include <set>

using namespace hostpin;
using namespace hostpin::devicecode;

namespace {

void require(bool holds) {
  if (!holds)
    std::abort();
}

std::optional<DeviceContent> content_of(const binary::InputFile& file) {
  auto code = read_device_code(binary::Bytes(file));
  return code ? *std::move(code) : std::nullopt;
}

/// A slice has what was cut, and can be merged into the file that it was cut from.
void require_slice(const Source& file, gpus::Capability gpu) {
  const auto bytes = slice_of(file.bytes, file.code, gpu);
  if (!bytes)
    return;
  const binary::InputFile cut{std::string_view(*bytes)};
  const auto code = content_of(cut);
  require(code && code->slice_of == gpu && code->host == file.code.host &&
          code->fatbins.size() == file.code.fatbins.size());
  std::size_t entries = 0;
  for (const DeviceContent::Part& fatbin : code->fatbins)
    for (const binary::EmbeddedCode& entry : fatbin.entries) {
      require(fatbin::capability_of(entry) == gpu);
      ++entries;
    }
  const auto merge = merged(file, {{"slice", binary::Bytes(cut), *code}});
  require(file.code.slice_of || (merge && merge->added.empty() && merge->present == entries));
}

void require_fatbins(const std::vector<std::string>& fatbins) {
  for (const std::string& bytes : fatbins) {
    const binary::InputFile file{std::string_view(bytes)};
    require(content_of(file).has_value());
  }
}

} // namespace

std::vector<std::string> seeds() {
  test::LinkedBuilder file;
  file.fatbins = {test::fatbin_of({{2, 80}, {1, 80, test::lz4, 20, 99}}),
                  test::fatbin_of({{2, 90, test::specific}})};
  const std::string library = file.build();
  const binary::InputFile source{std::string_view(library)};
  const auto code = content_of(source);
  return test::with_choices({library, test::fatbin_of({{2, 80}, {8, 90}}) + test::fatbin_of({}),
                             *slice_of(binary::Bytes(source), *code, {8, 0})},
                            16);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = test::device_file({reinterpret_cast<const char*>(data), size});
  const binary::InputFile file{std::string_view(bytes)};
  const auto code = content_of(file);
  if (!code)
    return 0;
  const Source source{"file", binary::Bytes(file), *code};
  std::set<gpus::Capability> gpus;
  for (const DeviceContent::Part& fatbin : code->fatbins)
    for (const binary::EmbeddedCode& entry : fatbin.entries)
      gpus.insert(fatbin::capability_of(entry));
  for (const gpus::Capability& gpu : gpus)
    require_slice(source, gpu);
  if (const auto packed = repacked(source.bytes, source.code, {fatbin::CompressMode::speed, true}, 1))
    require_fatbins(packed->fatbins);
  return 0;
}
