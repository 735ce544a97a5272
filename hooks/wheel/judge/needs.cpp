// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/judge/judge.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/fatbin/expectation.hpp"
#include "toolchains/gpus/compatibility.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace hostpin::wheel {

namespace {

using leak::Finding;
using leak::Rule;
using leak::Severity;

/// The library of the system that a version is needed of; false for a library that is installed by a wheel.
bool is_of_system(const Site& site, const std::string& library) {
  return site.named(library).empty();
}

SystemNeeds needs_of_file(const SiteFile& file, const Site& site) {
  SystemNeeds needs;
  for (const binary::VersionNeed& need : file.image.version_needs)
    if (is_of_system(site, need.library))
      for (const std::string& version : need.versions)
        needs.add(version);
  return needs;
}

/// CUDA's major by the name of a runtime or of a library that has the same number.
int cuda_major_of(std::string_view soname) {
  for (const std::string_view start : {"libcudart.so.", "libcublas.so.", "libnvrtc.so.", "libcublasLt.so."})
    if (soname.starts_with(start))
      if (const auto version = parse_version(soname.substr(start.size())))
        return version->major;
  return 0;
}

const gpus::Driver* first_driver(const std::vector<gpus::Driver>& drivers, int cuda, bool zstd,
                                 bool bundles) {
  const auto found = std::find_if(drivers.begin(), drivers.end(), [&](const gpus::Driver& one) {
    return one.cuda.major >= cuda && (one.zstd || !zstd) && (one.bundles || !bundles);
  });
  return found == drivers.end() ? nullptr : &*found;
}

void add_device_code(const fatbin::Holding& holding, Needs& needs) {
  for (const auto& [held, amount] : holding.codes)
    if (held.use == fatbin::CodeUse::run) {
      needs.zstd |= amount.packed[static_cast<std::size_t>(binary::DevicePacking::zstd)] != 0;
      needs.bundles |= amount.packed[static_cast<std::size_t>(binary::DevicePacking::bundle)] != 0;
    }
}

std::string text_of(const SystemNeeds& needs) {
  std::string text;
  for (const auto& [prefix, version] :
       {std::pair("GLIBC_", needs.glibc), std::pair("GLIBCXX_", needs.glibcxx),
        std::pair("CXXABI_", needs.cxxabi), std::pair("GCC_", needs.gcc)})
    if (version != Version{})
      text += (text.empty() ? "" : ", ") + std::string(prefix) + to_string(version);
  return text;
}

class NeedsJudge {
public:
  NeedsJudge(const Checked& checked, const Needs& needs, const Report& report)
      : checked_(checked), wheel_(checked.wheel), site_(checked.site), policies_(checked.tables.policies),
        needs_(needs), report_(report) {}

  void run() {
    if (const auto policy = promised(wheel_, policies_)) {
      judge_versions(*policy);
      judge_tag(*policy);
    }
    judge_driver();
    if (checked_.terms.expected)
      for (const Member& member : wheel_.members)
        if (member.elf && !member.elf->device_code.empty())
          judge_gpus(member);
  }

private:
  void judge_versions(const ManylinuxPolicy& policy) {
    for (const auto& [path, file] : site_.files())
      if (!file.member.empty())
        for (const binary::VersionNeed& need : file.image.version_needs)
          if (is_of_system(site_, need.library))
            for (const std::string& version : need.versions)
              judge_version(policy, file, need.library, version);
  }

  void judge_version(const ManylinuxPolicy& policy, const SiteFile& file, const std::string& library,
                     const std::string& version) {
    constexpr std::array<std::string_view, 4> kinds = {"GLIBC_", "GLIBCXX_", "CXXABI_", "GCC_"};
    const bool is_listed = std::any_of(kinds.begin(), kinds.end(),
                                       [&](std::string_view kind) { return version.starts_with(kind); });
    SystemNeeds needs;
    const bool is_known = needs.add(version);
    if (!is_listed || (is_known && policy.covers(needs)))
      return;
    report_({Rule::policy_version,
             Severity::error,
             in_wheel(wheel_, file.member, ".gnu.version_r"),
             version,
             {},
             fmt::format("{} does not define it on systems of {}.", library, policy.name),
             "See which line needs it: hostpin stdlib-probe why --max, and build in the image of " +
                 policy.name + "_" + architecture()});
  }

