// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/site/site.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/loader/driver.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace hostpin::wheel {

namespace {

namespace fs = std::filesystem;

constexpr const char* imagined = "/environment/lib/python3/site-packages";

std::string normal(const std::string& path) {
  return fs::path(path).lexically_normal().string();
}

/// The environment of a site directory: three levels up from lib/pythonX.Y/site-packages, else the directory
/// itself, as for `pip install --target`.
std::string prefix_of(const std::string& root) {
  const fs::path path(root);
  const std::string name = path.filename().string(), python = path.parent_path().filename().string();
  const bool is_usual = (name == "site-packages" || name == "dist-packages") && python.starts_with("python");
  return is_usual ? path.parent_path().parent_path().parent_path().string() : root;
}

std::string text_of(const fs::path& path, std::size_t limit = std::size_t{64} << 20U) {
  auto blob = binary::open_blob(path.string());
  if (!blob)
    return {};
  return blob->all(limit).value_or("");
}

/// Directly in a package of the directory.
bool is_source_of_package(const fs::path& path, const std::string& directory) {
  const fs::path package = path.parent_path();
  return is_python_source(path.filename().string()) && package.parent_path() == directory &&
         package.extension() != ".dist-info";
}

bool may_be_library(const fs::path& path) {
  return path.filename().string().find(".so") != std::string::npos;
}

} // namespace

std::string Site::path_of(const WheelFile& wheel, std::string_view member) const {
  const InstalledPath installed = installed_path(wheel, member);
  return (installed.is_in_site ? root_ : prefix_) + '/' + installed.path;
}

void Site::add(SiteFile file) {
  if (file.facts != nullptr)
    file.opened = file.facts->opened;
  std::string path = file.path;
  by_name_.emplace(base_name(path), path);
  if (!file.image.soname.empty() && file.image.soname != base_name(path))
    by_name_.emplace(file.image.soname, path);
  files_.insert_or_assign(std::move(path), std::move(file));
}

void Site::add_source(const std::string& path, const std::string& distribution, const PythonSource& source) {
  PythonSource& all = sources_[std::string(directory_of(path))][distribution];
  all.opens |= source.opens;
  all.libraries.insert(source.libraries.begin(), source.libraries.end());
  if (source.opens || is_package_file(path))
    all.imports.insert(source.imports.begin(), source.imports.end());
}

void Site::add_wheel(const WheelFile& wheel, bool is_checked) {
  const std::string name = wheel.distribution();
  distributions_[name] = {name, wheel.name.version, wheel.requirements, false};
  for (const Member& member : wheel.members)
    if (member.python)
      add_source(path_of(wheel, member.entry.name), name, *member.python);
    else if (member.elf)
      add({path_of(wheel, member.entry.name), name, is_checked ? member.entry.name : std::string(),
           &*member.elf, member.elf->image});
}

Result<void> Site::add_directory(const std::string& directory, const std::string& left_out) {
  std::error_code error;
  std::map<std::string, std::string> owner; // by path
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    if (entry.path().extension() != ".dist-info")
      continue;
    const auto fields = read_fields(text_of(entry.path() / "METADATA"));
    const std::string name = normalised(value_of(fields, "name").value_or(""));
    for (const RecordRow& row :
         read_record(text_of(entry.path() / "RECORD")).value_or(std::vector<RecordRow>()))
      owner[normal(directory + '/' + row.path)] = name;
    if (name != left_out)
      distributions_[name] = {name, value_of(fields, "version").value_or(""), requirements_of(fields), false};
  }
  if (error)
    return failure(escaped(directory) + " cannot be read: " + error.message(),
                   "--site takes a directory such as lib/python3.12/site-packages of an environment");
  const auto options = fs::directory_options::skip_permission_denied;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory, options, error)) {
    const bool is_source = is_source_of_package(entry.path(), directory);
    if ((!is_source && !may_be_library(entry.path())) || !entry.is_regular_file(error))
      continue;
    const std::string path = entry.path().string();
    const auto owned = owner.find(path);
    const std::string name = owned == owner.end() ? std::string() : owned->second;
    if (name == left_out && !name.empty())
      continue;
    if (is_source) {
      add_source(path, name, read_python_source(text_of(path, longest_source)));
      continue;
    }
    if (entry.is_symlink())
      real_[path] = fs::canonical(entry.path(), error).string();
    auto file = binary::InputFile::open(path);
    if (!file)
      continue;
    auto facts = read_elf_facts(binary::Bytes(**file), base_name(path), Depth::linking);
    if (!facts || !*facts)
      continue;
    read_->push_back(**std::move(facts));
    add({path, name, {}, &read_->back(), read_->back().image});
  }
  return {};
}

