// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/judge/judge.hpp"
#include "toolchains/base/path_text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hostpin::wheel {

namespace {

using leak::Finding;
using leak::Rule;
using leak::Severity;

/// Machines of platform tags, as e_machine.
struct TagMachine {
  std::string_view suffix;
  std::uint16_t machine;
};
constexpr TagMachine tag_machines[] = {{"_x86_64", 62},  {"_aarch64", 183}, {"_i686", 3},
                                       {"_ppc64le", 21}, {"_s390x", 22},    {"_armv7l", 40}};

/// As in a file name, where `-` separates parts.
std::string in_file_name(std::string_view text) {
  std::string result(text);
  std::replace(result.begin(), result.end(), '-', '_');
  return result;
}

bool is_tag(const std::string& text) {
  constexpr std::size_t parts = 3;
  const auto found = split(text, "-");
  return found.size() == parts &&
         std::none_of(found.begin(), found.end(), [](const std::string& part) { return part.empty(); });
}

class ArchiveJudge {
public:
  ArchiveJudge(const Checked& checked, const Report& report)
      : wheel_(checked.wheel), terms_(checked.terms), report_(report) {}

  void run() {
    judge_names();
    judge_tags();
    judge_machines();
    judge_record();
    judge_dates();
    if (terms_.budget && wheel_.size > *terms_.budget)
      add(Rule::too_large, Severity::error, {}, fmt::format("{} bytes", wheel_.size),
          fmt::format("Its budget is {} bytes.", *terms_.budget));
  }

private:
  void add(Rule rule, Severity severity, const std::string& member, std::string reference,
           std::string explanation, std::string fix = {}) {
    report_({rule,
             severity,
             in_wheel(wheel_, member),
             std::move(reference),
             {},
             std::move(explanation),
             std::move(fix)});
  }

  void judge_names() {
    const std::string metadata = wheel_.info + "/METADATA";
    const auto differs = [&](const std::string& reference, std::string explanation) {
      add(Rule::tag_names_differ, Severity::error, metadata, reference, std::move(explanation),
          "Build it again under the name and version of its metadata: python -m build --wheel");
    };
    const std::string name = value_of(wheel_.metadata, "name").value_or("");
    if (normalised(name) != wheel_.distribution())
      differs(name, "The file name is that of " + wheel_.name.distribution + ": pip refuses the wheel.");
    const std::string version = value_of(wheel_.metadata, "version").value_or("");
    if (in_file_name(version) != wheel_.name.version && version != wheel_.name.version)
      differs(version, "The version in the file name is " + wheel_.name.version + ": pip refuses the wheel.");
    if (normalised(wheel_.info.substr(0, wheel_.info.find('-'))) != wheel_.distribution())
      differs(wheel_.info, "pip looks for the .dist-info directory by the name in the file name.");
  }

  void judge_tags() {
    const auto listed = values_of(wheel_.wheel, "tag");
    const auto named = wheel_.name.tags();
    const std::set<std::string> inside(listed.begin(), listed.end()), outside(named.begin(), named.end());
    const auto wrong = std::find_if_not(inside.begin(), inside.end(), is_tag);
    if (wrong != inside.end() || inside.empty())
      add(Rule::tag_names_differ, inside.empty() ? Severity::warning : Severity::error,
          wheel_.info + "/WHEEL", inside.empty() ? std::string() : *wrong,
          inside.empty() ? "It has no Tag: tools that read it do not know what the wheel is for."
                         : "It has a Tag that is none, PYTHON-ABI-PLATFORM: installers that read it refuse "
                           "the wheel.",
          "Write them again: hostpin wheel repair -o dist " + shell_word(base_name(wheel_.path)));
    else if (inside != outside)
      add(Rule::tag_names_differ, Severity::warning, wheel_.info + "/WHEEL",
          fmt::format("{}", fmt::join(inside, " ")),
          fmt::format("The tags in the file name are {}: the wheel was renamed after it was built.",
                      fmt::join(outside, " ")),
          "Rename it with: python -m wheel tags --platform-tag " +
              fmt::format("{}", fmt::join(wheel_.name.platforms, ".")) + ' ' +
              shell_word(base_name(wheel_.path)));
  }

  void judge_machines() {
    const auto& platforms = wheel_.name.platforms;
    for (const Member& member : wheel_.members) {
      if (!member.elf)
        continue;
      if (std::find(platforms.begin(), platforms.end(), "any") != platforms.end()) {
        add(Rule::tag_below_needs, Severity::error, member.entry.name, "any",
            "It holds code for one kind of processor, and its tag says that it runs on every machine.",
            "Build it as a platform wheel (in setuptools: has_ext_modules, or an Extension).");
        return;
      }
      const bool fits = std::any_of(platforms.begin(), platforms.end(), [&](const std::string& platform) {
        const auto* const row =
            std::find_if(std::begin(tag_machines), std::end(tag_machines),
                         [&](const TagMachine& one) { return platform.ends_with(one.suffix); });
        return row == std::end(tag_machines) || row->machine == member.elf->image.kind.machine;
      });
      if (!fits)
        add(Rule::foreign_machine, Severity::error, member.entry.name, platforms.front(),
            "It is for another machine than the platform tag says.",
            "Build the wheel on, or for, the machine that its tag names.");
    }
  }

