// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/elf.hpp"

#include "hooks/leak-check/fix/copy.hpp"
#include "hooks/leak-check/fix/run_path.hpp"
#include "hooks/leak-check/scan/elf.hpp"
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

namespace hostpin {

namespace {

constexpr std::uint32_t section_dynamic_symbols = 11, section_strings = 3;
constexpr std::size_t most = std::size_t{1} << 30U; ///< bytes of one table

/// Nothing if there is no such section, or it is truncated.
std::optional<std::string> content(const Blob& blob, const ElfFrame& frame, std::uint32_t type,
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
  const auto blob = open_blob(file);
  if (!blob)
    return std::nullopt;
  const BlobSource source(*blob);
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

bool same_needs(const std::vector<VersionNeed>& a, const std::vector<VersionNeed>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const VersionNeed& x, const VersionNeed& y) {
    return x.library == y.library && x.versions == y.versions;
  });
}

bool same(const Image& a, const Image& b) {
  return a.kind == b.kind && a.soname == b.soname && a.version_definitions == b.version_definitions &&
         a.needed == b.needed && same_needs(a.version_needs, b.version_needs) &&
         a.interpreter == b.interpreter && a.rpath == b.rpath && a.runpath == b.runpath &&
         a.no_default_libraries == b.no_default_libraries;
}

/// What is wrong with a closure, in texts that do not depend on the name of the first file. `before`: a
/// smaller closure; images that it lacks are ignored, because not finding them was no better.
std::vector<std::string> faults(const Closure& closure, const Closure& before) {
  std::vector<std::string> result;
  const auto is_new = [&](std::size_t image) {
    return std::none_of(before.images.begin(), before.images.end(),
                        [&](const LoadedImage& other) { return other.path == closure.images[image].path; });
  };
  for (const MissingLibrary& missing : closure.missing)
    if (!is_new(missing.needed_by))
      result.push_back("the loader would not find " + missing.name);
  for (const UnmetNeed& unmet : unmet_needs(closure))
    if (!is_new(unmet.image))
      result.push_back("the loader would take " + closure.images[unmet.library].path + ", which lacks " +
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
    const auto fixed = mended_run_path(list, there, world_.files, place.path);
    if (!fixed || *fixed == list)
      return std::nullopt;
    if (auto allowed = may_replace(place, world_.policy.vendor); !allowed)
      return tl::unexpected(allowed.error());
    const auto replaced = replace(place, *before, *fixed);
    if (replaced)
      return Fixed{{}, is_runpath ? "RUNPATH" : "RPATH", list, *fixed};
    // The unwanted directory may have been needed for libstdc++: try the stdenv's directory instead.
    const auto pinned = mended_run_path(list, there, world_.files, place.path, stdenv_libraries());
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

  Result<void> replace(const FixPlace& place, const Image& before, const std::string& run_path) const {
    Image after = before;
    (before.rpath && !before.runpath ? after.rpath : after.runpath) =
        run_path.empty() ? std::nullopt : std::optional<std::string>(run_path);
    const auto copy = FileCopy::beside(place);
    if (!copy)
      return tl::unexpected(copy.error());
    const auto copied = read_image_of(copy->path());
    if (!copied || !same(*copied, before))
      return failure("it was modified meanwhile", "scan it again");
    const auto symbols = dynamic_symbols(copy->path());
    if (!symbols)
      return failure(
          "its dynamic symbols cannot be read, so the result of patchelf cannot be compared with it", hint);
    if (auto patched = patch(copy->path(), run_path, before.rpath && !before.runpath); !patched)
      return patched;
    const auto made = read_image_of(copy->path());
    if (!made || !same(*made, after) || dynamic_symbols(copy->path()) != symbols)
      return failure("patchelf changed more than its run path", hint);
    if (auto still = still_loads(place.path, before, *made); !still)
      return still;
    return copy->take_place();
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
  std::vector<std::string> all_faults(const Closure& closure, const Closure& before) const {
    std::vector<std::string> result = faults(closure, before);
    const std::string pinned = stdenv_libraries();
    const LoadedImage* const library = closure.serving("libstdc++.so.6");
    if (!pinned.empty() && library != nullptr &&
        !is_below(world_.files.real_path(library->path).value_or(library->path), {pinned}))
      result.push_back("the loader would take " + library->path + " for the stdenv's libstdc++");
    return result;
  }

  Result<void> still_loads(const std::string& file, const Image& before, const Image& after) const {
    const LoaderPlaces* const places = world_.loader(before.interpreter, before.kind);
    if (places == nullptr)
      return failure("the search path of its loader is not known", hint);
    const ReadImage read = [this](const std::string& path) { return read_image_of(on_disk(path, world_)); };
    const auto length = [](const Image& image) {
      return image.runpath.value_or("").size() + image.rpath.value_or("").size();
    };
    const bool is_added = length(after) > length(before);
    const Closure loaded = load(file, before, *places, read);
    const std::vector<std::string> known = all_faults(loaded, loaded);
    for (const std::string& fault : all_faults(load(file, after, *places, read), loaded))
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

} // namespace hostpin
