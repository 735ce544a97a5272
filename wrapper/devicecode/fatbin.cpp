// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/devicecode/fatbin.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/gpus/spelling.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/capabilities.hpp"
#include "wrapper/devicecode/commands.hpp"
#include "wrapper/devicecode/slim.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

/// The nvprune of a toolkit.
struct Pruner {
  std::string program; ///< absolute path
  Version release;     ///< of the toolkit
  std::vector<gpus::Gpu> gpus;
};

/// nvprune rejects capabilities that its release does not support, and files with damaged entries.
bool takes(const Pruner& pruner, const gpus::GpuExpansion& expected, const fatbin::Holding& held) {
  const auto is_taken = [&](const gpus::Capability& capability) {
    const gpus::Gpu* const gpu = gpus::find_gpu(pruner.gpus, capability);
    return gpu != nullptr && gpu->is_supported_by(pruner.release, capability.variant);
  };
  return std::all_of(expected.targets.begin(), expected.targets.end(),
                     [&](const gpus::GpuTarget& target) { return is_taken(target.capability); }) &&
         std::all_of(held.codes.begin(), held.codes.end(), [&](const auto& each) {
           return fatbin::is_requested(expected, each.first)
                      ? is_taken(each.first.capability)
                      : gpus::find_gpu(pruner.gpus, each.first.capability) != nullptr;
         });
}

/// An unused name next to the file, if the directory is writable.
std::optional<std::string> free_name(const std::string& path, const std::string& suffix) {
  if (access(directory_of(path).c_str(), W_OK) != 0)
    return std::nullopt;
  constexpr int most = 9;
  for (int number = 1; number <= most; ++number) {
    std::string name = path + suffix;
    if (number > 1)
      name += std::to_string(number);
    struct stat status {};
    if (lstat(name.c_str(), &status) != 0 && errno == ENOENT)
      return name;
  }
  return std::nullopt;
}

std::optional<std::string> prune_command(const fatbin::FileInventory& file,
                                         const gpus::GpuExpansion& expected, const Pruner& pruner) {
  // A name that a terminal cannot show cannot be pasted either.
  if (!takes(pruner, expected, file.holding) || escaped(file.path) != file.path)
    return std::nullopt;
  std::string path = file.path.starts_with('-') ? "./" : "";
  path += file.path;
  const auto pruned = free_name(path, ".pruned");
  if (!pruned)
    return std::nullopt;
  return fmt::format("{} {} {} -o {}", shell_word(pruner.program),
                     fatbin::prune_arguments(expected, file.holding), shell_word(path), shell_word(*pruned));
}

bool is_linked(const fatbin::FileInventory& file) {
  return file.kind == fatbin::CarrierKind::program || file.kind == fatbin::CarrierKind::library;
}

/// The command that makes what was asked for from a program or shared library, if there is one.
std::optional<std::string> slim_command(const fatbin::FileInventory& file, const gpus::GpuExpansion& expected,
                                        const Context& context, const std::vector<gpus::Gpu>& gpus) {
  if (!is_linked(file) || escaped(file.path) != file.path)
    return std::nullopt;
  const auto arguments = slim_arguments(file, expected, gpus);
  const std::string path = (file.path.starts_with('-') ? "./" : "") + file.path;
  const auto slim = arguments ? free_name(path, ".slim") : std::nullopt;
  if (!slim)
    return std::nullopt;
  return fmt::format("{} fatbin slim {} {} -o {}", context.program, shell_word(path), *arguments,
                     shell_word(*slim));
}

/// Whether the file was made from link-time code, ignoring machine code of a link.
bool is_from_ltoir(const fatbin::Holding& held) {
  const auto has_ltoir = [&](const gpus::Capability& capability) {
    return held.codes.contains({capability, binary::DeviceCode::ltoir}) ||
           held.codes.contains({capability, binary::DeviceCode::ltoir, fatbin::CodeUse::link});
  };
  bool any = false;
  for (const auto& [code, amount] : held.codes) {
    any = any || code.code == binary::DeviceCode::ltoir;
    // Code that a link left may come from NVIDIA's own libraries, which have no LTO-IR.
    if (code.code == binary::DeviceCode::cubin && code.use == fatbin::CodeUse::run &&
        !has_ltoir(code.capability))
      return false;
  }
  return any;
}

std::string nvcc_flags(const gpus::GpuExpansion& expected) {
  return gpus::find_spelling("nvcc")->value(expected, {}).value_or("");
}