  void judge_record() {
    const std::string path = wheel_.info + "/RECORD";
    const std::string fix = "Write it again: python -m wheel unpack " + shell_word(base_name(wheel_.path)) +
                            " && python -m wheel pack " +
                            shell_word(wheel_.name.distribution + '-' + wheel_.name.version);
    const auto wrong = [&](const std::string& reference, std::string explanation,
                           Severity severity = Severity::error) {
      add(Rule::record_incomplete, severity, path, reference, std::move(explanation), fix);
    };
    if (!wheel_.record)
      return wrong(path, wheel_.record_error.empty() ? "There is no RECORD." : wheel_.record_error + '.');
    std::map<std::string_view, const RecordRow*> rows;
    for (const RecordRow& row : *wheel_.record)
      if (const auto [first, fresh] = rows.emplace(row.path, &row); !fresh) {
        const bool is_same = first->second->hash == row.hash && first->second->size == row.size;
        wrong(row.path, is_same ? "It lists this file twice." : "It lists this file twice, and differently.",
              is_same ? Severity::warning : Severity::error);
      }
    for (const Member& member : wheel_.members) {
      const std::string& name = member.entry.name;
      if (member.entry.is_directory || (name != path && is_record(name, wheel_.info)))
        continue;
      const auto found = rows.find(name);
      if (found == rows.end()) {
        wrong(name, "It does not list this file.");
        continue;
      }
      const RecordRow& row = *found->second;
      rows.erase(found);
      if (name == path)
        continue;
      if (row.size && *row.size != member.entry.size)
        wrong(name, fmt::format("It says {} bytes, and the file has {}.", *row.size, member.entry.size));
      else if (row.hash.empty())
        wrong(name, "It has no hash of this file.");
      else if (row.hash.starts_with("sha256=") && row.hash != member.hash)
        wrong(name, "It has another hash of this file.");
    }
    for (const auto& [name, row] : rows)
      wrong(std::string(name), "It lists this file, which is not in the wheel.");
  }

  void judge_dates() {
    std::set<std::int64_t> dates;
    for (const Member& member : wheel_.members)
      if (!member.entry.is_directory)
        dates.insert(member.entry.modified);
    if (dates.size() > 1)
      add(Rule::not_reproducible, Severity::note, {}, fmt::format("{} dates", dates.size()),
          "Its members have the times at which their files were written.",
          "Build it with SOURCE_DATE_EPOCH set: export SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)");
    for (const Member& member : wheel_.members)
      if (member.elf && member.elf->has_temporary_names)
        add(Rule::not_reproducible, Severity::note, member.entry.name, "tmpxft_",
            "Its symbols have names of nvcc's temporary files, which have the number of its process.",
            "Strip it: strip --strip-unneeded " + shell_word(base_name(member.entry.name)));
  }

  const WheelFile& wheel_;
  const Terms& terms_;
  const Report& report_;
};

} // namespace

leak::Location in_wheel(const WheelFile& wheel, const std::string& member, std::string section) {
  return {wheel.path, member.empty() ? std::vector<std::string>() : std::vector{member}, std::move(section),
          std::nullopt};
}

std::string_view architecture_of(std::uint16_t machine) {
  for (const TagMachine& one : tag_machines)
    if (one.machine == machine)
      return one.suffix.substr(1);
  return {};
}

void judge_archive(const Checked& checked, const Report& report) {
  ArchiveJudge(checked, report).run();
}

std::optional<ManylinuxPolicy> promised(const WheelFile& wheel,
                                        const std::vector<ManylinuxPolicy>& policies) {
  std::optional<ManylinuxPolicy> lowest;
  for (const std::string& platform : wheel.name.platforms)
    if (auto policy = policy_of_tag(policies, platform);
        policy && (!lowest || policy->newest.glibc < lowest->newest.glibc))
      lowest = std::move(policy);
  return lowest;
}

leak::Findings findings_of(const Checked& checked, const Needs& needs) {
  leak::Findings findings;
  const Report report = [&](Finding&& one) { findings.found.push_back(std::move(one)); };
  judge_archive(checked, report);
  judge_binaries(checked, report);
  judge_loading(checked, report);
  judge_requirements(checked, report);
  judge_needs(checked, needs, report);
  judge_claims(checked, needs, report);
  for (const Member& member : checked.wheel.members) {
    findings.files += member.entry.is_directory ? 0 : 1;
    if (!member.trouble.empty())
      findings.unseen.push_back({in_wheel(checked.wheel, member.entry.name), member.trouble});
    if (member.elf)
      findings.device_code.add(member.elf->device_code);
  }
  findings.bytes = checked.wheel.size;
  findings.sort();
  return findings;
}

} // namespace hostpin::wheel
