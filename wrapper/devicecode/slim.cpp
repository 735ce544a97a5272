// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/devicecode/slim.hpp"

#include "toolchains/base/unicode.hpp"
#include "toolchains/binary/archive.hpp"
#include "toolchains/binary/signature.hpp"
#include "toolchains/devicecode/image.hpp"
#include "toolchains/devicecode/objects.hpp"
#include "toolchains/devicecode/rewriting.hpp"
#include "toolchains/devicecode/trees.hpp"
#include "toolchains/devicecode/vendor.hpp"
#include "toolchains/fatbin/expectation.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/capabilities.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <system_error>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

using namespace devicecode;

PtxPolicy policy_of(const std::string& word) {
  return word == "none" ? PtxPolicy::none : word == "all" ? PtxPolicy::all : PtxPolicy::newest;
}

Error with_path(const std::string& path, const Error& error) {
  return {escaped(path) + ": " + error.message, error.hint};
}

/// Writes smaller files, and notes what became of each that has device code.
class Slimmer {
public:
  /// `only_looks`: writes nothing.
  Slimmer(const Keeping& keeping, const SlimOptions& options, SlimAnswer& answer, bool only_looks = false)
      : keeping_(keeping), options_(options), answer_(answer), only_looks_(only_looks) {}

  /// `always`: writes `to` even if nothing changes. False if it was not written. An error if something cannot
  /// be read or written; a refusal is none, and noted.
  Result<bool> slim(const std::string& from, const std::string& to, bool always) {
    const auto blob = binary::open_blob(from);
    if (!blob)
      return tl::unexpected(
          Error{escaped(from) + " cannot be read: " + blob.error().message, blob.error().hint});
    const binary::InputFile input(*blob);
    const binary::Bytes bytes(input);
    const auto kind = carrier(bytes);
    if (input.trouble())
      return tl::unexpected(with_path(from, *input.trouble()));
    if (kind == Carrier::none)
      return always ? refuse(from, "it has no device code that can be cut") : Result<bool>(false);
    if (kind == Carrier::thin)
      return refuse(from, "it is a thin archive, which only names its members" + names_of_members(bytes));
    if (kind == Carrier::linked && !options_.licensed_to_modify)
      if (const auto name = nvidia_library(bytes))
        return leave(from, *name);
    SlimmedFile file{from, SlimOutcome::changed, {}, {}};
    const auto content = kind ? slimmed(*kind, bytes, file.numbers) : tl::unexpected(kind.error());
    if (input.trouble())
      return tl::unexpected(with_path(from, *input.trouble()));
    if (!content)
      return refuse(from, content.error().what);
    return write(std::move(file), *content, *blob, to, always);
  }

private:
  binary::Reading<Rewriting> slimmed(Carrier kind, const binary::Bytes& bytes, Slimming& numbers) const {
    return kind == Carrier::linked ? slim_program(bytes, keeping_, numbers)
                                   : slim_file(bytes, keeping_, numbers);
  }

  Result<bool> write(SlimmedFile file, const Rewriting& content, const binary::Blob& source,
                     const std::string& to, bool always) {
    file.numbers.size_before = source.size();
    file.numbers.size_after = content.size();
    if (!file.numbers.changes())
      file.outcome = SlimOutcome::unchanged;
    const bool changes = file.outcome == SlimOutcome::changed;
    if (auto signature = changes ? binary::signature_of(*source.file()) : std::nullopt)
      return refuse(file.path, *std::move(signature));
    const bool writes =
        (changes || always) && !only_looks_ && (options_.allow_missing || !answer_.is_objection(file));
    if (writes)
      if (auto done = write_file(content, source, to, options_.in_place ? Properties::all : Properties::mode);
          !done)
        return tl::unexpected(done.error());
    answer_.files.push_back(std::move(file));
    return writes;
  }

  Result<bool> leave(const std::string& path, const std::string& library) {
    answer_.files.push_back({path,
                             SlimOutcome::vendor,
                             "it is NVIDIA's " + library +
                                 ", whose licence forbids changes "
                                 "(use --licensed-to-modify if NVIDIA permits them)",
                             {}});
    return false;
  }

  Result<bool> refuse(const std::string& path, std::string reason) {
    answer_.files.push_back({path, SlimOutcome::refused, std::move(reason), {}});
    return false;
  }

  static std::string names_of_members(const binary::Bytes& archive) {
    constexpr std::size_t most = 5;
    binary::ArchiveReader reader(archive, binary::ArchiveKind::thin);
    std::string names;
    for (std::size_t i = 0;; ++i) {
      const auto member = reader.next();
      if (!member || !*member)
        return names;
      if (i == most)
        return names + " and others";
      names += (i == 0 ? ": " : ", ") + (*member)->name;
    }
  }

  const Keeping& keeping_;
  const SlimOptions& options_;
  SlimAnswer& answer_;
  const bool only_looks_;
};

/// What is wrong with the names; nothing if they can be used.
std::optional<Error> misnamed(const SlimOptions& options) {
  struct stat input {
  }, output{};
  if (stat(options.path.c_str(), &input) != 0)
    return Error{fmt::format("{}: it cannot be read: {}", escaped(options.path), std::strerror(errno)),
                 "name a file that was built, or the directory that it is in"};
  if (!S_ISREG(input.st_mode) && !S_ISDIR(input.st_mode))
    return Error{escaped(options.path) + " is neither a file nor a directory", {}};
  if (options.in_place || stat(options.output->c_str(), &output) != 0)
    return std::nullopt;
  if (input.st_dev == output.st_dev && input.st_ino == output.st_ino)
    return Error{escaped(*options.output) + " is the input", "--in-place replaces it"};
  if (S_ISREG(input.st_mode) && !S_ISREG(output.st_mode))
    return Error{escaped(*options.output) + " is not a file", "name a new file, or one to replace"};
  return std::nullopt;
}

