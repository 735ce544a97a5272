// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/root_rules.hpp"

#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/loader/driver.hpp"
#include "toolchains/redist/tree/binaries.hpp"
#include "toolchains/redist/tree/proof.hpp"
#include "toolchains/redist/tree/rewrite.hpp"
#include "toolchains/redist/tree/texts.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace hostpin::redist {

namespace {

constexpr Version oldest_cmake{3, 25, 0};

bool is_header(const OriginEntry& entry) {
  return entry.output == "include" && entry.link.empty();
}

/// The directory of headers that the file is below, ending with a slash.
std::string include_directory(const std::string& path) {
  constexpr std::string_view name = "include/";
  const std::size_t at = path.starts_with(name) ? 0 : path.find("/include/") + 1;
  return path.substr(0, at + name.size());
}

/// Applies the rules to one root.
class Judging {
public:
  Judging(const Root& root, const TreeFacts& facts, const RootUse& use)
      : root_(root), facts_(facts), use_(use) {}

  std::vector<Finding> findings() {
    for (const RootFile& file : root_.files()) {
      if (file.image) {
        judge_run_path(file);
        judge_glibc(file);
        if (file.entry->output == "lib")
          judge_library(file);
      }
      if (is_header(*file.entry))
        judge_header(file);
      if (file.entry->output == "dev" && file.entry->path.ends_with(".pc"))
        judge_pkgconfig(file);
    }
    judge_majors();
    judge_variants();
    judge_driver();
    judge_targets();
    sort(found_);
    return std::move(found_);
  }

private:
  Finding& add(Rule rule, const RootFile* file, const std::string& subject, std::string explanation,
               std::string fix = {}) {
    Finding one = finding(rule, file == nullptr ? std::string(origin_name) : file->entry->path, {}, subject,
                          std::move(explanation));
    one.fix = std::move(fix);
    if (const LockedArchive* const archive = file == nullptr ? nullptr : root_.archive_of(*file)) {
      one.package = archive->package;
      one.platform = archive->platform;
    }
    found_.push_back(std::move(one));
    return found_.back();
  }

  /// Whether the root has this package for the platform of the file.
  bool has_package(const RootFile& file, const std::string& package) const {
    const LockedArchive* const own = root_.archive_of(file);
    return std::ranges::any_of(root_.origin().archives, [&](const LockedArchive& one) {
      return one.package == package && (own == nullptr || one.platform == own->platform);
    });
  }

  void add_missing(const RootFile& file, const std::string& name) {
    const auto there = std::ranges::find_if(root_.files(), [&](const RootFile& one) {
      return one.image && one.image->kind == file.image->kind && base_name(one.entry->path) == name;
    });
    if (there == root_.files().end())
      add(Rule::missing_library, &file, name, "needs " + name + ", which is not in the tree");
    else
      add(Rule::missing_library, &file, name,
          "needs " + name + ", and its run path does not lead to " + there->entry->path,
          "Add the directory to LD_LIBRARY_PATH, or load that library before.");
  }

  void judge_library(const RootFile& file) {
    const binary::Image& image = *file.image;
    for (const std::string& name : image.needed)
      if (root_.library(file, name) == nullptr && facts_.compose.provider(name).empty())
        add_missing(file, name);
    const auto bytes = binary::MappedFile::open(file.file);
    if (!bytes)
      return;
    std::vector<std::string> known = image.needed;
    known.push_back(image.soname);
    std::set<std::string> reported;
    for (const std::string& name : names_opened(bytes->bytes(), facts_.content, known)) {
      const std::string package = opened_package(facts_.content, name).value_or("");
      if (package.empty() || root_.opened(file, name) != nullptr ||
          library_stem(name) == library_stem(base_name(file.entry->path)) || !reported.insert(package).second)
        continue;
      add(Rule::opened_library, &file, name, "may open " + name + " while the program runs",
          "Add " + package + (has_package(file, package) ? " of that CUDA major." : "."));
    }
  }