/// For link-time code: nvcc rejects -dlto together with -gencode when it compiles, and needs -dlto when it
/// links.
std::string lto_flags(const gpus::GpuExpansion& expected, fatbin::CarrierKind kind) {
  constexpr std::string_view machine = "code=sm_", link_time = "code=lto_";
  std::string words = nvcc_flags(expected);
  for (std::size_t at = 0; (at = words.find(machine, at)) != std::string::npos;)
    words.replace(at, machine.size(), link_time);
  words += " without -dlto";
  if (kind != fatbin::CarrierKind::program && kind != fatbin::CarrierKind::library)
    return words;
  gpus::GpuExpansion linked = expected;
  for (gpus::GpuTarget& target : linked.targets)
    target.ptx = false;
  return words + ", linked with -dlto and " + nvcc_flags(linked);
}

std::string build_flags(const gpus::GpuExpansion& expected, const fatbin::FileInventory& file) {
  std::string flags = is_from_ltoir(file.holding) ? lto_flags(expected, file.kind) : nvcc_flags(expected);
  if (const auto cmake = gpus::find_spelling("cmake")->value(expected, {}))
    flags += fmt::format(" (CMake: -DCMAKE_CUDA_ARCHITECTURES={})", shell_word(*cmake));
  return flags;
}

/// What else is wrong.
bool has_more_than(const std::vector<fatbin::HeldCode>& lost, const fatbin::Comparison& comparison) {
  const auto is_other = [&](const fatbin::HeldCode& code) {
    return std::find(lost.begin(), lost.end(), code) == lost.end();
  };
  return !comparison.surplus.empty() ||
         std::any_of(comparison.missing.begin(), comparison.missing.end(), is_other) ||
         std::any_of(comparison.partial.begin(), comparison.partial.end(), is_other);
}

/// A rebuild cannot add PTX that the list asks for to what a device link writes.
std::string without_lost(const fatbin::FileInventory& file, const fatbin::Comparison& comparison,
                         const std::vector<fatbin::HeldCode>& lost, const gpus::GpuExpansion& expected) {
  std::string text;
  if (has_more_than(lost, comparison)) {
    gpus::GpuExpansion rest = expected;
    for (gpus::GpuTarget& target : rest.targets)
      for (const fatbin::HeldCode& code : lost)
        target.ptx = target.ptx && target.capability != code.capability;
    text = "build it again with " + build_flags(rest, file) + "; ";
  }
  return text +
         "a device link writes no PTX: its objects need it, and then the program has it; or remove +ptx from "
         "the list and add --no-forward-compatibility";
}

/// Whether the only problem is relocatable code that a link leaves next to its output.
bool is_left_of_link(const fatbin::Comparison& comparison) {
  const auto is_of_link = [](const fatbin::HeldCode& code) { return code.use == fatbin::CodeUse::link; };
  return comparison.missing.empty() && comparison.partial.empty() && !comparison.surplus.empty() &&
         std::all_of(comparison.surplus.begin(), comparison.surplus.end(), is_of_link);
}

/// The device runtime's own code does not depend on the GPUs that the sources were built for.
std::string link_again(const fatbin::FileInventory& file, const gpus::GpuExpansion& expected) {
  return "link it again with objects built with " + build_flags(expected, file) +
         ", and libraries pruned to that: a link preserves the relocatable code of its inputs, and of nvcc's "
         "own libcudadevrt.a (-cudadevrt none, where no kernel starts others)";
}

/// Whether nvprune, if there is one, could make what was asked for from the file.
bool is_prunable(const fatbin::FileInventory& file, const fatbin::Comparison& comparison,
                 const gpus::GpuExpansion& expected) {
  // If only some fatbins contain it, others contain something else only, which pruning would remove.
  return file.prunable && comparison.missing.empty() && comparison.partial.empty() &&
         fatbin::can_prune_to(expected, file.holding, file.kind);
}

/// How to fix a file that does not contain what was asked for: a command of that nvprune, quoted for a shell,
/// which overwrites nothing, else the flags to build with.
std::string advice(const fatbin::FileInventory& file, const fatbin::Comparison& comparison,
                   const gpus::GpuExpansion& expected, const std::optional<Pruner>& pruner) {
  if (has_no_device_code(file))
    return "name what was built with device code, or the directory that it is in";
  if (pruner && is_prunable(file, comparison, expected))
    if (auto command = prune_command(file, expected, *pruner))
      return *std::move(command);
  if (is_left_of_link(comparison))
    return link_again(file, expected);
  std::vector<fatbin::HeldCode> lost = comparison.lost;
  std::erase_if(lost, [&](const fatbin::HeldCode& code) { return expected.added_ptx == code.capability; });
  return lost.empty() ? "build it again with " + build_flags(expected, file)
                      : without_lost(file, comparison, lost, expected);
}

