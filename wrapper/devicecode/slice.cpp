// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/slice.hpp"

#include "toolchains/devicecode/rewriting.hpp"
#include "toolchains/gpus/item.hpp"
#include "wrapper/devicecode/commands.hpp"
#include "wrapper/devicecode/source.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

Result<gpus::Capability> gpu_of(const std::string& text) {
  const auto item = gpus::listed_capability(text);
  if (!item)
    return failure(fmt::format("--gpu {}: {}", gpus::visible(text, 60), item.error().message),
                   "name one, such as 9.0 or 9.0a");
  if (item->ptx || !item->cubin)
    return failure(fmt::format("--gpu {}: a slice holds machine code and PTX", text),
                   fmt::format("write --gpu {}", gpus::to_string(item->capability)));
  return item->capability;
}

Result<void> write_slice(const SliceOptions& options) {
  TRY_ASSIGN(const auto gpu, gpu_of(options.gpu));
  if (auto wrong = wrong_output(options.output, {options.path}))
    return tl::unexpected(*std::move(wrong));
  TRY_ASSIGN(const auto open, open_source(options.path));
  auto bytes = devicecode::slice_of(open.source.bytes, open.source.code, gpu);
  if (const auto trouble = open.file->trouble())
    return failure(fmt::format("{}: {}", open.source.name, trouble->message), trouble->hint);
  if (!bytes)
    return failure(fmt::format("{}: {}", open.source.name, bytes.error().message),
                   fmt::format("hostpin fatbin {} lists what it has", open.source.name));
  devicecode::Rewriting content;
  content.add(*std::move(bytes));
  return devicecode::write_file(content, open.blob, options.output, devicecode::Properties::data);
}

/// What was added, as lines of a table.
void print(const devicecode::Merged& merged, const std::string& output) {
  for (const auto& [code, count] : merged.added)
    fmt::print("{}: {} added to {} {}\n", output, to_string(code), count, count == 1 ? "fatbin" : "fatbins");
  if (merged.added.empty())
    fmt::print("{}: nothing to add\n", output);
}

int merge(const MergeOptions& options) {
  std::vector<std::string> inputs = options.sources;
  inputs.push_back(options.path);
  if (const auto wrong = wrong_output(options.output, inputs))
    return failed(*wrong);
  const auto file = open_source(options.path);
  if (!file)
    return failed(file.error());
  std::vector<OpenSource> open;
  std::vector<devicecode::Source> others;
  for (const std::string& path : options.sources) {
    auto other = open_source(path);
    if (!other)
      return failed(other.error());
    others.push_back(other->source);
    open.push_back(*std::move(other));
  }
  auto merged = devicecode::merged(file->source, others);
  for (const OpenSource& other : open)
    if (const auto trouble = other.file->trouble())
      return failed({fmt::format("{}: {}", other.source.name, trouble->message), trouble->hint});
  const auto refusal = merged ? forbidden(*file, options.licensed_to_modify) : std::optional(merged.error());
  if (refusal) {
    report(*refusal);
    return exit_refused;
  }
  std::vector<gpus::Capability> more;
  for (const auto& [code, count] : merged->added)
    more.push_back(code.capability);
  if (const auto written = write_with_fatbins(*file, std::move(merged->fatbins), more, options.output,
                                              devicecode::Properties::mode);
      !written)
    return failed(written.error());
  print(*merged, options.output);
  return exit_fine;
}

} // namespace

int run_fatbin_slice(const Context& context, const SliceOptions& options) {
  return run_and_commit(context, [&](const Context&) {
    const auto written = write_slice(options);
    return written ? exit_fine : failed(written.error());
  });
}

int run_fatbin_merge(const Context& context, const MergeOptions& options) {
  return run_and_commit(context, [&](const Context&) { return merge(options); });
}

} // namespace hostpin::command