  void judge_header(const RootFile& file) {
    const auto bytes = binary::MappedFile::open(file.file);
    if (!bytes)
      return;
    const std::string root = include_directory(file.entry->path);
    for (const auto& [name, quoted] : includes_of(bytes->bytes())) {
      const HeaderRow* const row = facts_.compose.header_row(name);
      const LockedArchive* const own = root_.archive_of(file);
      if (row == nullptr || own == nullptr || std::ranges::count(row->packages, own->package) != 0)
        continue;
      if (root_.at(root + name) == nullptr && root_.at(root + "cccl/" + name) == nullptr &&
          root_.at(Root::directory_of(file) + name) == nullptr)
        add(Rule::missing_header, &file, name, "includes " + name + ", which is not in the tree",
            "Add " + joined(row->packages, " or ") + '.');
    }
  }

  /// The entries as written.
  static std::vector<std::string> run_path_of(const RootFile& file) {
    std::vector<std::string> entries;
    for (const auto& [text, directory] : loader::run_path({}, *file.image, {}))
      if (!text.empty())
        entries.push_back(text);
    return entries;
  }

  void judge_run_path(const RootFile& file) {
    const std::vector<std::string> order = run_path_of(file);
    for (const std::string& directory : order)
      if (loader::is_stub_directory(directory))
        add(Rule::stub_on_run_path, &file, directory, "has " + directory + " on its run path");
    if (file.entry->output == "stubs" || file.entry->output == "compat")
      return;
    const auto wrong = loader::driver_before_compat(
        order, [this](const std::string& one) { return one == root_.origin().driver; },
        loader::is_compat_directory);
    if (wrong)
      add(Rule::compat_order, &file, order[wrong->driver],
          "has the driver's directory " + order[wrong->driver] + " before " + order[wrong->compat] +
              " on its run path");
  }

  void judge_glibc(const RootFile& file) {
    if (!use_.glibc || file.entry->output == "stubs")
      return;
    std::optional<Version> newest;
    for (const binary::VersionNeed& need : file.image->version_needs)
      for (const std::string& version : need.versions)
        if (version.starts_with("GLIBC_"))
          if (const auto number = parse_version(std::string_view(version).substr(6)))
            newest = std::max(newest.value_or(*number), *number);
    if (newest && *newest > *use_.glibc)
      add(Rule::newer_glibc, &file, "GLIBC_" + to_string(*newest),
          "needs glibc " + to_string(*newest) + ", and " + to_string(*use_.glibc) + " is used");
  }

  void judge_pkgconfig(const RootFile& file) {
    const auto bytes = binary::MappedFile::open(file.file);
    if (!bytes || !lacks_stubs(bytes->bytes()))
      return;
    Finding& one =
        add(Rule::driver_pkgconfig, &file, "-lcuda", "links libcuda.so from a directory without it",
            "Compose with --patched, or pass -L with the directory of the stubs.");
    // An unmodified root has the file as its archive has it, by intent.
    if (!root_.origin().patched)
      one.severity = Severity::note;
  }

  void judge_majors() {
    std::map<std::pair<std::string, std::string>, const RootFile*> first; // directory and stem
    for (const RootFile& file : root_.files()) {
      if (!file.image || file.entry->output != "lib")
        continue;
      const std::string& soname = file.image->soname;
      const std::string version(library_version(soname));
      if (version.empty())
        continue;
      const auto [other, added] =
          first.emplace(std::pair(Root::directory_of(file), std::string(library_stem(soname))), &file);
      if (!added && other->second->image->soname != soname)
        add(Rule::two_majors, &file, soname,
            "is " + soname + ", and " + other->second->entry->path + " is " + other->second->image->soname);
    }
  }

  void judge_variants() {
    const std::string major = cuda_major(root_.origin().archives);
    for (const LockedArchive& one : root_.origin().archives)
      if (!one.variant.empty() && !major.empty() && !fits_cuda(one.variant, major)) {
        Finding& wrong = add(Rule::two_majors, nullptr, name_of(one),
                             name_of(one) + " is not for CUDA " + major + ", which the rest is for");
        wrong.package = one.package;
        wrong.platform = one.platform;
      }
  }