Result<Site> Site::make(const WheelFile& wheel, std::deque<WheelFile> others, const std::string& directory) {
  Site site;
  *site.others_ = std::move(others);
  site.root_ = directory.empty() ? imagined : normal(directory);
  if (site.root_.size() > 1 && site.root_.ends_with('/'))
    site.root_.pop_back();
  site.prefix_ = prefix_of(site.root_);
  if (!directory.empty())
    TRY(site.add_directory(site.root_, wheel.distribution()));
  for (const WheelFile& other : *site.others_)
    site.add_wheel(other, false);
  site.add_wheel(wheel, true);
  return site;
}

namespace {

constexpr std::string_view metapackage = "cuda-toolkit";

} // namespace

std::vector<std::string> named_by(const Requirement& requirement, const std::vector<CudaWheel>& table) {
  std::vector<std::string> names = {requirement.name};
  if (requirement.name != metapackage)
    return names;
  const auto has = [&](std::string_view extra) {
    return std::find(requirement.extras.begin(), requirement.extras.end(), extra) != requirement.extras.end();
  };
  for (const CudaWheel& row : table)
    if (!row.extra.empty() && (has(row.extra) || has("all")) && requirement.admits_major(row.cuda))
      names.push_back(row.distribution);
  return names;
}

namespace {

std::vector<Requirement> requirements_of(const CudaPackage& package) {
  std::vector<Requirement> requirements;
  for (const std::string& text : package.requirements)
    if (auto one = read_requirement(text))
      requirements.push_back(*std::move(one));
  return requirements;
}

/// Of the libraries of a package: to NVIDIA's wheels that it requires, then to its own.
std::string run_path_of(const std::string& root, const CudaPackage& package,
                        const std::vector<CudaWheel>& table) {
  std::vector<std::string> names;
  for (const Requirement& one : requirements_of(package))
    for (std::string& name : named_by(one, table))
      names.push_back(std::move(name));
  std::vector<std::string> directories;
  for (const std::string& name : names)
    if (const CudaWheel* const row = cuda_wheel_named(table, name);
        row != nullptr &&
        std::find(directories.begin(), directories.end(), row->directory) == directories.end())
      directories.push_back(row->directory);
  std::string list;
  for (const std::string& directory : directories)
    list += loader::run_path_to(root + '/' + directory, root + '/' + package.directory + "/.") + ':';
  return list + "$ORIGIN";
}

} // namespace

void Site::assume_library(const std::string& distribution, const std::string& directory, binary::Image image,
                          const std::vector<std::string>& opened) {
  const std::string path = root_ + '/' + directory + '/' + image.soname;
  add({path, distribution, {}, nullptr, std::move(image), opened});
}

void Site::assume_package(const CudaPackage& package, const std::vector<CudaWheel>& table,
                          const binary::ElfKind& kind) {
  distributions_[package.distribution] = {
      package.distribution, to_full_string(package.releases.back()), {}, true};
  const std::string run_path = run_path_of(root_, package, table);
  for (const std::string& library : package.libraries) {
    binary::Image image;
    image.kind = kind;
    image.soname = library;
    image.rpath = run_path;
    if (const auto needed = package.needed.find(library); needed != package.needed.end())
      image.needed = needed->second;
    assume_library(package.distribution, package.directory, std::move(image), {});
  }
}

void Site::assume(const std::vector<CudaWheel>& table, const Required& required) {
  const auto first =
      std::find_if(files_.begin(), files_.end(), [](const auto& one) { return !one.second.member.empty(); });
  if (first == files_.end())
    return; // without a file that is linked, nothing of them is needed
  const binary::ElfKind kind = first->second.image.kind;
  for (const CudaWheel& one : table) {
    if (!required.names.contains(one.distribution) || distributions_.contains(one.distribution))
      continue;
    distributions_[one.distribution] = {one.distribution, {}, {}, true};
    const auto add_library = [&](const std::string& library, const std::vector<std::string>& opened) {
      binary::Image image;
      image.kind = kind;
      image.soname = library;
      assume_library(one.distribution, one.directory, std::move(image), opened);
    };
    for (const std::string& library : one.libraries)
      add_library(library, one.opened);
    for (const std::string& library : one.opened)
      add_library(library, {});
  }
  for (const auto& [name, package] : required.packages)
    if (!distributions_.contains(name))
      assume_package(*package, table, kind);
}

const SiteFile* Site::file(const std::string& path) const {
  const auto found = files_.find(normal(path));
  return found == files_.end() ? nullptr : &found->second;
}

