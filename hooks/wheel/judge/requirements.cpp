// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/judge/judge.hpp"
#include "toolchains/base/demangle.hpp"
#include "toolchains/base/path_text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hostpin::wheel {

namespace {

using leak::Finding;
using leak::Rule;
using leak::Severity;

class RequirementJudge {
public:
  RequirementJudge(const Checked& checked, const Report& report)
      : wheel_(checked.wheel), site_(checked.site), required_(checked.required),
        table_(checked.tables.cuda_wheels), packages_(checked.tables.packages), report_(report) {
    for (const auto& [path, file] : site_.files())
      if (!file.member.empty())
        files_.push_back(file.facts);
  }

  void run() {
    std::map<std::string, const SiteFile*> needed; // sonames of CUDA, and the first file that needs each
    for (const auto& [path, file] : site_.files())
      if (!file.member.empty())
        for (const std::string& name : file.image.needed)
          if (!is_packed(name) && !wheels_with(table_, name).empty())
            needed.emplace(name, &file);
    for (const auto& [name, file] : needed)
      judge_library(name, *file);
    judge_packages();
    judge_torch();
  }

private:
  bool is_packed(const std::string& name) const {
    const auto there = site_.named(name);
    return std::any_of(there.begin(), there.end(), [](const SiteFile* one) { return !one->member.empty(); });
  }

  void add(Rule rule, Severity severity, const SiteFile& file, std::string reference, std::string explanation,
           std::string fix) {
    report_({rule,
             severity,
             in_wheel(wheel_, file.member, ".dynamic"),
             std::move(reference),
             {},
             std::move(explanation),
             std::move(fix)});
  }

  std::string addition(const CudaWheel& row) const {
    return "Add to the dependencies in pyproject.toml: \"" +
           requirement_on(row, first_version(row, files_).version) + '"';
  }

  void judge_library(const std::string& name, const SiteFile& file) {
    const auto rows = wheels_with(table_, name);
    const auto is_in = [](const std::set<std::string>& names) {
      return [&names](const CudaWheel* row) { return names.contains(row->distribution); };
    };
    const auto found = std::find_if(rows.begin(), rows.end(), is_in(required_.names));
    if (found != rows.end())
      return judge_versions(name, file, **found);
    if (std::any_of(rows.begin(), rows.end(), is_in(required_.optional)))
      return add(Rule::requires_missing, Severity::note, file, name,
                 rows.front()->distribution + " is required under an extra only.", addition(*rows.front()));
    if (const CudaWheel* const other = other_major(*rows.front()); other != nullptr)
      return add(Rule::requires_wrong_major, Severity::error, file, name,
                 fmt::format("{} has it, and the wheel requires {}, of CUDA {}.", rows.front()->distribution,
                             other->distribution, other->cuda),
                 addition(*rows.front()));
    add(Rule::requires_missing, required_.unknown.empty() ? Severity::error : Severity::warning, file, name,
        rows.front()->distribution + " installs it." + perhaps_required(), addition(*rows.front()));
  }

  /// Empty if all requirements are known.
  std::string perhaps_required() const {
    return required_.unknown.empty()
               ? std::string()
               : fmt::format(
                     " Perhaps {} requires it, whose requirements are not known: name its wheel with --with.",
                     fmt::join(required_.unknown, " or "));
  }

  /// Libraries of packages such as PyTorch, each package once.
  void judge_packages() {
    std::map<const CudaPackage*, std::pair<std::string, const SiteFile*>> needed;
    for (const auto& [path, file] : site_.files())
      if (!file.member.empty())
        for (const std::string& name : file.image.needed)
          if (const CudaPackage* const package =
                  site_.named(name).empty() ? package_with(packages_, name) : nullptr)
            needed.emplace(package, std::pair(name, &file));
    for (const auto& [package, first] : needed)
      if (!required_.names.contains(package->distribution))
        judge_package(*package, first.first, *first.second);
  }

  void judge_package(const CudaPackage& package, const std::string& name, const SiteFile& file) {
    const bool is_optional = required_.optional.contains(package.distribution);
    add(Rule::requires_missing,
        is_optional                 ? Severity::note
        : required_.unknown.empty() ? Severity::error
                                    : Severity::warning,
        file, name,
        package.distribution +
            (is_optional ? " is required under an extra only." : " installs it." + perhaps_required()),
        "Add to the dependencies in pyproject.toml the release that it is built with: \"" +
            package.distribution + "==...\"");
  }

  /// A required distribution of the same libraries for another CUDA major.
  const CudaWheel* other_major(const CudaWheel& wanted) const {
    for (const CudaWheel& row : table_)
      if (row.cuda != wanted.cuda && stem(row) == stem(wanted) && required_.names.contains(row.distribution))
        return &row;
    return nullptr;
  }

  static std::string stem(const CudaWheel& row) {
    return row.distribution.substr(0, row.distribution.rfind("-cu1"));
  }

