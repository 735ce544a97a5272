// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/site/site.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/unicode.hpp"

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

std::string text_of(const fs::path& path) {
  constexpr std::size_t limit = std::size_t{64} << 20U;
  auto blob = binary::open_blob(path.string());
  if (!blob)
    return {};
  return blob->all(limit).value_or("");
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

void Site::add_wheel(const WheelFile& wheel, bool is_checked) {
  const std::string name = wheel.distribution();
  distributions_[name] = {name, wheel.name.version, wheel.requirements, false};
  for (const Member& member : wheel.members)
    if (member.elf)
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
    if (!may_be_library(entry.path()) || !entry.is_regular_file(error))
      continue;
    const std::string path = entry.path().string();
    const auto owned = owner.find(path);
    const std::string name = owned == owner.end() ? std::string() : owned->second;
    if (name == left_out && !name.empty())
      continue;
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
    if (auto added = site.add_directory(site.root_, wheel.distribution()); !added)
      return tl::unexpected(added.error());
  for (const WheelFile& other : *site.others_)
    site.add_wheel(other, false);
  site.add_wheel(wheel, true);
  return site;
}

void Site::assume(const std::vector<CudaWheel>& table, const std::set<std::string>& required) {
  const auto first =
      std::find_if(files_.begin(), files_.end(), [](const auto& one) { return !one.second.member.empty(); });
  if (first == files_.end())
    return; // without a file that is linked, nothing of them is needed
  const binary::ElfKind kind = first->second.image.kind;
  for (const CudaWheel& one : table) {
    if (!required.contains(one.distribution) || distributions_.contains(one.distribution))
      continue;
    distributions_[one.distribution] = {one.distribution, {}, {}, true};
    const auto add_library = [&](const std::string& library, const std::vector<std::string>& opened) {
      binary::Image image;
      image.kind = kind;
      image.soname = library;
      add({root_ + '/' + one.directory + '/' + library,
           one.distribution,
           {},
           nullptr,
           std::move(image),
           opened});
    };
    for (const std::string& library : one.libraries)
      add_library(library, one.opened);
    for (const std::string& library : one.opened)
      add_library(library, {});
  }
}

std::string run_path_to(const std::string& directory, const std::string& file) {
  const std::string way = fs::path(directory).lexically_relative(fs::path(file).parent_path()).string();
  return way == "." ? "$ORIGIN" : "$ORIGIN/" + way;
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

std::string Site::real_path(const std::string& path) const {
  const std::string whole = normal(path);
  const auto found = real_.find(whole);
  return found == real_.end() ? whole : found->second;
}

namespace {

/// What a requirement on the metapackage cuda-toolkit installs, by its extras.
std::vector<std::string> of_metapackage(const Requirement& requirement, const std::vector<CudaWheel>& table) {
  std::vector<std::string> names;
  for (const CudaWheel& row : table) {
    const bool is_wanted =
        std::find(requirement.extras.begin(), requirement.extras.end(), row.extra) !=
            requirement.extras.end() ||
        std::find(requirement.extras.begin(), requirement.extras.end(), "all") != requirement.extras.end();
    if (!row.extra.empty() && is_wanted && requirement.admits_major(row.cuda))
      names.push_back(row.distribution);
  }
  return names;
}

/// A requirement, and whether all that lead to it name one release.
struct Step {
  Requirement requirement;
  bool is_pinned = true;
};

Required follow(const std::vector<Requirement>& first, const Site& site,
                const std::vector<CudaWheel>& table) {
  Required required;
  std::deque<Step> left;
  for (const Requirement& one : first)
    left.push_back({one, one.is_pinned()});
  std::set<std::tuple<std::string, std::vector<std::string>, bool>> seen;
  for (; !left.empty(); left.pop_front()) {
    const auto [requirement, is_pinned] = left.front();
    if (!seen.insert({requirement.name, requirement.extras, is_pinned}).second)
      continue;
    const auto add = [&, pinned = is_pinned](const std::string& name) {
      required.names.insert(name);
      if (pinned)
        required.pinned.insert(name);
    };
    add(requirement.name);
    const bool is_metapackage = requirement.name == "cuda-toolkit";
    if (is_metapackage)
      for (const std::string& name : of_metapackage(requirement, table))
        add(name);
    const auto found = site.distributions().find(requirement.name);
    if (found == site.distributions().end()) {
      if (!is_metapackage && cuda_wheel_named(table, requirement.name) == nullptr)
        required.unknown.insert(requirement.name);
      continue;
    }
    for (const Requirement& next : found->second.requirements) {
      const std::string extra = next.extra();
      if (extra.empty() ||
          std::find(requirement.extras.begin(), requirement.extras.end(), extra) != requirement.extras.end())
        left.push_back({next, is_pinned && next.is_pinned()});
    }
  }
  return required;
}

} // namespace

Required required_by(const WheelFile& wheel, const Site& site, const std::vector<CudaWheel>& table) {
  std::vector<Requirement> always, under_extras;
  for (const Requirement& one : wheel.requirements)
    (one.extra().empty() ? always : under_extras).push_back(one);
  Required required = follow(always, site, table);
  required.optional = follow(under_extras, site, table).names;
  return required;
}

} // namespace hostpin::wheel