  std::string architecture() const { return architecture_of_tag(wheel_.name.platforms.front()); }

  void judge_tag(const ManylinuxPolicy& policy) {
    if (!policy.covers(needs_.own))
      add_tag(policy, Severity::error, needs_.own, "It needs", {});
    else if (!policy.covers(needs_.required))
      add_tag(policy, Severity::error, needs_.required, "A wheel that it requires needs", {});
    for (const auto& [distribution, needs] : needs_.replaceable)
      if (!policy.covers(needs))
        add_tag(policy, Severity::note, needs, "The known release of " + distribution + " needs",
                " Older systems need another release, which the requirement admits.");
  }

  void add_tag(const ManylinuxPolicy& policy, Severity severity, const SystemNeeds& needs,
               const std::string& what, const std::string& more) {
    SystemNeeds all = needs_.own;
    all.add(needs_.required);
    all.add(needs);
    const ManylinuxPolicy* const lowest = lowest_policy(policies_, all);
    report_({Rule::tag_below_needs,
             severity,
             in_wheel(wheel_, {}),
             policy.name,
             {},
             fmt::format("{} {}: {}.{}", what, text_of(needs),
                         lowest == nullptr ? "no policy has that"
                                           : "the lowest policy that has that is " + lowest->name,
                         more),
             lowest == nullptr
                 ? "Build it with an older GCC or on an older system."
                 : fmt::format("python -m wheel tags --remove --platform-tag {}_{} {}", lowest->name,
                               architecture(), shell_word(base_name(wheel_.path)))});
  }

  /// `CUDA 13, and zstd for its device code`.
  std::string needed_of_driver() const {
    std::string text = needs_.cuda != 0 ? fmt::format("CUDA {}", needs_.cuda) : "";
    const auto add = [&](const char* what) { text += (text.empty() ? "" : ", and ") + std::string(what); };
    if (needs_.bundles)
      add("a reader of what nvcc --concat compresses together");
    else if (needs_.zstd)
      add("zstd for its device code");
    return text;
  }

  void judge_driver() {
    if (!needs_.driver || !checked_.terms.driver || checked_.terms.driver->version >= needs_.driver->version)
      return;
    report_({Rule::driver_floor,
             Severity::error,
             in_wheel(wheel_, {}),
             to_string(needs_.driver->version),
             {},
             fmt::format("It needs {}; driver {} is older.", needed_of_driver(),
                         to_string(checked_.terms.driver->version)),
             fix_for(*checked_.terms.driver)});
  }

  /// A driver that is too old for the CUDA major runs none of it, however it is compressed.
  std::string fix_for(const gpus::Driver& driver) const {
    const gpus::Driver* const first = first_driver(checked_.tables.drivers, needs_.cuda, false, false);
    const bool is_for_newer = needs_.cuda != 0 && (first == nullptr || driver.version < first->version);
    std::string fix;
    if (is_for_newer)
      fix = "Build it with an older CUDA major: hostpin bind DIR --toolkit RELEASE";
    if (needs_.bundles)
      fix += std::string(fix.empty() ? "Compile" : ", and compile") + " its device code without --concat";
    else if (needs_.zstd)
      fix += std::string(fix.empty() ? "Compile" : ", and compile") +
             " its device code with -Xfatbin -compress-all -compress-mode=speed" +
             (is_for_newer ? ""
                           : ", or before it is packed: hostpin fatbin repack FILE --compress speed --all "
                             "--in-place");
    return fix;
  }

