// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/hooks/leak-check/judge/setting.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace hostpin;
using namespace hostpin::test;

namespace {

constexpr const char* name = "libstdc++.so.6";

/// Programs and libraries that are told rather than read, and a loader that looks in tree/system.
struct Loaded : Setting {
  LoaderPlaces places;
  std::vector<ScannedFile> told;

  Loaded() { places.directories = {directory("system")}; }

  Image& tell(const std::string& path, ElfFacts::Type type) {
    ScannedFile file;
    file.path = path;
    file.file = tree.write(path, "");
    file.kind = ScannedFile::Kind::elf;
    ScannedPart part;
    part.elf.emplace();
    part.elf->type = type;
    part.elf->image.emplace();
    file.parts.push_back(std::move(part));
    told.push_back(std::move(file));
    return *told.back().parts.front().elf->image;
  }
  void program(const std::string& runpath) {
    Image& image = tell("bin/p", ElfFacts::Type::program);
    image.needed = {name};
    image.runpath = runpath;
  }
  void library(const std::string& directory, std::vector<std::string> versions) {
    Image& image = tell(directory + '/' + name, ElfFacts::Type::library);
    image.soname = name;
    image.version_definitions = std::move(versions);
  }
  /// The stdenv's, and an older one.
  void libraries(const std::string& older) {
    library("pinned", {"GLIBCXX_3.4.30", "GLIBCXX_3.4.31"});
    library(older, {"GLIBCXX_3.4.30"});
    policy.libstdcxx = tree.path("pinned") + '/' + name;
  }

  Findings judged() {
    const auto unwanted = Unwanted::make(policy, files);
    REQUIRE(unwanted);
    Judge judge({policy, *unwanted, files, [&](const std::string&, const ElfKind&) { return &places; }});
    for (ScannedFile& file : told)
      judge.see(std::move(file));
    return judge.finish();
  }
};

} // namespace

TEST_CASE("an older libstdc++ than the stdenv's is an error in a program, wherever it is found") {
  for (const std::string place : {"system", "own"}) {
    CAPTURE(place);
    Loaded setting;
    setting.program(setting.tree.path("own"));
    setting.libraries(place);
    CHECK(severity_of(setting.judged(), Rule::wrong_libstdcxx) == Severity::error);
  }
}

TEST_CASE("of a program that was taken over, only its makers' own way to an older libstdc++ is a warning") {
  for (const auto& [place, severity] :
       {std::pair{"system", Severity::note}, std::pair{"own", Severity::warning}}) {
    CAPTURE(place);
    Loaded setting;
    setting.program(setting.tree.path("own"));
    setting.libraries(place);
    setting.policy.vendor = {setting.tree.path("bin")};
    CHECK(severity_of(setting.judged(), Rule::wrong_libstdcxx) == severity);
  }
}

TEST_CASE("what a staged program will find once it is installed is no error, and what it will not is one") {
  Loaded setting;
  setting.tell("stage/usr/bin/p", ElfFacts::Type::program).needed = {name, "libnone.so"};
  setting.library("stage" + setting.tree.path("system"), {"GLIBCXX_3.4.30"});
  for (const Finding& finding : setting.judged().found) {
    CAPTURE(finding.reference);
    CHECK(finding.severity == (finding.reference == name ? Severity::warning : Severity::error));
  }
  Loaded by_run_path;
  Image& program = by_run_path.tell("stage/opt/bin/p", ElfFacts::Type::program);
  program.needed = {name};
  program.runpath = "/opt/own/lib";
  by_run_path.library("stage/opt/own/lib", {"GLIBCXX_3.4.30"});
  CHECK(severity_of(by_run_path.judged(), Rule::missing_library) == Severity::warning);
  Loaded prefix; // not a stage: the loader's own /lib is no reason to forgive a missing run path
  prefix.tell("prefix/bin/p", ElfFacts::Type::program).needed = {name};
  prefix.places.directories.emplace_back("/lib/hostpin-tests");
  prefix.library("prefix/lib/hostpin-tests", {"GLIBCXX_3.4.30"});
  CHECK(severity_of(prefix.judged(), Rule::missing_library) == Severity::error);
  Loaded elsewhere;
  elsewhere.tell("stage/usr/bin/p", ElfFacts::Type::program).needed = {name};
  elsewhere.library("stage/opt/lib", {"GLIBCXX_3.4.30"});
  CHECK(severity_of(elsewhere.judged(), Rule::missing_library) == Severity::error);
}

TEST_CASE("what is no library and stands before the right one ends the loader's search") {
  for (const bool as_directory : {false, true}) {
    CAPTURE(as_directory);
    Loaded setting;
    setting.program(setting.tree.path("own"));
    setting.library("system", {"GLIBCXX_3.4.30"});
    CHECK(severity_of(setting.judged(), Rule::missing_library) == std::nullopt);

    Loaded blocked;
    blocked.program(blocked.tree.path("own"));
    blocked.library("system", {"GLIBCXX_3.4.30"});
    const std::string path = std::string("own/") + name;
    as_directory ? blocked.directory(path) : blocked.tree.write(path, "no library");
    const Findings findings = blocked.judged();
    CHECK(severity_of(findings, Rule::missing_library) == Severity::error);
    REQUIRE(findings.found.size() == 1);
    CHECK(findings.found[0].resolved == blocked.tree.path(path));
  }
}
