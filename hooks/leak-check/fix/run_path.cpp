// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/run_path.hpp"

#include "hooks/leak-check/fix/copy.hpp"
#include "hooks/leak-check/judge/world.hpp"
#include "hooks/leak-check/needles/path_text.hpp"
#include "hooks/leak-check/scan/elf.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/binary/blob.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hostpin::leak {

namespace {

enum class Action { replace, remove, remove_relative, to_directory, to_front, to_back };

struct Row {
  Rule rule;
  Action action;
};
constexpr std::array actions = {
    Row{Rule::forbidden_runpath, Action::replace},
    Row{Rule::build_directory, Action::remove},
    Row{Rule::cuda_stub_runpath, Action::remove},
    Row{Rule::dangling_runpath, Action::remove_relative},
    Row{Rule::runpath_not_a_directory, Action::to_directory},
    Row{Rule::cuda_compat_order, Action::to_front},
    Row{Rule::driver_runpath, Action::to_back},
};

/// An entry that depends on the current directory. (An absolute one that does not exist here may exist on the
/// machine that runs the program.)
bool is_relative(std::string_view entry) {
  return !entry.starts_with('/') && !entry.starts_with('$');
}

void remove(std::vector<std::string>& entries, const std::string& entry) {
  entries.erase(std::remove(entries.begin(), entries.end(), entry), entries.end());
}

bool has(const std::vector<std::string>& entries, const std::string& entry) {
  return std::find(entries.begin(), entries.end(), entry) != entries.end();
}

/// Whether the right entry is known.
bool to_directory(std::vector<std::string>& entries, const std::string& entry, const Files& files) {
  const std::string directory = entry.substr(0, entry.rfind('/'));
  if (directory.empty() || !is_directory(files, directory))
    return false;
  if (has(entries, directory))
    remove(entries, entry);
  else
    *std::find(entries.begin(), entries.end(), entry) = directory;
  return true;
}

/// Whether that changed anything. Only an entry that is moved to an end may be missing.
bool apply(std::vector<std::string>& entries, const std::string& entry, Action action, const Files& files,
           const std::string& instead) {
  switch (action) {
  case Action::to_front:
    remove(entries, entry);
    entries.insert(entries.begin(), entry);
    return true;
  case Action::to_back:
    entries.push_back(entry);
    return true;
  case Action::replace:
    if (!instead.empty() && !has(entries, instead))
      *std::find(entries.begin(), entries.end(), entry) = instead;
    break;
  case Action::to_directory:
    return to_directory(entries, entry, files);
  case Action::remove_relative:
    if (!is_relative(entry))
      return false;
    break;
  case Action::remove:
    break;
  }
  remove(entries, entry);
  return true;
}

/// Adds the directory of a library, unless an entry leads there already.
bool add_directory_of(std::vector<std::string>& entries, const std::string& library, const std::string& file,
                      const Files& files) {
  const auto real = [&](const std::string& path) { return files.real_path(path).value_or(path); };
  const std::string origin = file.substr(0, file.rfind('/'));
  const std::string directory = real(library.substr(0, library.rfind('/')));
  const bool known = std::any_of(entries.begin(), entries.end(), [&](std::string entry) {
    for (const std::string_view token : {"${ORIGIN}", "$ORIGIN"})
      if (entry.starts_with(token))
        entry.replace(0, token.size(), origin);
    return real(entry) == directory;
  });
  const std::string way = loader::run_path_to(directory_of(library), file);
  if (known || has(entries, way))
    return false;
  entries.push_back(way);
  return true;
}

bool is_fixable(const Finding& finding) {
  return finding.where.section == ".dynamic" && finding.severity != Severity::note;
}

} // namespace

std::optional<std::string> fixed_run_path(const std::string& list, std::span<const Finding* const> findings,
                                          const Files& files, const std::string& file,
                                          const std::string& instead) {
  std::vector<std::string> entries;
  if (!list.empty())
    entries = split(list, ":");
  std::vector<std::string> named;
  bool changed = false;
  for (const Finding* const finding : findings) {
    const auto* const row = std::find_if(actions.begin(), actions.end(),
                                         [&](const Row& one) { return one.rule == finding->rule; });
    if (row == actions.end() || !is_fixable(*finding) || has(named, finding->reference))
      continue;
    const bool added = row->action == Action::to_front || row->action == Action::to_back;
    if (!added && !has(entries, finding->reference))
      return std::nullopt;
    changed = apply(entries, finding->reference, row->action, files, instead) || changed;
    named.push_back(finding->reference);
  }
  for (const Finding* const finding : findings)
    if (finding->rule == Rule::missing_library && is_fixable(*finding) && !finding->resolved.empty())
      changed = add_directory_of(entries, finding->resolved, file, files) || changed;
  return changed ? std::optional(joined(entries, ":")) : std::nullopt;
}