  void judge_versions(const std::string& name, const SiteFile& file, const CudaWheel& row) {
    const FirstVersion first = first_version(row, files_);
    const bool is_of_major = row.major == 0; // its name has the major
    const std::string replacement =
        "Replace the requirement in pyproject.toml by: \"" + requirement_on(row, first.version) + '"';
    for (const Requirement& one : wheel_.requirements) {
      if (one.name != row.distribution)
        continue;
      if (!is_of_major && !one.admits_major(row.major))
        add(Rule::requires_wrong_major, Severity::error, file, name,
            fmt::format("It is in release {} of {}, which the requirement excludes.", row.major,
                        row.distribution),
            replacement);
      else if (!one.admits_from(first.version))
        add(Rule::requires_too_old, Severity::error, file, name,
            fmt::format("{} has {} since {}, and the requirement admits older releases only.",
                        row.distribution, first.function, to_string(first.version)),
            replacement);
      else if (!is_of_major && !one.has_ceiling())
        add(Rule::requires_loose, Severity::warning, file, name,
            fmt::format("{} {} and later have another library.", row.distribution, row.major + 1),
            replacement);
      else if (one.admits_before(first.version))
        add(Rule::requires_loose, Severity::warning, file, name,
            fmt::format("{} has {} since {}.", row.distribution, first.function, to_string(first.version)),
            replacement);
    }
    for (const auto& [package, release] : required_.packages)
      if (required_.pinned.contains(package))
        for (const std::string& text : release->requirements)
          if (const auto one = read_requirement(text);
              one && one->name == row.distribution && !one->admits_from(first.version))
            add(Rule::requires_too_old, Severity::error, file, name,
                fmt::format("{} has {} since {}, and the required release of {} requires {}.",
                            row.distribution, first.function, to_string(first.version), package, text),
                "Require a release of " + package + " that requires " + requirement_on(row, first.version) +
                    ", or build it with an older toolkit: hostpin bind DIR --toolkit RELEASE");
  }

  void judge_torch() {
    std::set<std::string> defined;
    bool has_torch = false;
    for (const auto& [path, file] : site_.files())
      if (file.facts != nullptr && is_library_of_torch(base_name(path))) {
        has_torch = true;
        defined.insert(file.facts->torch_defined.begin(), file.facts->torch_defined.end());
      }
    if (!has_torch)
      return;
    for (const auto& [path, file] : site_.files())
      if (!file.member.empty())
        judge_torch(file, defined);
  }

  /// Whether the loader loads a library of PyTorch with the file.
  bool loads_torch(const SiteFile& file) const {
    std::set<const SiteFile*> seen = {&file};
    for (std::vector<const SiteFile*> left = {&file}; !left.empty();) {
      const SiteFile* const one = left.back();
      left.pop_back();
      for (const std::string& name : one->image.needed) {
        if (is_library_of_torch(name))
          return true;
        for (const SiteFile* const next : site_.named(name))
          if (seen.insert(next).second)
            left.push_back(next);
      }
    }
    return false;
  }

  void judge_torch(const SiteFile& file, const std::set<std::string>& defined) {
    if (file.facts->is_module && !file.facts->torch_needed.empty() && !loads_torch(file))
      return report_(
          {Rule::torch_abi,
           Severity::error,
           in_wheel(wheel_, file.member, ".dynsym"),
           demangled(file.facts->torch_needed.front()),
           {},
           "It is linked with no library of PyTorch, and Python loads those for PyTorch's own modules only: "
           "the import fails.",
           "Link it with -lc10 -ltorch -ltorch_cpu, as torch.utils.cpp_extension does."});
    constexpr std::string_view marker = "cxx11";
    std::vector<std::string> lacked;
    std::set_difference(file.facts->torch_needed.begin(), file.facts->torch_needed.end(), defined.begin(),
                        defined.end(), std::back_inserter(lacked));
    if (lacked.empty() || is_library_of_torch(base_name(file.path)))
      return;
    const auto with_marker = [&](const auto& names) {
      return std::any_of(names.begin(), names.end(),
                         [&](const std::string& one) { return one.find(marker) != std::string::npos; });
    };
    const bool needs_new = with_marker(file.facts->torch_needed), has_new = with_marker(defined);
    const char* const why =
        needs_new && !has_new   ? " It was built with _GLIBCXX_USE_CXX11_ABI=1, and PyTorch with 0."
        : !needs_new && has_new ? " It may have been built with _GLIBCXX_USE_CXX11_ABI=0, and PyTorch with 1."
                                : "";
    report_({Rule::torch_abi,
             Severity::error,
             in_wheel(wheel_, file.member, ".dynsym"),
             demangled(lacked.front()),
             {},
             fmt::format("No library of PyTorch defines it{}: the import fails.{}",
                         lacked.size() > 1 ? fmt::format(" and {} more", lacked.size() - 1) : "", why),
             "Build it with the PyTorch that it is used with, and its flags: python -c 'import torch; "
             "print(torch._C._GLIBCXX_USE_CXX11_ABI)'"});
  }

  const WheelFile& wheel_;
  const Site& site_;
  const Required& required_;
  const std::vector<CudaWheel>& table_;
  const std::vector<CudaPackage>& packages_;
  const Report& report_;
  std::vector<const ElfFacts*> files_; ///< of the wheel
};

} // namespace

FirstVersion first_version(const CudaWheel& distribution, const std::vector<const ElfFacts*>& files) {
  FirstVersion first;
  for (const ElfFacts* const file : files)
    for (const std::string& function : file->cuda.needed)
      if (const Version version = distribution.first_version_with(function); version > first.version)
        first = {version, function};
  return first;
}

std::string requirement_on(const CudaWheel& distribution, const Version& first) {
  const int major = distribution.major;
  const std::string lowest = first > Version() ? to_string(first) : std::to_string(major);
  if (major == 0)
    return distribution.distribution + (first > Version() ? ">=" + lowest : "");
  return fmt::format("{}>={},<{}", distribution.distribution, lowest, major + 1);
}

void judge_requirements(const Checked& checked, const Report& report) {
  RequirementJudge(checked, report).run();
}

} // namespace hostpin::wheel
