// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/repair/plan.hpp"

#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/devicecode/vendor.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fnmatch.h>
#include <utility>

namespace hostpin::wheel {

namespace {

/// A file of the repaired wheel.
struct Unit {
  std::string path;   ///< where it is installed
  std::string member; ///< empty for one that is packed
  std::string source; ///< of one that is packed: path on this machine
  ElfFacts facts;
  binary::DynamicEdit edit;
  std::vector<std::string> directories; ///< of what it needs, in the order in which it needs it
};

/// What a file needs instead of a library, and where that is: the directory is empty for libraries of the
/// system.
struct Target {
  std::string name, directory;
  std::vector<std::string> opened = {}; ///< that it opens by name, and finds if something has loaded them
};

bool is_of_loader(std::string_view name) {
  return name.starts_with("ld-linux");
}

/// `libgomp-a34b3233.so.1`: auditwheel's way, so that no other copy in the process has the name.
std::string hashed_name(const std::string& name, const std::string& digest) {
  constexpr std::size_t digits = 8;
  const std::size_t end = std::min(name.find(".so"), name.size());
  return name.substr(0, end) + '-' + digest.substr(0, digits) + name.substr(end);
}

class Planner {
public:
  Planner(const Checked& checked, const RepairTerms& terms, const FindLibrary& find)
      : wheel_(checked.wheel), site_(checked.site), required_(checked.required),
        table_(checked.tables.cuda_wheels), packages_(checked.tables.packages), terms_(terms), find_(find),
        needs_(needs_of(checked)),
        libraries_(checked.site.root() + '/' + checked.wheel.name.distribution + ".libs") {
    for (const ManylinuxPolicy& policy : checked.tables.policies)
      system_.insert(policy.libraries.begin(), policy.libraries.end());
    is_nvidias_ = cuda_wheel_named(table_, wheel_.distribution()) != nullptr;
  }

  Result<RepairPlan> run() {
    for (const auto& [path, file] : site_.files()) {
      if (file.member.empty())
        continue;
      if (is_driver_file(file))
        plan_.dropped.emplace(file.member, driver_name(file));
      else
        units_.push_back({path, file.member, {}, *file.facts, {}, {}});
    }
    plan_.needs = needs_.required;
    for (std::size_t i = 0; i < units_.size(); ++i) // libraries that are packed are added
      TRY(add(units_[i]));
    std::vector<const ElfFacts*> files;
    for (const Unit& unit : units_)
      files.push_back(&unit.facts);
    for (const CudaWheel* const row : cuda_)
      require(*row, files);
    for (Unit& unit : units_)
      take(unit);
    std::sort(plan_.grafts.begin(), plan_.grafts.end(),
              [](const Graft& a, const Graft& b) { return a.member < b.member; });
    return std::move(plan_);
  }

private:
  Result<void> add(Unit& unit) {
    const binary::Image& image = unit.facts.image;
    plan_.machine = image.kind.machine;
    for (const std::string& name : image.needed) {
      TRY_ASSIGN(const auto target, decide(unit, name));
      if (target.name != name)
        unit.edit.renamed[name] = target.name;
      if (!target.directory.empty())
        unit.directories.push_back(target.directory);
      for (const std::string& opened : target.opened)
        load_first(unit, opened);
    }
    for (const binary::VersionNeed& need : image.version_needs)
      if (std::find(image.needed.begin(), image.needed.end(), need.library) == image.needed.end())
        if (const std::string name = needed_with(unit, need); !name.empty())
          unit.edit.renamed[need.library] = name;
    return {};
  }

