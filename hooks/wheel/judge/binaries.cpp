// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/judge/judge.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/loader/driver.hpp"
#include "toolchains/loader/refused.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace hostpin::wheel {

namespace {

using leak::Rule;
using leak::Severity;

std::string base_name_of(const SiteFile& file) {
  return std::string(base_name(file.member));
}

class BinaryJudge {
public:
  BinaryJudge(const Checked& checked, const Report& report)
      : wheel_(checked.wheel), site_(checked.site), tables_(checked.tables), report_(report) {
    places_.real_path = [this](const std::string& path) { return site_.real_path(path); };
  }

  void run() {
    const loader::GlibcRange range = glibc_of_tags();
    for (const auto& [path, file] : site_.files()) {
      if (file.member.empty())
        continue;
      judge_run_path(file);
      judge_driver(file);
      judge_refusals(file, range);
    }
  }

private:
  void add(Rule rule, Severity severity, const SiteFile& file, const char* section, std::string reference,
           std::string explanation, std::string fix) {
    report_({rule,
             severity,
             in_wheel(wheel_, file.member, section),
             std::move(reference),
             {},
             std::move(explanation),
             std::move(fix)});
  }

  void judge_run_path(const SiteFile& file) {
    const bool is_rpath = !file.image.runpath && file.image.rpath;
    const std::vector<loader::RunPathEntry> entries = loader::run_path(file.path, file.image, places_);
    std::string stays;
    for (const auto& [text, directory] : entries)
      if (text.starts_with("$ORIGIN") || text.starts_with("${ORIGIN}"))
        stays += (stays.empty() ? "" : ":") + text;
    for (const auto& [text, directory] : entries) {
      const std::string whole = std::filesystem::path(directory).lexically_normal().string();
      const bool from_origin = text.starts_with('$');
      if (from_origin &&
          ((whole + '/').starts_with(site_.root() + '/') || (whole + '/').starts_with(site_.prefix() + '/')))
        continue;
      add(Rule::run_path_leaves_site,
          from_origin || is_system_directory(whole) ? Severity::warning : Severity::error, file, ".dynamic",
          text,
          std::string(is_rpath ? "It is DT_RPATH, which comes before LD_LIBRARY_PATH. " : "") +
              (text.starts_with('/') ? "It is absolute."
               : from_origin         ? "It leads above the environment that the wheel is installed to."
                                     : "It is relative to the directory that Python is started in."),
          fmt::format("patchelf --set-rpath '{}' {}", stays, shell_word(base_name_of(file))));
    }
  }

  static bool is_system_directory(std::string_view directory) {
    constexpr std::array<std::string_view, 4> starts = {"/usr/", "/lib", "/opt/", "/usr"};
    return std::any_of(starts.begin(), starts.end(),
                       [&](std::string_view start) { return directory.starts_with(start); });
  }

  void judge_driver(const SiteFile& file) {
    if (is_driver_file(file))
      add(Rule::vendored_driver, Severity::error, file, "", base_name_of(file),
          file.facts->is_driver ? "It has the driver's functions." : "",
          "Leave it out: hostpin wheel repair -o dist " + shell_word(base_name(wheel_.path)));
    else if (loader::is_of_driver(base_name(file.path)) || loader::is_of_driver(file.image.soname))
      add(Rule::vendored_driver, Severity::warning, file, "", base_name_of(file),
          "It has the name of NVIDIA's libcuda and is not NVIDIA's, as a mock or what passes calls on: a "
          "process that loads it does not load the driver.",
          "Give it another name and soname; hostpin wheel repair does not remove it.");
  }

  /// Python and others open what a wheel has while the process runs; programs are started.
  static loader::Use use_of(const SiteFile& file) {
    return file.facts->is_module            ? loader::Use::module
           : file.image.interpreter.empty() ? loader::Use::opened
                                            : loader::Use::program;
  }

  loader::GlibcRange glibc_of_tags() const {
    const auto policy = promised(wheel_, tables_.policies);
    return policy ? loader::GlibcRange{policy->newest.glibc.minor, true} : loader::GlibcRange{};
  }

  void judge_refusals(const SiteFile& file, const loader::GlibcRange& range) {
    const auto& platforms = wheel_.name.platforms;
    const bool is_of_musl = std::all_of(platforms.begin(), platforms.end(), [](const std::string& one) {
      return one.starts_with("musllinux"); // whose loader has other checks, and does not read PT_GNU_STACK
    });
    for (const loader::Verdict& one : loader::verdicts(file.image.refusals, use_of(file), range))
      if (!is_of_musl || one.rule == "misaligned-segment")
        report_(leak::finding_of(one, in_wheel(wheel_, file.member), base_name_of(file)));
  }

  const WheelFile& wheel_;
  const Site& site_;
  const Tables& tables_;
  const Report& report_;
  loader::LoaderPlaces places_;
};

} // namespace

void judge_binaries(const Checked& checked, const Report& report) {
  BinaryJudge(checked, report).run();
}

} // namespace hostpin::wheel