  /// Code for another capability that such a GPU runs; empty without one.
  std::string running(const fatbin::HeldCode& missing, const fatbin::Holding& held) const {
    const gpus::Capability gpu = gpus::baseline(missing.capability);
    for (const auto& [code, amount] : held.codes)
      if (code.use == fatbin::CodeUse::run && code.code == binary::DeviceCode::cubin &&
          missing.code == binary::DeviceCode::cubin &&
          gpus::runs_machine_code(checked_.tables.gpus, code.capability, gpu))
        return fmt::format("Such a GPU runs the {}.", fatbin::to_string(code));
    return {};
  }

  void judge_gpus(const Member& member) {
    const auto& elf = *member.elf;
    const auto comparison = fatbin::comparison(*checked_.terms.expected, elf.device_code, elf.carrier);
    for (const fatbin::HeldCode& code : comparison.missing)
      report_({Rule::gpu_missing,
               Severity::error,
               in_wheel(wheel_, member.entry.name, ".nv_fatbin"),
               fatbin::to_string(code),
               {},
               running(code, elf.device_code),
               "Compile for it too: hostpin capabilities " + shell_word(gpus::to_string(code.capability)) +
                   " prints the option of each build system"});
    for (const fatbin::HeldCode& code : comparison.surplus)
      report_({Rule::gpu_surplus,
               Severity::warning,
               in_wheel(wheel_, member.entry.name, ".nv_fatbin"),
               fatbin::to_string(code),
               {},
               "",
               "Before it is packed: hostpin fatbin slim " + shell_word(base_name(member.entry.name)) +
                   " --keep LIST"});
  }

  const Checked& checked_;
  const WheelFile& wheel_;
  const Site& site_;
  const std::vector<ManylinuxPolicy>& policies_;
  const Needs& needs_;
  const Report& report_;
};

} // namespace

bool is_driver_file(const SiteFile& file) {
  constexpr std::string_view libcuda = "libcuda.so";
  const auto is_other = [&](std::string_view name) {
    return loader::is_of_driver(name) && !name.starts_with(libcuda);
  };
  return file.facts->is_driver || is_other(base_name(file.path)) || is_other(file.image.soname);
}

Needs needs_of(const Checked& checked) {
  Needs needs;
  for (const auto& [path, file] : checked.site.files()) {
    const bool is_own = !file.member.empty();
    if (is_own)
      needs.own.add(needs_of_file(file, checked.site));
    else if (checked.required.names.contains(file.distribution))
      (checked.required.pinned.contains(file.distribution) ? needs.required
                                                           : needs.replaceable[file.distribution])
          .add(needs_of_file(file, checked.site));
    if (!is_own)
      continue;
    add_device_code(file.facts->device_code, needs);
    for (const std::string& name : file.image.needed) {
      needs.cuda = std::max(needs.cuda, cuda_major_of(name));
      if (checked.site.named(name).empty())
        needs.libraries.insert(name);
    }
    needs.cuda = std::max(needs.cuda, cuda_major_of(file.facts->cuda_runtime));
  }
  for (const CudaWheel& row : checked.tables.cuda_wheels)
    if (const auto one = checked.site.distributions().find(row.distribution);
        one != checked.site.distributions().end() && one->second.is_assumed) {
      // A row describes the first release for CUDA 13, and a late release for CUDA 12.
      constexpr int of_first_release = 13;
      const bool is_lowest =
          row.cuda >= of_first_release && !checked.required.uncertain.contains(row.distribution);
      SystemNeeds& all = is_lowest ? needs.required : needs.replaceable[row.distribution];
      all.glibc = std::max(all.glibc, row.glibc);
    }
  if (needs.cuda != 0 || needs.zstd || needs.bundles)
    if (const gpus::Driver* const driver =
            first_driver(checked.tables.drivers, needs.cuda, needs.zstd, needs.bundles))
      needs.driver = *driver;
  return needs;
}

void judge_needs(const Checked& checked, const Needs& needs, const Report& report) {
  NeedsJudge(checked, needs, report).run();
}

} // namespace hostpin::wheel