/// Reports why there is none, and sets `code` to the exit code.
std::optional<gpus::GpuExpansion> expectation(const Context& context, const FatbinOptions& options,
                                              int& code) {
  const auto gpus = gpus::load_gpus(context.files, context.tree.data);
  std::optional<Version> release;
  std::optional<ToolkitTarget> target;
  std::optional<Error> broken;
  if (!gpus)
    broken = gpus.error();
  else if (options.request.toolkit || gpus::depends_on_toolkit(*options.list)) {
    const auto toolkit = toolkit_of(context, options.request);
    if (toolkit) {
      release = toolkit->version;
      target = toolkit->target;
      if (!options.request.toolkit)
        report_note(
            fmt::format("against CUDA {}.{} in {}", release->major, release->minor, escaped(toolkit->root)));
    } else
      broken = toolkit.error();
  }
  if (broken) {
    report(*broken);
    code = exit_broken;
    return std::nullopt;
  }
  auto expansion = expanded(context, *gpus, *options.list, release, !options.no_forward_compatibility,
                            options.request.toolkit, target);
  if (!expansion) {
    report(expansion.error());
    code = exit_broken;
    return std::nullopt;
  }
  for (const std::string& note : expansion->notes)
    if (note != gpus::note_for_cmake)
      report_note(note);
  return *std::move(expansion);
}

/// Notes of one kind: the first few, and how many other files have one.
class Notes {
public:
  explicit Notes(const char* rest) : rest_(rest) {}

  void add(const fatbin::FileInventory& file, const std::vector<std::string>& notes) {
    if (notes.empty() || ++files_ > most)
      return;
    for (const std::string& note : notes)
      report_note(escaped(file.path) + ": " + note);
  }

  void end() const {
    if (files_ > most)
      report_note(fmt::format("{} more file{} {}: --json lists them", files_ - most,
                              files_ - most == 1 ? "" : "s", rest_));
  }

private:
  static constexpr std::size_t most = 5;
  const char* rest_;
  std::size_t files_ = 0;
};

std::vector<std::string> partial_notes(const fatbin::FileInventory& file,
                                       const fatbin::Comparison& comparison) {
  std::vector<std::string> notes;
  for (const fatbin::HeldCode& code : comparison.partial) {
    const std::uint64_t lacking = fatbin::fatbins_without(code, file.holding, file.kind);
    notes.push_back(fmt::format("{} of its {} fatbins {} no {}{}", lacking,
                                file.holding.fatbins - file.holding.idle, lacking == 1 ? "has" : "have",
                                fatbin::to_string(code), members_text(code, file)));
  }
  return notes;
}

std::vector<std::string> lost_notes(const gpus::GpuExpansion& expected,
                                    const fatbin::Comparison& comparison) {
  std::vector<std::string> notes;
  for (const fatbin::HeldCode& code : comparison.lost)
    if (expected.added_ptx == code.capability)
      notes.push_back(fmt::format(
          "no {}: a device link writes no PTX; a program of it has the PTX of the objects, if they have any",
          fatbin::to_string(code)));
  return notes;
}

void report_notes(const FatbinAnswer& answer) {
  Notes lost("lost the PTX in a device link"), partial("contain some of it in only some of their fatbins");
  for (std::size_t i = 0; i < answer.verdicts.size(); ++i) {
    const auto& verdict = answer.verdicts[i];
    if (!verdict)
      continue;
    const fatbin::FileInventory& file = answer.inventory.files[i];
    lost.add(file, lost_notes(*answer.expected, verdict->comparison));
    if (!answer.each)
      partial.add(file, partial_notes(file, verdict->comparison));
  }
  lost.end();
  partial.end();
}