namespace {

constexpr std::uint32_t section_dynamic_symbols = 11, section_strings = 3;
constexpr std::size_t most = std::size_t{1} << 30U; ///< bytes of one table

/// Nothing if there is no such section, or it is truncated.
std::optional<std::string> content(const binary::Blob& blob, const ElfFrame& frame, std::uint32_t type,
                                   std::string_view name) {
  const auto section = std::find_if(frame.sections.begin(), frame.sections.end(), [&](const ElfSection& one) {
    return one.type == type && one.name == name;
  });
  if (section == frame.sections.end())
    return std::nullopt;
  auto bytes = blob.part(section->offset, section->size).all(most);
  return bytes && bytes->size() == section->size ? std::optional(*std::move(bytes)) : std::nullopt;
}

} // namespace

std::optional<std::vector<std::string>> dynamic_symbols(const std::string& file) {
  const auto blob = binary::open_blob(file);
  if (!blob)
    return std::nullopt;
  const binary::BlobSource source(*blob);
  auto frame = read_header(source);
  if (!frame || !read_sections(source, *frame))
    return std::nullopt;
  const auto table = content(*blob, *frame, section_dynamic_symbols, ".dynsym");
  const auto strings = content(*blob, *frame, section_strings, ".dynstr");
  if (!table || !strings)
    return std::nullopt;
  const binary::ElfBytes bytes(*table, frame->kind.wide, frame->little);
  const std::size_t each = frame->kind.wide ? 24 : 16; // of Elf64_Sym and Elf32_Sym; st_name is first in both
  std::vector<std::string> names;
  for (std::size_t at = 0; at + each <= table->size(); at += each) {
    const auto name = bytes.number(at, 4);
    if (!name || *name >= strings->size())
      return std::nullopt;
    const std::string_view rest = std::string_view(*strings).substr(static_cast<std::size_t>(*name));
    names.emplace_back(rest.substr(0, rest.find('\0')));
  }
  return names;
}

namespace {

constexpr const char* hint = "fix it by hand, or rebuild it";

bool same_needs(const std::vector<binary::VersionNeed>& a, const std::vector<binary::VersionNeed>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const binary::VersionNeed& x, const binary::VersionNeed& y) {
                      return x.library == y.library && x.versions == y.versions;
                    });
}

bool same(const binary::Image& a, const binary::Image& b) {
  return a.kind == b.kind && a.soname == b.soname && a.version_definitions == b.version_definitions &&
         a.needed == b.needed && same_needs(a.version_needs, b.version_needs) &&
         a.interpreter == b.interpreter && a.rpath == b.rpath && a.runpath == b.runpath &&
         a.no_default_libraries == b.no_default_libraries;
}

/// What is wrong with a closure, in texts that do not depend on the name of the first file. `before`: a
/// smaller closure; images that it lacks are ignored, because not finding them was no better.
std::vector<std::string> faults(const loader::Closure& closure, const loader::Closure& before) {
  std::vector<std::string> result;
  const auto is_new = [&](std::size_t image) {
    return std::none_of(before.images.begin(), before.images.end(), [&](const loader::LoadedImage& other) {
      return other.path == closure.images[image].path;
    });
  };
  for (const loader::MissingLibrary& missing : closure.missing)
    if (!is_new(missing.needed_by))
      result.push_back("the loader would not find " + missing.name);
  for (const loader::UnmetNeed& unmet : loader::unmet_needs(closure))
    if (!is_new(unmet.image))
      result.push_back("the loader would load " + closure.images[unmet.library].path + ", which lacks " +
                       unmet.version);
  return result;
}

class ElfFixer {
public:
  ElfFixer(const World& world, const Processes& processes) : world_(world), processes_(processes) {}

  Result<std::optional<Fixed>> fix(const FixPlace& place, const std::vector<const Finding*>& findings) const {
    const auto before = read_image_of(place.file);
    if (!before)
      return std::nullopt; // an object, or static: it has no run path, and its findings are reported anyway
    const bool is_runpath = before->runpath || !before->rpath;
    const std::string list = (is_runpath ? before->runpath : before->rpath).value_or("");
    const auto there = without_non_libraries(findings);
    const auto fixed = fixed_run_path(list, there, world_.files, place.path);
    if (!fixed || *fixed == list)
      return std::nullopt;
    TRY(may_replace(place, world_.policy.vendor));
    const auto replaced = replace(place, *before, *fixed);
    if (replaced)
      return Fixed{{}, is_runpath ? "RUNPATH" : "RPATH", list, *fixed};
    // The unwanted directory may have been needed for libstdc++: try the stdenv's directory instead.
    const auto pinned = fixed_run_path(list, there, world_.files, place.path, stdenv_libraries());
    if (pinned == fixed || !replace(place, *before, *pinned))
      return tl::unexpected(replaced.error());
    return Fixed{{}, is_runpath ? "RUNPATH" : "RPATH", list, *pinned};
  }

private:
  /// Without files that have the name of a missing library but are not libraries.
  std::vector<const Finding*> without_non_libraries(std::vector<const Finding*> findings) const {
    std::erase_if(findings, [&](const Finding* finding) {
      return finding->rule == Rule::missing_library && !finding->resolved.empty() &&
             !read_image_of(on_disk(finding->resolved, world_));
    });
    return findings;
  }

