// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/judge/judges.hpp"
#include "hooks/leak-check/needles/path_text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace hostpin::leak {

namespace {

/// One entry of RUNPATH or RPATH.
struct Entry {
  std::string text;
  std::string path; ///< relative for one that is relative to the current directory
  bool from_origin = false;
  std::optional<FileStatus> status;

  bool is_absolute() const { return path.starts_with('/'); }
  bool is_directory() const { return status && status->kind == FileStatus::Kind::directory; }
};

/// All entries, except those relative to a file in an archive: where that will be extracted is not known.
std::vector<Entry> entries_of(const TreeElf& elf, const World& world) {
  std::vector<Entry> entries;
  const binary::Image& image = *elf.facts.image;
  loader::LoaderPlaces nowhere; // only $LIB and $PLATFORM differ
  nowhere.real_path = [&](const std::string& path) { return world.files.real_path(path).value_or(path); };
  const loader::LoaderPlaces* const places = world.loader(image.interpreter, image.kind);
  for (const auto& [text, directory] :
       loader::run_path(elf.file, image, places != nullptr ? *places : nowhere)) {
    Entry entry{text, directory, text.find("ORIGIN") != std::string::npos, std::nullopt};
    if (entry.from_origin && elf.file.empty())
      continue;
    if (entry.is_absolute())
      entry.path = lexically_normal(entry.path);
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// Whether links of the binding add it.
bool is_bound(const std::string& path, const Policy& policy) {
  return std::find(policy.driver_path.begin(), policy.driver_path.end(), path) != policy.driver_path.end();
}

/// Whether it is a directory of the machines that run the file, so that it need not exist on this one.
bool is_of_machine(const Entry& entry, const Policy& policy) {
  return is_bound(entry.path, policy) || entry.path == policy.driver_directory ||
         entry.path == policy.compat_directory;
}

bool is_named_stubs(const std::string& path, const std::optional<std::string>& real) {
  return loader::is_stub_directory(path) || (real && loader::is_stub_directory(*real));
}

class RunPathJudge {
public:
  RunPathJudge(const TreeElf& elf, const World& world, const Report& report)
      : elf_(elf), world_(world), report_(report), image_(*elf.facts.image),
        tag_(image_.runpath ? "RUNPATH" : "RPATH"), entries_(entries_of(elf, world)) {}

  void run() {
    for (Entry& entry : entries_)
      if (entry.is_absolute())
        entry.status = world_.files.status(entry.path);
    for (const Entry& entry : entries_)
      judge(entry);
    judge_order();
    judge_driver();
  }

private:
  void add(Rule rule, Severity severity, const std::string& reference, std::string explanation,
           std::string resolved = {}, std::string fix = {}) {
    if (fix.empty())
      fix = text_of(rule).fix;
    report_({rule, severity, elf_.at(".dynamic"), reference, std::move(resolved), std::move(explanation),
             fix_where(!elf_.where.member.empty(), fix)});
  }
  /// Names the tag, because RPATH is inherited, and what else is known.
  std::string in_tag(std::string_view more = {}) const {
    return "It is an entry of " + std::string(tag_) + (more.empty() ? "." : ", " + std::string(more) + '.');
  }

  void judge(const Entry& entry) {
    if (!entry.is_absolute()) {
      if (elf_.file.empty() && entry.text.starts_with('$'))
        return;
      add(Rule::dangling_runpath, capped_for_vendor(Severity::warning, elf_.vendor, Severity::note),
          entry.text,
          entry.text.empty()
              ? "A colon at an end of " + std::string(tag_) +
                    ", or two in a row, make an empty entry, which means the current directory "
                    "of the program."
              : in_tag("and relative to the current directory of the program"),
          {}, "Let hostpin leak-check --fix remove it, or make it relative to $ORIGIN.");
      return;
    }
    const std::optional<std::string> real = world_.files.real_path(entry.path);
    if (judge_unwanted(entry, real))
      return;
    if (elf_.in_store && !entry.from_origin && !is_bound(entry.path, world_.policy) &&
        is_host_place(entry.path)) {
      add(Rule::host_path_from_store, capped_for_vendor(Severity::error, elf_.vendor, Severity::warning),
          entry.text, in_tag());
      return;
    }
    if (is_stub_directory(entry, real))
      judge_stub(entry);
    else if (!entry.is_directory())
      judge_absent(entry);
  }

  bool judge_unwanted(const Entry& entry, const std::optional<std::string>& real) {
    const UnwantedPath* row = world_.unwanted.covering(entry.path);
    if (row == nullptr && real)
      row = world_.unwanted.covering(*real);
    if (row == nullptr)
      return false;
    const bool build = row->kind == UnwantedPath::Kind::build_directory;
    // A tree in the build directory that refers to itself by $ORIGIN.
    if (build && entry.from_origin)
      return false;
    add(build ? Rule::build_directory : Rule::forbidden_runpath, Severity::error, entry.text,
        in_tag("and is in " + std::string(to_string(row->kind)) + " directory " + row->path),
        real && *real != entry.path ? *real : std::string());
    return true;
  }

  bool is_stub_directory(const Entry& entry, const std::optional<std::string>& real) const {
    if (!is_named_stubs(entry.path, real))
      return false;
    return world_.files.status(entry.path + "/libcuda.so").has_value() ||
           entry.path.find("cuda") != std::string::npos;
  }

  void judge_stub(const Entry& entry) {
    if (world_.files.status(entry.path + "/libcuda.so.1"))
      add(Rule::cuda_stub_runpath, capped_for_vendor(Severity::error, elf_.vendor, Severity::warning),
          entry.text, in_tag("and contains a libcuda.so.1, which the loader loads instead of the driver's"),
          entry.path + "/libcuda.so.1");
    else if (elf_.facts.names_driver && !is_only_first_name())
      add(Rule::cuda_stub_runpath, capped_for_vendor(Severity::error, elf_.vendor, Severity::warning),
          entry.text, in_tag("and the file opens libcuda.so by that name, which is the stub's name there"),
          entry.path + "/libcuda.so");
    else
      add(Rule::cuda_stub_runpath, capped_for_vendor(Severity::warning, elf_.vendor, Severity::note),
          entry.text,
          in_tag("without effect as long as it contains no libcuda.so.1 and nothing opens libcuda.so by that "
                 "name"));
  }
  /// The runtime itself opens libcuda.so.1, which a stub directory does not contain.
  bool is_only_first_name() const { return elf_.facts.has_cudart; }

  void judge_absent(const Entry& entry) {
    if (is_of_machine(entry, world_.policy))
      return;
    const bool like_a_file = file_name(entry.path).find(".so") != std::string_view::npos;
    if (entry.status || (like_a_file && !entry.from_origin)) {
      add(Rule::runpath_not_a_directory, capped_for_vendor(Severity::error, elf_.vendor, Severity::note),
          entry.text, in_tag());
      return;
    }
    const Severity severity = entry.from_origin || elf_.vendor ? Severity::note : Severity::warning;
    add(Rule::dangling_runpath, severity, entry.text, in_tag("and " + entry.path + " does not exist"));
  }

  bool leads_to_driver(const std::string& path) const {
    constexpr std::array<std::string_view, 3> usual = {"/run/opengl-driver/lib", "/run/opengl-driver-32/lib",
                                                       "/usr/lib/wsl/lib"};
    return (!world_.policy.driver_directory.empty() && path == world_.policy.driver_directory) ||
           (is_bound(path, world_.policy) && !leads_to_compat(path)) ||
           std::find(usual.begin(), usual.end(), path) != usual.end();
  }
  bool leads_to_compat(const std::string& path) const {
    return (!world_.policy.compat_directory.empty() && path == world_.policy.compat_directory) ||
           loader::is_compat_directory(path);
  }

  void judge_order() {
    std::vector<std::string> paths;
    for (const Entry& entry : entries_)
      paths.push_back(entry.path);
    const auto wrong = loader::driver_before_compat(
        paths, [this](const std::string& path) { return leads_to_driver(path); },
        [this](const std::string& path) { return leads_to_compat(path); });
    if (wrong)
      add(Rule::cuda_compat_order, capped_for_vendor(Severity::error, elf_.vendor, Severity::warning),
          entries_[wrong->compat].text, in_tag("after " + entries_[wrong->driver].text));
  }

  void judge_driver() {
    const bool opens = elf_.facts.names_driver || std::find(image_.needed.begin(), image_.needed.end(),
                                                            "libcuda.so.1") != image_.needed.end();
    if (!opens || elf_.file.empty())
      return;
    judge_way(Rule::driver_runpath, world_.policy.driver_directory);
    judge_way(Rule::cuda_compat_order, world_.policy.compat_directory);
  }

  void judge_way(Rule rule, const std::string& place) {
    const bool there = std::any_of(entries_.begin(), entries_.end(),
                                   [&](const Entry& entry) { return entry.path == place; });
    if (!place.empty() && !there)
      add(rule, capped_for_vendor(Severity::warning, elf_.vendor, Severity::note), place,
          "Its " + std::string(tag_) + " has no entry " + place + '.');
  }

  const TreeElf& elf_;
  const World& world_;
  const Report& report_;
  const binary::Image& image_;
  std::string_view tag_;
  std::vector<Entry> entries_;
};

} // namespace

void judge_run_path(const TreeElf& elf, const World& world, const Report& report) {
  if (elf.facts.image)
    RunPathJudge(elf, world, report).run();
}

} // namespace hostpin::leak