  /// The file `libcuda.so.VERSION` in a directory on disk: the driver's version; empty if there is none.
  static std::string driver_version(const std::string& directory) {
    std::error_code error;
    std::string version;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("libcuda.so.") && name.size() > std::string_view("libcuda.so.1").size())
        version = std::max(version, name.substr(std::string_view("libcuda.so.").size()));
    }
    return version;
  }

  static int driver_major(const std::string& version) {
    const auto number = parse_version(version.substr(0, version.find('.')));
    return number ? number->major : 0;
  }

  void judge_driver() {
    const Origin& origin = root_.origin();
    for (const RootFile& file : root_.files())
      if (origin.compat && file.entry->path.starts_with("compat/libcuda.so.") && file.image &&
          !origin.driver.empty()) {
        const std::string compat(library_version(base_name(file.entry->path)));
        const std::string driver = driver_version(origin.driver);
        if (driver_major(driver) > driver_major(compat))
          add(Rule::compat_order, &file, compat,
              "is of driver " + compat + ", and the driver in " + origin.driver + " is the newer " + driver,
              "Compose without --compat.");
      }
    if (origin.driver.empty())
      return;
    for (const RootFile& file : root_.files())
      if (file.image && file.entry->output == "lib" && file.image->soname.starts_with("libcudart.so."))
        judge_cudart(file);
  }

  void judge_cudart(const RootFile& file) {
    if (std::ranges::count(run_path_of(file), root_.origin().driver) != 0)
      return;
    Finding& one =
        add(Rule::unreachable_driver, &file, root_.origin().driver,
            "does not search " + root_.origin().driver +
                " for libcuda.so.1, and a RUNPATH of a program does not change that",
            "Bind a toolchain with this tree, link programs with the static runtime or with "
            "-Wl,--disable-new-dtags,-rpath," +
                joined(driver_path(root_.origin(), "ROOT"), ",-rpath,") + ", or compose with --patched.");
    // An unmodified root leaves the order to the link of each program, by intent.
    if (!root_.origin().patched)
      one.severity = Severity::note;
  }

  void judge_targets() {
    const Origin& origin = root_.origin();
    const Version cmake = use_.cmake.value_or(oldest_cmake);
    for (const std::string& name : origin.targets) {
      const Platform* const platform = facts_.platform(name);
      const CmakeTarget* const row =
          platform == nullptr ? nullptr : facts_.compose.cmake_target(platform->target);
      if (row == nullptr || name == origin.host || origin.one_target || (row->since && *row->since <= cmake))
        continue;
      const bool aliased =
          !row->alias.empty() && std::ranges::any_of(root_.files(), [&](const RootFile& file) {
            return file.entry->path == "targets/" + row->alias;
          });
      if (!aliased)
        add(Rule::cmake_target, nullptr, platform->target,
            "CMake " + to_string(cmake) + " does not look in targets/" + platform->target +
                (row->since ? "; " + to_string(*row->since) + " does" : "; no release does"),
            row->alias.empty() ? "Compose a tree for this target alone." : "Compose the tree again.");
    }
  }

  const Root& root_;
  const TreeFacts& facts_;
  const RootUse& use_;
  std::vector<Finding> found_;
};

} // namespace

std::vector<Finding> root_findings(const Root& root, const TreeFacts& facts, const RootUse& use) {
  return Judging(root, facts, use).findings();
}

std::vector<std::string> expected_at_run(const Root& root, const ComposeFacts& facts) {
  std::set<std::string> names;
  for (const RootFile& file : root.files()) {
    if (!file.image || file.entry->output != "lib")
      continue;
    for (const std::string& name : file.image->needed) {
      const std::string_view by = facts.provider(name);
      if (!by.empty() && by != "compiler" && is_utf8(name) && root.library(file, name) == nullptr)
        names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

Result<std::vector<Finding>> check_root(const std::string& directory, const TreeFacts& facts,
                                        const RootUse& use) {
  TRY_ASSIGN(auto origin, origin_at(directory));
  auto findings = prove_root(directory, origin, sha256_of_file);
  if (!findings)
    return findings;
  const Root root = Root::of_directory(directory, std::move(origin));
  for (Finding& one : root_findings(root, facts, use))
    findings->push_back(std::move(one));
  sort(*findings);
  return findings;
}

} // namespace hostpin::redist