  void load_first(Unit& unit, const std::string& opened) const {
    unit.directories.push_back(decided_.at(opened).directory);
    const auto has = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), opened) != names.end();
    };
    if (!has(unit.facts.image.needed) && !has(unit.edit.needed_first))
      unit.edit.needed_first.push_back(opened);
  }

  /// What a file needs instead of a library that it needs versions of without NEEDED, as after a rename that
  /// changed only one of the two: a needed file with these versions. Empty if there is none.
  std::string needed_with(const Unit& unit, const binary::VersionNeed& need) const {
    for (const std::string& name : unit.facts.image.needed) {
      const SiteFile* const file = file_named(name, true);
      const Target& target = decided_.at(name);
      if (file == nullptr || target.name == need.library)
        continue;
      const auto& defined = file->image.version_definitions;
      if (std::all_of(need.versions.begin(), need.versions.end(), [&](const std::string& version) {
            return std::find(defined.begin(), defined.end(), version) != defined.end();
          }))
        return target.name;
    }
    return {};
  }

  Result<Target> decide(const Unit& by, const std::string& name) {
    if (const auto known = decided_.find(name); known != decided_.end())
      return known->second;
    auto target = find(by, name);
    if (target)
      decided_.emplace(name, *target);
    return target;
  }

  /// `needed`: a name, or a path, of a library that was linked by path and has no soname.
  Result<Target> find(const Unit& by, const std::string& needed) {
    const std::string name(base_name(needed));
    if (system_.contains(name) || is_of_loader(name) || loader::is_of_driver(name))
      return Target{name, {}};
    if (const SiteFile* const own = file_named(name, true)) {
      if (plan_.dropped.contains(own->member)) // a renamed copy of the driver
        return Target{plan_.dropped.at(own->member), {}};
      const std::string original = is_nvidias_ ? std::string() : library_of_cuda(*own->facts);
      if (original.empty() || terms_.cuda == CudaSource::bundle)
        return with_opened({std::string(base_name(own->path)), std::string(directory_of(own->path))},
                           own->path, *own->facts);
      return replaced(*own, of_cuda(original));
    }
    if (!wheels_with(table_, name).empty())
      return terms_.cuda == CudaSource::bundle ? packed(by, needed) : Result<Target>(of_cuda(name));
    if (const SiteFile* const other = file_named(name, false))
      return Target{std::string(base_name(other->path)), std::string(directory_of(other->path))};
    // Never packed: a process has one PyTorch.
    if (is_library_of_torch(name) || package_with(packages_, name) != nullptr)
      return Target{name, {}};
    return packed(by, needed);
  }

  /// A file that the loader finds by that name, in the wheel or in others; else one that has the soname.
  const SiteFile* file_named(const std::string& name, bool is_own) const {
    const SiteFile* found = nullptr;
    for (const SiteFile* const one : site_.named(name))
      if (one->member.empty() != is_own)
        if (found == nullptr || (base_name(one->path) == name && base_name(found->path) != name))
          found = one;
    return found;
  }

  Target replaced(const SiteFile& file, Target by) {
    plan_.dropped.emplace(file.member, by.name);
    return by;
  }

  static std::string driver_name(const SiteFile& file) {
    return loader::is_of_driver(file.image.soname) ? file.image.soname
           : file.facts->is_driver                 ? "libcuda.so.1"
                                                   : std::string(base_name(file.path));
  }

  /// The soname that NVIDIA gave a library of CUDA; empty for other libraries.
  std::string library_of_cuda(const ElfFacts& facts) const {
    std::vector<std::string> names = facts.image.version_definitions; // a renamed copy still has them
    names.insert(names.begin(), {facts.image.soname, facts.cuda_runtime});
    for (const std::string& name : names)
      if (!wheels_with(table_, name).empty())
        return name;
    return {};
  }

  /// A library of CUDA that the wheel does not have.
  Target of_cuda(const std::string& name) {
    if (terms_.cuda == CudaSource::system)
      return {name, {}};
    const auto rows = wheels_with(table_, name);
    const auto is_required = [&](const CudaWheel* row) {
      return required_.names.contains(row->distribution);
    };
    auto row = std::find_if(rows.begin(), rows.end(), is_required);
    if (row == rows.end())
      row = std::find_if(rows.begin(), rows.end(),
                         [&](const CudaWheel* one) { return one->cuda == needs_.cuda; });
    const CudaWheel& chosen = row == rows.end() ? *rows.back() : **row;
    cuda_.insert(&chosen);
    return {name, site_.root() + '/' + chosen.directory};
  }

  void require(const CudaWheel& row, const std::vector<const ElfFacts*>& files) {
    plan_.needs.glibc = std::max(plan_.needs.glibc, row.glibc);
    const Version first = first_version(row, files).version;
    bool is_right =
        required_.names.contains(row.distribution) || required_.optional.contains(row.distribution);
    for (const Requirement& one : wheel_.requirements)
      if (one.name == row.distribution && one.extra().empty())
        is_right = is_right && !one.admits_before(first) &&
                   (row.major == 0 || (one.admits_major(row.major) && one.has_ceiling()));
    if (!is_right)
      plan_.requirements.emplace(row.distribution, requirement_on(row, first));
  }

  bool is_excluded(const std::string& text) const {
    return std::any_of(terms_.excluded.begin(), terms_.excluded.end(), [&](const std::string& pattern) {
      return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
    });
  }

  /// A library of this machine.
  Result<Target> packed(const Unit& by, const std::string& name) {
    const bool is_named = is_excluded(std::string(base_name(name)));
    const auto path =
        is_named ? std::nullopt : find_(by.facts.image, by.source.empty() ? by.path : by.source, name);
    if (is_named || (path && is_excluded(*path))) {
      plan_.excluded.insert(name);
      return Target{name, {}};
    }
    if (!path)
      return not_here(name, by.member.empty() ? by.source : by.member, "needs");
    return packed_from(*path, std::string(base_name(name)), true);
  }

  static tl::unexpected<Error> not_here(const std::string& name, const std::string& by, const char* does) {
    return failure(
        "the library " + escaped(name) + ", which " + escaped(by) + ' ' + does + ", is not on this machine",
        "name its directory with --library-path, or the wheel that installs it with --with, or leave it to "
        "the machine with --exclude");
  }

  /// `with_hash`: under a name with its hash.
  Result<Target> packed_from(const std::string& path, const std::string& plain, bool with_hash) {
    const auto unreadable = [&](const std::string& reason) {
      return failure("the library " + escaped(path) + " cannot be packed: " + reason);
    };
    const auto blob = binary::open_blob(path);
    if (!blob)
      return unreadable(blob.error().message);
    const binary::InputFile input(*blob);
    auto facts = read_elf_facts(binary::Bytes(input), plain, Depth::linking);
    if (!facts || !*facts)
      return unreadable(facts ? "it is not a shared library" : facts.error().message);
    if ((*facts)->is_driver)
      return Target{plain, {}};
    const auto digest = sha256_of_file(path);
    if (!digest)
      return unreadable(digest.error().message);
    const std::string stored = with_hash && may_change((*facts)->image) ? hashed_name(plain, *digest) : plain;
    Unit unit{libraries_ + '/' + stored, {}, path, **std::move(facts), {}, {}};
    if (stored != plain && !unit.facts.image.soname.empty())
      unit.edit.soname = stored;
    units_.push_back(std::move(unit));
    return with_opened({stored, libraries_}, path, units_.back().facts);
  }

  /// Packs what a library opens by name, under that name. `source`: of the library on this machine, or where
  /// it is installed.
  Result<Target> with_opened(Target target, const std::string& source, const ElfFacts& facts) {
    for (const std::string& name : facts.opened) {
      if (is_excluded(name)) {
        plan_.excluded.insert(name);
        continue;
      }
      if (!decided_.contains(name)) {
        const SiteFile* const own = file_named(name, true);
        decided_[name] = {name, own != nullptr ? std::string(directory_of(own->path)) : libraries_};
        if (own == nullptr)
          TRY(pack_opened(name, source, facts.image));
      }
      if (!leads_to(target, facts.image, decided_.at(name).directory))
        target.opened.push_back(name);
    }
    return target;
  }

  Result<Target> pack_opened(const std::string& name, const std::string& by, const binary::Image& image) {
    const std::string next_to = std::string(directory_of(by)) + '/' + name;
    const auto path = std::filesystem::exists(next_to) ? std::optional(next_to) : find_(image, by, name);
    return path ? packed_from(*path, name, false) : Result<Target>(not_here(name, by, "opens by name"));
  }

  /// Whether the run path that a library will have leads to a directory.
  bool leads_to(const Target& library, const binary::Image& image, const std::string& directory) const {
    const std::string path = library.directory + '/' + library.name;
    if (site_.file(path) == nullptr && may_change(image)) // of one that is packed, a new one is made
      return false;
    const auto all = run_path_of(path, image);
    return std::any_of(all.begin(), all.end(),
                       [&](const loader::RunPathEntry& entry) { return entry.directory == directory; });
  }

  /// The directories of a run path, as the loader takes them.
  std::vector<loader::RunPathEntry> run_path_of(const std::string& path, const binary::Image& image) const {
    loader::LoaderPlaces places;
    places.real_path = [this](const std::string& one) { return site_.real_path(one); };
    auto all = loader::run_path(path, image, places);
    for (auto& [text, directory] : all) {
      directory = std::filesystem::path(directory).lexically_normal().string();
      if (directory.ends_with('/'))
        directory.pop_back();
    }
    return all;
  }

  bool may_change(const binary::Image& image) const {
    return terms_.licensed_to_modify || !devicecode::nvidia_library(image);
  }

  /// Whether a directory of the environment has files of this wheel that stay, or of others.
  bool is_used(const std::string& directory) const {
    return std::any_of(site_.files().begin(), site_.files().end(), [&](const auto& one) {
      return directory_of(one.first) == directory && !plan_.dropped.contains(one.second.member);
    });
  }

  /// Entries that lead to files of the environment stay: dlopen uses them as well. Then what is missing.
  void set_run_path(Unit& unit) const {
    const binary::Image& image = unit.facts.image;
    const std::string old = image.runpath ? *image.runpath : image.rpath.value_or("");
    std::vector<std::string> reached;
    std::string list;
    const auto put = [&](const std::string& entry, const std::string& directory) {
      if (std::find(reached.begin(), reached.end(), directory) != reached.end())
        return;
      reached.push_back(directory);
      list += (list.empty() ? "" : ":") + entry;
    };
    for (const auto& [text, directory] : run_path_of(unit.path, image))
      if (text.starts_with('$') && is_used(directory) && unit.source.empty())
        put(text, directory);
    for (const std::string& directory : unit.directories)
      put(loader::run_path_to(directory, unit.path), directory);
    if (list != old || (image.runpath && image.rpath))
      unit.edit.run_path = {list, !image.runpath && image.rpath && unit.source.empty()};
  }

  void take(Unit& unit) {
    if (plan_.dropped.contains(unit.member))
      return;
    const binary::Image& image = unit.facts.image;
    const auto is_of_system = [&](const std::string& name) {
      return (system_.contains(name) || is_of_loader(name)) && site_.named(name).empty();
    };
    for (const std::string& name : image.needed)
      if (is_of_system(name))
        plan_.libraries.insert(name);
    for (const binary::VersionNeed& need : image.version_needs)
      if (is_of_system(need.library))
        for (const std::string& version : need.versions)
          plan_.needs.add(version);
    set_run_path(unit);
    if (!may_change(image)) // check reports what it does not find
      unit.edit = {};
    if (!unit.source.empty())
      plan_.grafts.push_back({unit.source, unit.path.substr(site_.root().size() + 1), std::move(unit.edit)});
    else if (!unit.edit.empty())
      plan_.edits.emplace(unit.member, std::move(unit.edit));
  }

  const WheelFile& wheel_;
  const Site& site_;
  const Required& required_;
  const std::vector<CudaWheel>& table_;
  const std::vector<CudaPackage>& packages_;
  const RepairTerms& terms_;
  const FindLibrary& find_;
  Needs needs_;
  std::string libraries_; ///< the directory of what is packed
  bool is_nvidias_ = false;
  std::set<std::string, std::less<>> system_;
  std::deque<Unit> units_;
  std::set<const CudaWheel*> cuda_;       ///< distributions that it has to require
  std::map<std::string, Target> decided_; ///< by the name that is needed
  RepairPlan plan_;
};

} // namespace

const ManylinuxPolicy* RepairPlan::policy(const std::vector<ManylinuxPolicy>& policies) const {
  const auto found = std::find_if(policies.begin(), policies.end(), [&](const ManylinuxPolicy& one) {
    return one.covers(needs) && std::all_of(libraries.begin(), libraries.end(), [&](const std::string& name) {
             return is_of_loader(name) || one.libraries.contains(name);
           });
  });
  return found == policies.end() ? nullptr : &*found;
}

Result<RepairPlan> plan_repair(const Checked& checked, const RepairTerms& terms, const FindLibrary& find) {
  return Planner(checked, terms, find).run();
}

} // namespace hostpin::wheel
