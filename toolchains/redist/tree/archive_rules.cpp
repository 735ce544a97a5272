// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/archive_rules.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/gpus/compatibility.hpp"
#include "toolchains/loader/refused.hpp"
#include "toolchains/redist/lock.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

namespace hostpin::redist {

namespace {

/// One archive with all that the rules need, and what they find.
struct Judging {
  const ArchiveSubject& subject;
  const Contents& contents;
  const Facts& facts;
  const ContentFacts& content_facts;
  const WantedGpus& gpus;
  std::vector<Finding> findings;

  Finding& add(Rule rule, const std::string& path, std::string explanation, Position at = {}) {
    findings.push_back(finding(rule, subject.file, at, path, std::move(explanation)));
    findings.back().package = subject.package;
    findings.back().platform = subject.platform;
    return findings.back();
  }
};

std::string quote(std::string_view text) {
  return '`' + std::string(text) + '`';
}

void judge_top(Judging& judging) {
  const auto& names = judging.subject.top_names;
  const std::string expected = expected_top(judging.subject, judging.content_facts);
  if (names.empty() || (names.size() == 1 && names.front() == expected))
    return;
  judging.add(Rule::top_directory, names.front(),
              "the archive has " + joined(names) + " at its top instead of only " + expected + '/');
}

/// Names that are one on file systems that ignore case: the later one replaces the earlier one.
void judge_case(Judging& judging) {
  std::map<std::string, std::string> known;
  for (const TreeFile& file : judging.contents.files) {
    const auto [at, is_new] = known.emplace(lower_case(file.path), file.path);
    if (!is_new)
      judging.add(Rule::unsafe_member, file.path,
                  quote(file.path) + " and " + quote(at->second) + " differ only in case");
  }
}

bool is_foreign(const Judging& judging, const std::string& path) {
  return std::ranges::any_of(judging.content_facts.foreign, [&](const NamedPatterns& row) {
    return row.name == judging.subject.package && matches_any(row.patterns, path);
  });
}

void judge_machine(Judging& judging) {
  const Platform* const platform = judging.facts.platform(judging.subject.platform);
  if (platform == nullptr)
    return;
  for (const Binary& binary : judging.contents.binaries)
    if (!binary.machine.empty() && binary.machine != platform->machine && !is_foreign(judging, binary.path))
      judging.add(Rule::wrong_machine, binary.path,
                  binary.path + " is for " + binary.machine + "; " + platform->name + " is " +
                      platform->machine);
  for (const DamagedFile& damaged : judging.contents.damaged)
    judging.add(Rule::wrong_machine, damaged.path, damaged.path + " cannot be read: " + damaged.what);
}

bool is_driver_soname(const Judging& judging, const std::string& soname) {
  return std::ranges::find(judging.content_facts.driver_sonames, soname) !=
         judging.content_facts.driver_sonames.end();
}

bool is_driver_package(const Judging& judging) {
  return std::ranges::find(judging.content_facts.driver_packages, judging.subject.package) !=
         judging.content_facts.driver_packages.end();
}

bool is_linux_library(const Binary& binary) {
  return binary.kind == Binary::Kind::library && !binary.soname.empty();
}

void judge_link(Judging& judging, const Binary& binary, Severity severity) {
  const std::string directory = directory_of(binary.path);
  const std::string link = directory == "." ? binary.soname : directory + '/' + binary.soname;
  if (link == binary.path)
    return;
  const auto leads_to = judging.contents.resolved(link);
  const Binary* const other = leads_to ? judging.contents.binary(*leads_to) : nullptr;
  if (other != nullptr && other->soname == binary.soname)
    return;
  const bool exists = judging.contents.file(link) != nullptr;
  std::string what = !exists     ? "there is no " + link
                     : !leads_to ? link + " leads to a file that does not exist"
                                 : link + " leads to " + *leads_to;
  judging
      .add(Rule::soname_link, link,
           binary.path + " has the SONAME " + binary.soname + ", and " + std::move(what))
      .severity = severity;
}

/// Links for libraries of an archive; of stubs only for those of the driver, which nothing else provides to
/// the linker of a program that is linked through a library.
void judge_links(Judging& judging) {
  for (const Binary& binary : judging.contents.binaries) {
    if (!is_linux_library(binary))
      continue;
    if (binary.output == "lib")
      judge_link(judging, binary, Severity::error);
    else if (is_stub(binary) && is_driver_soname(judging, binary.soname))
      judge_link(judging, binary, Severity::warning);
  }
}

/// The directory of `lib` for a variant such as `cuda12`.
std::string taken_directory(const Judging& judging) {
  const std::string& variant = judging.subject.variant;
  const std::string major = variant.starts_with("cuda") ? variant.substr(4) : "";
  const auto& all = judging.contents.cuda_directories;
  return std::ranges::find(all, major) == all.end() ? "" : major;
}

void judge_cuda_directories(Judging& judging) {
  const auto& all = judging.contents.cuda_directories;
  if (all.empty())
    return;
  const std::string taken = taken_directory(judging);
  judging.add(Rule::cuda_directories, "lib",
              "lib has directories for CUDA " + joined(all) +
                  (taken.empty() ? "; that of the toolkit's release has to be selected"
                                 : "; " + taken + " is the archive's variant"));
}

/// A library among real ones that only the driver, or another file of this archive with the same SONAME, is.
void judge_stub_among_libraries(Judging& judging) {
  std::map<std::string, const Binary*> real;
  for (const Binary& binary : judging.contents.binaries) {
    if (binary.output != "lib" || !is_linux_library(binary))
      continue;
    const auto [at, is_new] = real.emplace(directory_of(binary.path) + '\n' + binary.soname, &binary);
    if (!is_new) {
      const auto [large, small] = std::minmax(
          {at->second, &binary}, [](const Binary* a, const Binary* b) { return a->size > b->size; });
      judging.add(Rule::stub_as_library, small->path,
                  small->path + " has the SONAME " + small->soname + " of the larger " + large->path);
    } else if (is_driver_soname(judging, binary.soname) && !is_driver_package(judging))
      judging.add(Rule::stub_as_library, binary.path,
                  binary.path + " is called " + binary.soname +
                      ", which only drivers have, and is not in a directory for stubs");
  }
}

/// A packager who takes `lib` from the presence of *.so files gets an output that no program can use. Where
/// the stubs are of the driver that is how NVIDIA publishes them, so it is a note.
void judge_only_stubs(Judging& judging) {
  std::vector<const Binary*> stubs;
  for (const Binary& binary : judging.contents.binaries) {
    if (is_stub(binary))
      stubs.push_back(&binary);
    if (binary.output == "lib" && binary.kind == Binary::Kind::library)
      return;
  }
  if (stubs.empty())
    return;
  const bool all_driver =
      std::ranges::all_of(stubs, [&](const Binary* stub) { return is_driver_soname(judging, stub->soname); });
  judging
      .add(Rule::stub_as_library, stubs.front()->path,
           "the only libraries are stubs, such as " + stubs.front()->path + ": the archive has no output lib")
      .severity = all_driver ? Severity::note : Severity::error;
}

/// Whether one version is the beginning of the other, part by part: `12.4.5` and `12.4.5.8`.
bool agree(const std::string& version, const std::string& other) {
  const std::string& shorter = version.size() < other.size() ? version : other;
  const std::string& longer = version.size() < other.size() ? other : version;
  return longer == shorter || longer.starts_with(shorter + '.');
}

/// `12.4.5.8` of `libcublas.so.12.4.5.8`; empty if there are fewer than three parts, as in SONAMEs.
std::string version_in_file(const std::string& path) {
  const std::string_view name = base_name(path);
  const std::size_t at = name.find(".so.");
  if (at == name.npos)
    return {};
  const std::string version(name.substr(at + 4));
  const bool is_version = version.find_first_not_of("0123456789.") == std::string::npos;
  return is_version && std::ranges::count(version, '.') >= 2 ? version : "";
}

void judge_versions(Judging& judging) {
  const std::string& version = judging.subject.version;
  if (version.empty())
    return;
  for (const Binary& binary : judging.contents.binaries) {
    const std::string name(base_name(binary.path));
    const std::string found = version_in_file(binary.path);
    if (binary.output == "lib" && !found.empty() && !agree(found, version) &&
        !matches_any(judging.content_facts.own_versions, name) &&
        !matches_any(judging.content_facts.vendored, name))
      judging.add(Rule::wrong_version, binary.path,
                  "the version in the name of " + binary.path + " is not the package's, " + version);
  }
  for (const auto& [header, found] : judging.contents.macros)
    if (!agree(found, version))
      judging.add(Rule::wrong_version, header,
                  "the macros in " + header + " give the version " + found + "; the package's is " + version);
}

void judge_gpu(Judging& judging, const Binary& binary, const gpus::Capability& gpu) {
  if (std::ranges::any_of(binary.machine_code, [&](const gpus::Capability& code) {
        return gpus::runs_machine_code(judging.gpus.table, code, gpu);
      }))
    return;
  const bool has_ptx = std::ranges::any_of(binary.ptx, [&](const gpus::Capability& code) {
    return gpus::compiles_ptx(judging.gpus.table, code, gpu);
  });
  judging.add(Rule::missing_gpu_code, binary.path + ' ' + gpus::to_string(gpu),
              binary.path + " has no machine code for " + gpus::to_string(gpu) +
                  (has_ptx ? ", only PTX, which the driver compiles when the program starts" : ""));
}

void judge_gpus(Judging& judging) {
  for (const Binary& binary : judging.contents.binaries)
    if (binary.kind == Binary::Kind::library && (!binary.machine_code.empty() || !binary.ptx.empty()))
      for (const gpus::Capability& gpu : judging.gpus.wanted)
        judge_gpu(judging, binary, gpu);
}

void judge_host_paths(Judging& judging) {
  for (const FileWithHostPaths& file : judging.contents.host_paths)
    for (const HostPath& found : file.found)
      judging.add(Rule::host_path, file.path + ": " + found.path,
                  file.path + ':' + std::to_string(found.line) + " has the path " + found.path);
}

void judge_vendored(Judging& judging) {
  for (const Binary& binary : judging.contents.binaries) {
    const std::string name(base_name(binary.path));
    if (binary.kind == Binary::Kind::library && matches_any(judging.content_facts.vendored, name))
      judging.add(Rule::vendored_library, binary.path,
                  binary.path + " is a copy of a library that distributions have");
  }
}

void add_refusal(Judging& judging, const std::string& path, const loader::Verdict& one) {
  const Rule rule = rule_named(one.rule).value_or(Rule::loader_refuses);
  const std::string subject = rule == Rule::loader_refuses ? path + ": " + std::string(one.message) : path;
  judging.add(rule, subject, path + ' ' + one.described).severity = one.severity;
}

/// What is published is for every system, and any process may open its libraries.
void judge_refusals(Judging& judging) {
  constexpr loader::GlibcRange every{.promised = true};
  for (const Binary& binary : judging.contents.binaries) {
    const auto use = binary.kind == Binary::Kind::program ? loader::Use::program : loader::Use::opened;
    for (const loader::Verdict& one : loader::verdicts(binary.refusals, use, every))
      add_refusal(judging, binary.path, one);
  }
}

void judge_license(Judging& judging) {
  const bool has_text = std::ranges::any_of(judging.contents.files, [](const TreeFile& file) {
    const std::string name = lower_case(file.path);
    return name.find('/') == std::string::npos && (name.starts_with("license") || name.starts_with("eula"));
  });
  if (!has_text && !judging.contents.files.empty())
    judging.add(Rule::unknown_license, "LICENSE", "the archive has no license text at its top");
}

} // namespace

Finding rejected_finding(const ArchiveSubject& subject, const RejectedMember& member) {
  Finding found =
      finding(Rule::unsafe_member, subject.file, {}, member.path, quote(member.path) + ' ' + member.what);
  found.package = subject.package;
  found.platform = subject.platform;
  return found;
}

std::string expected_top(const ArchiveSubject& subject, const ContentFacts& facts) {
  const auto row = std::ranges::find(facts.top_directories, subject.package, &NamedPatterns::name);
  if (row == facts.top_directories.end())
    return std::string(archive_stem(base_name(subject.file)));
  std::string name = row->patterns.front();
  if (const std::size_t at = name.find("VERSION"); at != std::string::npos)
    name.replace(at, 7, subject.version);
  return name;
}

std::vector<Finding> archive_findings(const ArchiveSubject& subject, const Contents& contents,
                                      const Facts& facts, const ContentFacts& content_facts,
                                      const WantedGpus& gpus) {
  Judging judging{subject, contents, facts, content_facts, gpus, {}};
  judge_license(judging);
  judge_top(judging);
  judge_case(judging);
  judge_machine(judging);
  judge_links(judging);
  judge_cuda_directories(judging);
  judge_stub_among_libraries(judging);
  judge_only_stubs(judging);
  judge_versions(judging);
  judge_gpus(judging);
  judge_host_paths(judging);
  judge_vendored(judging);
  judge_refusals(judging);
  sort(judging.findings);
  return std::move(judging.findings);
}

} // namespace hostpin::redist