Result<void> slim_tree(const Keeping& keeping, const SlimOptions& options, SlimAnswer& answer) {
  const auto change_by = [](Slimmer& slimmer) -> FileChange {
    return
        [&slimmer](const std::string& from, const std::string& to) { return slimmer.slim(from, to, false); };
  };
  Slimmer slimmer(keeping, options, answer);
  if (!options.in_place)
    return copy_tree(options.path, *options.output, change_by(slimmer), [&] { return !answer.forbids(); });
  // The last file may be what forbids that the first one is changed.
  if (!options.allow_missing) {
    Slimmer looks(keeping, options, answer, true);
    if (auto read = change_tree(options.path, change_by(looks)); !read || answer.forbids())
      return read;
    answer.files.clear();
  }
  return change_tree(options.path, change_by(slimmer));
}

Result<void> slim_named(const Keeping& keeping, const SlimOptions& options, SlimAnswer& answer) {
  Slimmer slimmer(keeping, options, answer);
  if (!options.in_place)
    return slimmer.slim(options.path, *options.output, true).map([](bool) {});
  // A link keeps leading to the file.
  std::error_code failed;
  const std::string real = std::filesystem::canonical(options.path, failed).string();
  return slimmer.slim(options.path, failed ? options.path : real, false).map([](bool) {});
}

void report_refusals(const SlimAnswer& answer) {
  for (const SlimmedFile& file : answer.files) {
    if (file.reason.empty())
      continue;
    const std::string text = fmt::format("{} is not changed: {}", escaped(file.path), escaped(file.reason));
    if (answer.is_objection(file))
      report({text, {}});
    else
      report_note(text);
  }
}

/// Reports which GPUs cannot run what.
void report_unserved(const SlimAnswer& answer) {
  std::set<std::string> printed_hints;
  for (const SlimmedFile& file : answer.files) {
    std::set<gpus::Capability> gpus;
    for (const Unserved& each : file.numbers.unserved)
      gpus.insert(each.gpu);
    for (const gpus::Capability& gpu : gpus) {
      Error error = unserved_error(file, gpu);
      if (!printed_hints.insert(error.hint).second)
        error.hint.clear();
      report(error);
    }
  }
}

/// After the reasons, that nothing is written because of them; a file that is refused itself needs no more.
void report_unwritten(const SlimAnswer& answer) {
  const bool only_refused = !answer.tree && !answer.files.empty() && !answer.files.front().reason.empty();
  if (answer.written || only_refused)
    return;
  const SlimOptions& options = answer.options;
  report({escaped(options.in_place ? options.path : *options.output) +
              (options.in_place ? " is not changed" : " is not written"),
          "--allow-missing writes it nevertheless"});
}

int print(const SlimAnswer& answer, const Terminal& terminal) {
  fmt::print("{}", answer.options.json ? slim_json(answer) : slim_text(answer, terminal));
  if (std::fflush(stdout) != 0)
    throw std::system_error(errno, std::generic_category()); // as fmt throws
  report_refusals(answer);
  report_unserved(answer);
  report_unwritten(answer);
  const bool fine = std::none_of(answer.files.begin(), answer.files.end(),
                                 [&](const SlimmedFile& file) { return answer.is_objection(file); });
  return fine ? exit_fine : exit_refused;
}

int slim(const Context& context, const SlimOptions& options) {
  const auto gpus = gpus::load_gpus(context.files, context.tree.data);
  const auto list =
      gpus ? expanded(context, *gpus, options.keep, std::nullopt, false) : tl::unexpected(gpus.error());
  if (!list) {
    report(list.error());
    return exit_broken;
  }
  if (const auto wrong = misnamed(options)) {
    report(*wrong);
    return exit_broken;
  }
  const Keeping keeping{*gpus, list->targets, policy_of(options.ptx)};
  SlimAnswer answer{options, list->targets, {}, std::filesystem::is_directory(options.path)};
  const auto done = answer.tree ? slim_tree(keeping, options, answer) : slim_named(keeping, options, answer);
  if (!done) {
    report(done.error());
    return exit_broken;
  }
  answer.written =
      !answer.forbids() && (answer.tree || answer.files.empty() || answer.files[0].reason.empty());
  return print(answer, context.terminal);
}

} // namespace

std::optional<std::string> slim_arguments(const fatbin::FileInventory& file,
                                          const gpus::GpuExpansion& expected,
                                          const std::vector<gpus::Gpu>& gpus) {
  const auto input = binary::InputFile::open(file.path);
  if (!input || nvidia_library(binary::Bytes(**input)))
    return std::nullopt;
  const binary::Bytes bytes(**input);
  const auto image = read_image(bytes);
  if (!image || !*image || !(**image).is_linked())
    return std::nullopt;
  const auto slim = slim_linked(bytes, **image, {gpus, expected.targets, PtxPolicy::none});
  if (!slim || !slim->unserved.empty() || !fatbin::comparison(expected, slim->held_after, file.kind).agrees())
    return std::nullopt;
  std::string list;
  for (const gpus::GpuTarget& target : expected.targets)
    list += (list.empty() ? "" : ";") + gpus::to_string(target.capability) +
            (!target.cubin ? "-virtual"
             : target.ptx  ? "+ptx"
                           : "");
  return "--keep " + shell_word(list) + " --ptx none";
}

int run_fatbin_slim(const Context& context, const SlimOptions& options) {
  return run_and_commit(context, [&](const Context& inner) { return slim(inner, options); });
}

} // namespace hostpin::command