/// Reports what does not agree.
void judge(const FatbinAnswer& answer) {
  const fatbin::Inventory& found = answer.inventory;
  if (found.files.empty() && found.unread.empty())
    report({"no file has device code", "name what was built, or the directory that it is in"});
  report_notes(answer);
  std::size_t judged = 0, wrong = 0;
  std::set<std::string> printed_hints; // a hint that many files share is printed once
  for (std::size_t i = 0; i < found.files.size(); ++i) {
    const auto& verdict = answer.verdicts[i];
    if (!verdict)
      continue;
    ++judged;
    if (verdict->agrees)
      continue;
    ++wrong;
    Error error = disagreement(found.files[i], *verdict, answer.notes[i], answer.each);
    if (!printed_hints.insert(error.hint).second)
      error.hint.clear();
    report(error);
  }
  if (judged > 1 && wrong != 0)
    report({fmt::format("{} of {} files {} not contain what is required", wrong, judged,
                        wrong == 1 ? "does" : "do"),
            {}});
}

/// Nothing if the toolkit has none; the error for a missing toolkit is not needed here.
std::optional<Pruner> find_pruner(const Context& context, const Request& request,
                                  const std::vector<gpus::Gpu>& gpus) {
  const auto toolkit = toolkit_of(context, request);
  if (!toolkit)
    return std::nullopt;
  std::string program = toolkit->root + "/bin/nvprune";
  if (access(program.c_str(), X_OK) != 0)
    return std::nullopt;
  return Pruner{std::move(program), toolkit->version, gpus};
}

bool are_jetsons(const std::vector<fatbin::HeldCode>& codes, const std::vector<gpus::Gpu>& gpus) {
  return !codes.empty() && std::all_of(codes.begin(), codes.end(), [&](const fatbin::HeldCode& code) {
    const gpus::Gpu* const gpu = gpus::find_gpu(gpus, code.capability);
    return gpu != nullptr && gpu->jetson;
  });
}

void compare(const Context& context, const Request& request, FatbinAnswer& answer) {
  const std::vector<gpus::Gpu> gpus = gpus::load_gpus(context.files, context.tree.data)
                                          .value_or(std::vector<gpus::Gpu>()); // read once already
  std::optional<std::optional<Pruner>> pruner; // searched once there is something to prune
  for (const fatbin::FileInventory& file : answer.inventory.files) {
    auto& verdict = answer.verdicts.emplace_back();
    if (!file.whole)
      continue;
    verdict.emplace();
    verdict->comparison = fatbin::comparison(*answer.expected, file.holding, file.kind);
    verdict->agrees = verdict->comparison.agrees() && (!answer.each || verdict->comparison.partial.empty());
    if (verdict->agrees)
      continue;
    if (!pruner && is_prunable(file, verdict->comparison, *answer.expected))
      pruner = find_pruner(context, request, gpus);
    verdict->only_jetsons_too_many = are_jetsons(verdict->comparison.surplus, gpus);
    if (verdict->comparison.missing.empty())
      if (auto command = slim_command(file, *answer.expected, context, gpus)) {
        verdict->advice = *std::move(command);
        continue;
      }
    verdict->advice = advice(file, verdict->comparison, *answer.expected, pruner.value_or(std::nullopt));
  }
}

} // namespace

std::optional<devicecode::Note> note_of(const fatbin::FileInventory& file) {
  if (!is_linked(file))
    return std::nullopt;
  const auto input = binary::InputFile::open(file.path);
  return input ? devicecode::read_note(binary::Bytes(**input)) : std::nullopt;
}

std::optional<bool> FatbinAnswer::agrees() const {
  if (!expected || !inventory.unread.empty())
    return std::nullopt;
  return !verdicts.empty() && std::all_of(verdicts.begin(), verdicts.end(),
                                          [](const auto& verdict) { return !verdict || verdict->agrees; });
}

int run_fatbin(const Context& context, const FatbinOptions& options) {
  FatbinAnswer answer;
  answer.members = options.members;
  answer.each = options.each;
  int code = exit_fine;
  if (options.list && !(answer.expected = expectation(context, options, code)))
    return code;
  answer.inventory = fatbin::inventory(options.paths);
  for (const fatbin::FileInventory& file : answer.inventory.files)
    answer.notes.push_back(note_of(file));
  if (answer.expected)
    compare(context, options.request, answer);
  fmt::print("{}", options.json ? fatbin_json(answer) : fatbin_text(answer, context.terminal));
  if (std::fflush(stdout) != 0)                              // errors are printed after it
    throw std::system_error(errno, std::generic_category()); // as fmt throws
  if (answer.expected)
    judge(answer);
  for (const fatbin::Unread& unread : answer.inventory.unread)
    report({escaped(unread.name) + ": " + unread.error.message, unread.error.hint});
  if (!answer.inventory.unread.empty())
    return exit_broken;
  return answer.agrees().value_or(true) ? exit_fine : exit_refused;
}

} // namespace hostpin::command
