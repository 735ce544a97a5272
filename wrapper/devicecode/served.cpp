// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/devicecode/served.hpp"

#include "toolchains/base/unicode.hpp"
#include "toolchains/binary/bytes.hpp"
#include "toolchains/devicecode/objects.hpp"
#include "toolchains/gpus/native.hpp"
#include "wrapper/command/capabilities.hpp"
#include "wrapper/devicecode/fatbin.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

using devicecode::Carrier;

/// The GPUs of a list, or of this machine.
Result<std::vector<gpus::Capability>> gpus_for(const Context& context, const std::vector<gpus::Gpu>& rows,
                                               const std::optional<std::string>& list,
                                               const std::optional<Version>& toolkit) {
  std::vector<gpus::Capability> found;
  if (list) {
    // GPUs that it does not compile for can run the code of another one
    const bool needs_toolkit = gpus::depends_on_toolkit(*list);
    const auto expansion =
        expanded(context, rows, *list, needs_toolkit ? toolkit : std::optional<Version>(), false);
    if (!expansion)
      return tl::unexpected(expansion.error());
    for (const gpus::GpuTarget& target : expansion->targets)
      found.push_back(gpus::baseline(target.capability));
  } else {
    auto native =
        gpus::native_capabilities(context.processes, {context.tree.command, "capabilities", "--ask-driver"});
    if (!native)
      return tl::unexpected(native.error());
    found = *std::move(native);
  }
  const std::set<gpus::Capability> unique(found.begin(), found.end());
  return std::vector<gpus::Capability>(unique.begin(), unique.end());
}

/// Of a file without device code that the CUDA runtime would load.
std::string why_nothing_is_compared(const std::string& path) {
  fatbin::Holding embedded;
  if (const auto input = binary::InputFile::open(path))
    fatbin::read_embedded(binary::Bytes(**input), embedded);
  std::string codes;
  for (const auto& [code, amount] : embedded.codes)
    codes += (codes.empty() ? "" : ", ") + fatbin::to_string(code);
  return "nothing was compared: " +
         (codes.empty() ? "there is no device code that the CUDA runtime loads"
                        : "the program itself passes its device code to the NVIDIA driver (" + codes + ")");
}

/// What slimming for these GPUs would find missing: nothing is written, and all PTX counts.
Result<devicecode::Slimming> serving(const std::string& path, const devicecode::Keeping& keeping) {
  TRY_ASSIGN(const auto input, binary::InputFile::open(path));
  const binary::Bytes bytes(*input);
  const auto kind = devicecode::carrier(bytes);
  devicecode::Slimming numbers;
  if (kind && (*kind == Carrier::none || *kind == Carrier::thin))
    return failure("this kind of file is not compared with GPUs");
  const auto content = !kind                      ? tl::unexpected(kind.error())
                       : *kind == Carrier::linked ? devicecode::slim_program(bytes, keeping, numbers)
                                                  : devicecode::slim_file(bytes, keeping, numbers);
  if (const auto trouble = input->trouble())
    return tl::unexpected(*trouble);
  if (!content)
    return failure(content.error().what);
  return numbers;
}

} // namespace

bool DeviceCodeHere::is_served() const {
  return std::all_of(files.begin(), files.end(), [](const ExaminedFile& file) {
    return !file.serving || file.serving->all_unserved == 0;
  });
}

namespace {

Result<DeviceCodeHere> examined(const Context& context, const ServedOptions& options,
                                const std::optional<Version>& toolkit) {
  TRY_ASSIGN(const auto rows, gpus::load_gpus(context.files, context.tree.data));
  DeviceCodeHere here{gpus_for(context, rows, options.list, toolkit), options.list.has_value(), {}, {}};
  if (options.list && !here.gpus)
    return tl::unexpected(here.gpus.error());
  devicecode::Keeping keeping{rows, {}, devicecode::PtxPolicy::all};
  if (here.gpus)
    for (const gpus::Capability& gpu : *here.gpus)
      keeping.targets.push_back({gpu});
  fatbin::Inventory inventory = fatbin::inventory(options.files);
  here.unread = std::move(inventory.unread);
  for (fatbin::FileInventory& file : inventory.files) {
    ExaminedFile examined{std::move(file), {}, failure("there are no GPUs to compare it with")};
    examined.note = note_of(examined.inventory);
    if (examined.inventory.whole && examined.inventory.holding.fatbins == 0)
      examined.serving = failure(why_nothing_is_compared(examined.inventory.path));
    else if (has_no_device_code(examined.inventory))
      examined.serving = devicecode::Slimming();
    else if (here.gpus)
      examined.serving = serving(examined.inventory.path, keeping);
    here.files.push_back(std::move(examined));
  }
  return here;
}

/// Reports what could not be read.
int code_of(const DeviceCodeHere& here) {
  for (const fatbin::Unread& unread : here.unread)
    report({escaped(unread.name) + ": " + unread.error.message, unread.error.hint});
  if (!here.unread.empty())
    return exit_broken;
  return here.is_served() ? exit_fine : exit_refused;
}

} // namespace

int run_fatbin_served(const Context& context, const ServedOptions& options) {
  const auto here =
      examined(context, options, options.release ? parse_version(*options.release) : std::nullopt);
  if (!here) {
    report(here.error());
    return exit_broken;
  }
  const Terminal terminal(options.colours, options.width);
  fmt::print("{}", options.json ? served_json(*here) : served_text(*here, terminal));
  return code_of(*here);
}

} // namespace hostpin::command