  /// The directory of the stdenv's libstdc++; empty if not known.
  std::string stdenv_libraries() const {
    const std::string& library = world_.policy.libstdcxx;
    const std::string real = world_.files.real_path(library).value_or("");
    return real.substr(0, real.empty() ? 0 : real.rfind('/'));
  }

  Result<void> replace(const FixPlace& place, const binary::Image& before,
                       const std::string& run_path) const {
    binary::Image after = before;
    (before.rpath && !before.runpath ? after.rpath : after.runpath) =
        run_path.empty() ? std::nullopt : std::optional<std::string>(run_path);
    TRY_ASSIGN(const auto copy, FileCopy::next_to(place));
    const auto copied = read_image_of(copy.path());
    if (!copied || !same(*copied, before))
      return failure("it was modified meanwhile", "scan it again");
    const auto symbols = dynamic_symbols(copy.path());
    if (!symbols)
      return failure(
          "its dynamic symbols cannot be read, so the result of patchelf cannot be compared with it", hint);
    TRY(patch(copy.path(), run_path, before.rpath && !before.runpath));
    const auto made = read_image_of(copy.path());
    if (!made || !same(*made, after) || dynamic_symbols(copy.path()) != symbols)
      return failure("patchelf changed more than its run path", hint);
    TRY(still_loads(place.path, before, *made));
    return copy.replace_original();
  }

  Result<void> patch(const std::string& path, const std::string& run_path, bool is_rpath) const {
    std::vector<std::string> set{"patchelf", "--set-rpath", run_path, path};
    if (is_rpath)
      set.insert(set.begin() + 1, "--force-rpath");
    if (auto done = run(std::move(set)); !done || !run_path.empty())
      return done;
    // --remove-rpath alone leaves the old bytes in the file; they were overwritten before
    return run({"patchelf", "--remove-rpath", path});
  }

  Result<void> run(std::vector<std::string> words) const {
    Command command;
    command.argv = std::move(words);
    command.time = std::chrono::minutes(5); // it reads and writes all of a file of any size
    const std::array commands = {command};
    const Outcome outcome = processes_.run(commands).front();
    if (outcome.ok())
      return {};
    const std::string first_line = outcome.errors.substr(0, outcome.errors.find('\n'));
    const bool is_absent = outcome.end == Outcome::End::not_started && outcome.code == ENOENT;
    return failure((is_absent ? "patchelf was not found: " : "patchelf ") + describe(outcome) +
                       (first_line.empty() ? "" : ": " + first_line),
                   is_absent ? "install patchelf" : hint);
  }

  /// Including a libstdc++ that is not the stdenv's.
  std::vector<std::string> all_faults(const loader::Closure& closure, const loader::Closure& before) const {
    std::vector<std::string> result = faults(closure, before);
    const std::string pinned = stdenv_libraries();
    const loader::LoadedImage* const library = closure.serving("libstdc++.so.6");
    if (!pinned.empty() && library != nullptr &&
        !is_below(world_.files.real_path(library->path).value_or(library->path), {pinned}))
      result.push_back("the loader would load " + library->path + " instead of the stdenv's libstdc++");
    return result;
  }

  Result<void> still_loads(const std::string& file, const binary::Image& before,
                           const binary::Image& after) const {
    const loader::LoaderPlaces* const places = world_.loader(before.interpreter, before.kind);
    if (places == nullptr)
      return failure("the search path of its loader is not known", hint);
    const loader::ReadImage read = [this](const std::string& path) {
      return read_image_of(on_disk(path, world_));
    };
    const auto length = [](const binary::Image& image) {
      return image.runpath.value_or("").size() + image.rpath.value_or("").size();
    };
    const bool is_added = length(after) > length(before);
    const loader::Closure loaded = loader::load(file, before, *places, read);
    const std::vector<std::string> known = all_faults(loaded, loaded);
    for (const std::string& fault : all_faults(loader::load(file, after, *places, read), loaded))
      if (std::find(known.begin(), known.end(), fault) == known.end())
        return failure((is_added ? "with that entry " : "without that entry ") + fault, hint);
    return {};
  }

  const World& world_;
  const Processes& processes_;
};

} // namespace

Result<std::optional<Fixed>> fix_run_path(const FixPlace& place, const std::vector<const Finding*>& findings,
                                          const World& world, const Processes& processes) {
  return ElfFixer(world, processes).fix(place, findings);
}

} // namespace hostpin::leak
