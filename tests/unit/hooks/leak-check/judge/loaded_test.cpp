// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/hooks/leak-check/judge/setting.hpp"

#include <algorithm>
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

TEST_CASE("a finding is told by the shard of the file that it is in, whichever file it was found by") {
  const auto set = [](Loaded& setting) {
    setting.program(setting.tree.path("own"));
    setting.libraries("own");
    setting.told.front().parts.front().elf->image->needed = {name, "libcudart.so.12", "libabsent.so",
                                                             "libmid.so"};
    setting.tell("own/libcudart.so.12", ElfFacts::Type::library).soname = "libcudart.so.12";
    Image& image = setting.tell("own/libmid.so", ElfFacts::Type::library);
    image.needed = {"libcudart.so.13", "libabsent.so"};
    image.runpath = setting.tree.path("own");
    setting.tell("own/libcudart.so.13", ElfFacts::Type::library).soname = "libcudart.so.13";
  };
  // what only its content tells: known where it is looked at
  const auto has_cudart = [](Loaded& setting, std::size_t file) {
    setting.told[file].parts.front().elf->has_cudart = true;
  };
  constexpr std::size_t mid = 4;
  Loaded whole;
  set(whole);
  has_cudart(whole, mid);
  const std::size_t files = whole.told.size();
  const Findings all = whole.judged();
  CHECK(severity_of(all, Rule::own_static_and_shared_cudart) == Severity::warning);
  CHECK(severity_of(all, Rule::two_cuda_runtimes) == Severity::error);
  CHECK(severity_of(all, Rule::missing_library) == Severity::error);
  std::vector<std::string> found, together;
  const auto tell = [](const Findings& findings, std::vector<std::string>& into) {
    for (const Finding& finding : findings.found)
      into.push_back(fingerprint(finding) + std::string(to_string(finding.severity)));
    std::sort(into.begin(), into.end());
  };
  tell(all, found);
  for (std::size_t own = 0; own < files; ++own) {
    Loaded shard;
    set(shard);
    if (own == mid)
      has_cudart(shard, mid);
    for (std::size_t i = 0; i < files; ++i)
      shard.told[i].elsewhere = i != own;
    const Findings some = shard.judged();
    CHECK(some.files == 1);
    for (const Finding& finding : some.found)
      CHECK(finding.where.path == shard.told[own].path);
    tell(some, together);
  }
  CHECK(found.size() > 4);
  CHECK(together == found);
}