std::vector<const SiteFile*> Site::named(std::string_view name) const {
  std::vector<const SiteFile*> found;
  for (auto [at, end] = by_name_.equal_range(name); at != end; ++at)
    if (const auto file = files_.find(at->second); file != files_.end())
      found.push_back(&file->second);
  std::sort(found.begin(), found.end(),
            [](const SiteFile* a, const SiteFile* b) { return a->path < b->path; });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool Site::has_loading_code(const std::string& distribution) const {
  return std::any_of(files_.begin(), files_.end(),
                     [&](const auto& one) {
                       const SiteFile& file = one.second;
                       return file.distribution == distribution && file.facts != nullptr &&
                              file.facts->is_module;
                     }) ||
         std::any_of(sources_.begin(), sources_.end(), [&](const auto& one) {
           const auto found = one.second.find(distribution);
           return found != one.second.end() && found->second.opens;
         });
}

std::string Site::real_path(const std::string& path) const {
  const std::string whole = normal(path);
  const auto found = real_.find(whole);
  return found == real_.end() ? whole : found->second;
}

namespace {

/// CUDA's major by the libraries that a wheel's files need; 0 if they need none.
int cuda_of(const WheelFile& wheel, const std::vector<CudaWheel>& table) {
  int cuda = 0;
  for (const Member& member : wheel.members)
    if (member.elf)
      for (const std::string& name : member.elf->image.needed)
        if (const auto rows = wheels_with(table, name); rows.size() == 1)
          cuda = std::max(cuda, rows.front()->cuda);
  return cuda;
}

/// A requirement, and what is known of all that lead to it.
struct Step {
  Requirement requirement;
  bool is_pinned = true;  ///< they name one release each
  bool is_certain = true; ///< they hold for each release of an assumed package that fits
};

class Follower {
public:
  Follower(const Site& site, const std::vector<CudaWheel>& table, const std::vector<CudaPackage>& packages,
           int cuda)
      : site_(site), table_(table), packages_(packages), cuda_(cuda) {}

  Required run(const std::vector<Requirement>& first) {
    for (const Requirement& one : first)
      left_.push_back({one, one.is_pinned(), true});
    std::set<std::tuple<std::string, std::vector<std::string>, bool, bool>> seen;
    for (; !left_.empty(); left_.pop_front()) {
      const Step step = left_.front();
      const Requirement& one = step.requirement;
      if (seen.insert({one.name, one.extras, step.is_pinned, step.is_certain}).second)
        follow(step);
    }
    for (const std::string& name : required_.names)
      if (!certain_.contains(name))
        required_.uncertain.insert(name);
    return std::move(required_);
  }

private:
  void add(const Step& step, const std::string& name) {
    required_.names.insert(name);
    if (step.is_pinned)
      required_.pinned.insert(name);
    if (step.is_certain)
      certain_.insert(name);
  }

  void follow(const Step& step) {
    const Requirement& one = step.requirement;
    for (const std::string& name : named_by(one, table_))
      add(step, name);
    const auto found = site_.distributions().find(one.name);
    if (found != site_.distributions().end())
      return follow(step, found->second.requirements, true);
    if (const CudaPackage* const package = package_for(packages_, one, cuda_)) {
      required_.packages.emplace(one.name, package);
      follow(step, requirements_of(*package), one.is_pinned());
    } else if (one.name != metapackage && cuda_wheel_named(table_, one.name) == nullptr) {
      required_.unknown.insert(one.name);
    }
  }

  void follow(const Step& step, const std::vector<Requirement>& next, bool is_certain) {
    for (const Requirement& one : next) {
      const std::string extra = one.extra();
      const auto& extras = step.requirement.extras;
      if (extra.empty() || std::find(extras.begin(), extras.end(), extra) != extras.end())
        left_.push_back({one, step.is_pinned && one.is_pinned(), step.is_certain && is_certain});
    }
  }

  const Site& site_;
  const std::vector<CudaWheel>& table_;
  const std::vector<CudaPackage>& packages_;
  int cuda_;
  std::deque<Step> left_;
  std::set<std::string> certain_;
  Required required_;
};

} // namespace

const CudaPackage* package_for(const std::vector<CudaPackage>& packages, const Requirement& requirement,
                               int cuda) {
  if (requirement.is_url ||
      std::any_of(requirement.specifiers.begin(), requirement.specifiers.end(),
                  [](const Specifier& one) { return one.version.find('+') != std::string::npos; }))
    return nullptr;
  const CudaPackage* newest = nullptr;
  const auto is_better = [&](const CudaPackage& one) {
    const bool fits = cuda == 0 || one.cuda == cuda,
               fitted = newest != nullptr && (cuda == 0 || newest->cuda == cuda);
    return newest == nullptr || (fits != fitted ? fits : newest->releases < one.releases);
  };
  for (const CudaPackage& one : packages)
    if (one.distribution == requirement.name && is_better(one) &&
        std::any_of(one.releases.begin(), one.releases.end(),
                    [&](const Version& release) { return requirement.admits(release); }))
      newest = &one;
  return newest;
}

Required required_by(const WheelFile& wheel, const Site& site, const std::vector<CudaWheel>& table,
                     const std::vector<CudaPackage>& packages) {
  std::vector<Requirement> always, under_extras;
  for (const Requirement& one : wheel.requirements)
    (one.extra().empty() ? always : under_extras).push_back(one);
  const int cuda = cuda_of(wheel, table);
  Required required = Follower(site, table, packages, cuda).run(always);
  required.optional = Follower(site, table, packages, cuda).run(under_extras).names;
  return required;
}

} // namespace hostpin::wheel
