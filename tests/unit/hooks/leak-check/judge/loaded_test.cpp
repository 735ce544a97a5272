// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/hooks/leak-check/judge/setting.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace hostpin;
using namespace hostpin::leak;
using namespace hostpin::test;

namespace {

constexpr const char* name = "libstdc++.so.6";

/// Programs and libraries as facts rather than files, and a loader that looks in tree/system.
struct Loaded : Setting {
  loader::LoaderPlaces places;
  std::vector<ScannedFile> told;

  Loaded() { places.directories = {directory("system")}; }

  binary::Image& add_elf(const std::string& path, ElfFacts::Type type) {
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
  /// Of the file that was added last.
  loader::CudaFunctions& functions() {
    auto& cuda = told.back().parts.front().elf->cuda;
    return cuda ? *cuda : cuda.emplace();
  }
  void program(const std::string& runpath) {
    binary::Image& image = add_elf("bin/p", ElfFacts::Type::program);
    image.needed = {name};
    image.runpath = runpath;
  }
  void library(const std::string& directory, std::vector<std::string> versions) {
    binary::Image& image = add_elf(directory + '/' + name, ElfFacts::Type::library);
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
    Judge judge(
        {policy, *unwanted, files, [&](const std::string&, const binary::ElfKind&) { return &places; }});
    for (ScannedFile& file : told)
      judge.judge_file(std::move(file));
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

TEST_CASE("in a vendor's program, an older libstdc++ is a warning only if its own run path leads there") {
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

TEST_CASE(
    "a library that a staged program finds after the install is no error, and one that it does not find is") {
  Loaded setting;
  setting.add_elf("stage/usr/bin/p", ElfFacts::Type::program).needed = {name, "libnone.so"};
  setting.library("stage" + setting.tree.path("system"), {"GLIBCXX_3.4.30"});
  for (const Finding& finding : setting.judged().found) {
    CAPTURE(finding.reference);
    CHECK(finding.severity == (finding.reference == name ? Severity::warning : Severity::error));
  }
  Loaded by_run_path;
  binary::Image& program = by_run_path.add_elf("stage/opt/bin/p", ElfFacts::Type::program);
  program.needed = {name};
  program.runpath = "/opt/own/lib";
  by_run_path.library("stage/opt/own/lib", {"GLIBCXX_3.4.30"});
  CHECK(severity_of(by_run_path.judged(), Rule::missing_library) == Severity::warning);
  Loaded prefix; // not a stage: the loader's own /lib does not excuse a missing run path
  prefix.add_elf("prefix/bin/p", ElfFacts::Type::program).needed = {name};
  prefix.places.directories.emplace_back("/lib/hostpin-tests");
  prefix.library("prefix/lib/hostpin-tests", {"GLIBCXX_3.4.30"});
  CHECK(severity_of(prefix.judged(), Rule::missing_library) == Severity::error);
  Loaded elsewhere;
  elsewhere.add_elf("stage/usr/bin/p", ElfFacts::Type::program).needed = {name};
  elsewhere.library("stage/opt/lib", {"GLIBCXX_3.4.30"});
  CHECK(severity_of(elsewhere.judged(), Rule::missing_library) == Severity::error);
}

TEST_CASE("a file that is not a library and comes before the right one ends the loader's search") {
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

namespace {

/// A library in a wheel, as a scan returns it.
binary::Image& add_member(ScannedFile& wheel, const std::string& member) {
  ScannedPart part;
  part.member = {member};
  part.elf.emplace();
  part.elf->type = ElfFacts::Type::library;
  part.elf->image.emplace();
  wheel.parts.push_back(std::move(part));
  return *wheel.parts.back().elf->image;
}

std::vector<std::string> summary(const Findings& findings) {
  std::vector<std::string> lines;
  for (const Finding& finding : findings.found)
    lines.push_back(std::string(to_string(finding.severity)) + ' ' + std::string(text_of(finding.rule).name) +
                    ' ' + (finding.where.member.empty() ? finding.where.path : finding.where.member.back()) +
                    ' ' + finding.reference);
  std::sort(lines.begin(), lines.end());
  return lines;
}

} // namespace

TEST_CASE("a shared CUDA runtime is recognized by the versions of its symbols, whatever its name") {
  for (const bool versioned : {true, false}) {
    CAPTURE(versioned);
    Loaded setting;
    binary::Image& program = setting.add_elf("bin/p", ElfFacts::Type::program);
    program.needed = {"libcudart.so.13", "libcudart.1f2e3d4c.so.13"};
    program.runpath = setting.tree.path("own");
    binary::Image& first = setting.add_elf("own/libcudart.so.13", ElfFacts::Type::library);
    first.soname = "libcudart.so.13";
    binary::Image& second = setting.add_elf("own/libcudart.1f2e3d4c.so.13", ElfFacts::Type::library);
    second.soname = "libcudart.1f2e3d4c.so.13";
    if (versioned)
      second.version_definitions = {"libcudart.so.13"};
    setting.told.back().parts.front().elf->has_cudart = true;
    const Findings findings = setting.judged();
    // without such versions it contains the runtime's code: it was linked statically
    CHECK(severity_of(findings, Rule::two_cuda_runtimes) ==
          (versioned ? std::optional(Severity::error) : std::nullopt));
    CHECK(severity_of(findings, Rule::own_static_and_shared_cudart) ==
          (versioned ? std::nullopt : std::optional(Severity::warning)));
    if (versioned)
      CHECK(findings.found[0].explanation.find(
                "libcudart.1f2e3d4c.so.13, which is libcudart.so.13 by its symbols") != std::string::npos);
  }
}

TEST_CASE("a runtime that is loaded by a library which must be loaded before counts too") {
  // A Python module that expects the library of another package to be loaded already. A name that is loaded
  // already is not searched for again.
  for (const std::string runtime : {"libcudart.1f2e.so.13", "libcudart.so.13"}) {
    CAPTURE(runtime);
    Loaded setting;
    binary::Image& module = setting.add_elf("vision/_C.so", ElfFacts::Type::library);
    module.needed = {"libtorch.so", runtime};
    module.runpath = setting.tree.path("vision.libs");
    setting.add_elf("vision.libs/" + runtime, ElfFacts::Type::library).version_definitions = {
        "libcudart.so.13"};
    binary::Image& torch = setting.add_elf("torch/libtorch.so", ElfFacts::Type::library);
    torch.needed = {"libcudart.so.13"};
    torch.runpath = setting.tree.path("nvidia");
    setting.add_elf("nvidia/libcudart.so.13", ElfFacts::Type::library).version_definitions = {
        "libcudart.so.13"};
    CHECK(severity_of(setting.judged(), Rule::two_cuda_runtimes) ==
          (runtime == "libcudart.so.13" ? std::nullopt : std::optional(Severity::error)));
  }
}

TEST_CASE("for a missing library that is in the tree, the finding names the run path") {
  const auto finding = [](Loaded& setting) {
    for (const Finding& one : setting.judged().found)
      if (one.rule == Rule::missing_library && one.where.path == "bin/p")
        return one;
    return Finding{};
  };
  const auto set = [](Loaded& setting, const std::vector<std::string>& places) {
    setting.add_elf("bin/p", ElfFacts::Type::program).needed = {name};
    for (const std::string& place : places)
      setting.library(place, {});
  };
  Loaded one;
  set(one, {"lib"});
  const Finding found = finding(one);
  CHECK(found.severity == Severity::error);
  CHECK(found.resolved == one.tree.path("lib") + '/' + name);
  CHECK(found.fix == "Add $ORIGIN/../lib to the run path of bin/p: patchelf --add-rpath '$ORIGIN/../lib', or "
                     "hostpin leak-check --fix.");
  Loaded several;
  set(several, {"lib", "other"});
  const Finding undecided = finding(several);
  CHECK(undecided.severity == Severity::error);
  CHECK(undecided.explanation.ends_with(" There are 2: " + several.tree.path("lib") + '/' + name + ", " +
                                        several.tree.path("other") + '/' + name + '.'));
  CHECK(undecided.fix ==
        "Add $ORIGIN/../lib to the run path of bin/p: patchelf --add-rpath '$ORIGIN/../lib' for the "
        "first, $ORIGIN/../other for " +
            several.tree.path("other") + '/' + name + '.');
  CHECK(undecided.resolved.empty()); // --fix does not choose
  Loaded colon;                      // which would make two entries of one
  set(colon, {"a:b"});
  const Finding unnameable = finding(colon);
  CHECK(unnameable.resolved.empty());
  CHECK(unnameable.explanation.find("in a directory that no run path can name") != std::string::npos);
  Loaded other_machine;
  set(other_machine, {"lib"});
  other_machine.told.back().parts.front().elf->image->kind.machine = 183;
  CHECK(finding(other_machine).resolved.empty());
  for (const bool linked : {false, true}) { // the loader asks for the soname, which is a symlink
    CAPTURE(linked);
    Loaded by_soname;
    set(by_soname, {});
    by_soname.add_elf("lib/libstdc++.so.6.0.30", ElfFacts::Type::library).soname = name;
    if (linked)
      std::filesystem::create_symlink("libstdc++.so.6.0.30", by_soname.tree.path("lib") + '/' + name);
    CHECK(finding(by_soname).resolved == (linked ? by_soname.tree.path("lib") + '/' + name : ""));
  }
}

TEST_CASE("the needs of a library are found by its own run path, not by the program's") {
  Loaded setting;
  binary::Image& program = setting.add_elf("bin/p", ElfFacts::Type::program);
  program.needed = {"liba.so"};
  program.runpath = setting.tree.path("lib");
  setting.add_elf("lib/liba.so", ElfFacts::Type::library).needed = {"libb.so"};
  setting.add_elf("lib/libb.so", ElfFacts::Type::library);
  const Findings findings = setting.judged();
  CHECK(findings.found.size() == 2);
  for (const Finding& finding : findings.found) {
    CAPTURE(finding.where.path);
    CHECK(finding.fix.starts_with("Add $ORIGIN to the run path of lib/liba.so:"));
    CHECK(finding.resolved == (finding.where.path == "lib/liba.so" ? setting.tree.path("lib/libb.so") : ""));
  }
}

TEST_CASE("a wheel has the findings of the tree that it was packed from") {
  struct Member {
    const char* path;
    std::vector<std::string> needed;
    const char* run_path;
  };
  const std::vector<Member> members = {
      {"x/_C.so",
       {"libgood.so", "libgone.so", "liblost.so", "libcudart.1f2e.so.13", "libcudart.so.13"},
       "$ORIGIN/../x.libs"},
      {"x/_D.so", {"libgood.so"}, "$ORIGIN/libs:$ORIGIN/../x.libs:lib"},
      {"x.libs/libgood.so", {}, ""},
      {"x.libs/libcudart.1f2e.so.13", {}, ""},
      {"x.libs/libcudart.so.13", {}, ""},
      {"x/deep/liblost.so", {}, ""},
  };
  const auto fill = [&](binary::Image& image, const Member& member) {
    image.needed = member.needed;
    image.runpath = member.run_path;
    if (std::string_view(member.path).find("cudart") != std::string_view::npos)
      image.version_definitions = {"libcudart.so.13"};
  };
  Loaded tree, wheel, archive;
  for (const Member& member : members)
    fill(tree.add_elf(member.path, ElfFacts::Type::library), member);
  const std::vector<std::string> expected = summary(tree.judged());
  CHECK(expected.size() >= 4);
  const auto pack = [&](Loaded& setting, const char* file_name) {
    ScannedFile file;
    for (const Member& member : members)
      fill(add_member(file, member.path), member);
    file.path = file_name;
    file.file = setting.tree.write(file_name, "");
    setting.told.push_back(std::move(file));
  };
  pack(wheel, "x-1-py3-none-any.whl");
  CHECK(summary(wheel.judged()) == expected);
  pack(archive, "x.tar.gz");
  const auto unresolved = summary(archive.judged());
  CHECK(std::count(unresolved.begin(), unresolved.end(), "note missing-library x.tar.gz x.tar.gz") == 1);
}

TEST_CASE(
    "members of a wheel are located where its installer puts them, and no library outside satisfies them") {
  Loaded setting;
  ScannedFile wheel;
  wheel.path = "x.whl";
  wheel.file = setting.tree.write("x.whl", "");
  binary::Image& module = add_member(wheel, "x/_C.so");
  module.needed = {"liba.so", "libb.so"};
  module.runpath = "$ORIGIN/../y:$ORIGIN/..";
  add_member(wheel, "x-1.data/platlib/y/liba.so");
  add_member(wheel, "../../libb.so");                           // cannot be extracted there
  add_member(wheel, "x-1.data/scripts/p").needed = {"libc.so"}; // goes to the programs of whatever Python
  setting.told.push_back(std::move(wheel));
  setting.add_elf("libb.so", ElfFacts::Type::library);
  CHECK(summary(setting.judged()) == std::vector<std::string>{"note missing-library x.whl x.whl",
                                                              "warning missing-library x/_C.so libb.so"});
}

TEST_CASE("a library that is found only for another machine is skipped by the loader, which is reported") {
  for (const bool also_right : {false, true}) {
    CAPTURE(also_right);
    Loaded setting;
    setting.program(setting.tree.path("own"));
    setting.library("own", {});
    setting.told.back().parts.front().elf->image->kind = {true, 62};
    if (also_right)
      setting.library("system", {});
    const Findings findings = setting.judged();
    CHECK(severity_of(findings, Rule::foreign_machine) ==
          (also_right ? std::nullopt : std::optional(Severity::error)));
    CHECK_FALSE(severity_of(findings, Rule::missing_library));
  }
}

TEST_CASE(
    "a function of CUDA that no loaded library defines is missing, in a program or by a library's run path") {
  struct Case {
    ElfFacts::Type type;
    std::string place;
    std::vector<std::string> needed;
    std::optional<Severity> severity;
  };
  for (const auto& [type, place, needed, severity] :
       {Case{ElfFacts::Type::program, "own", {"cudaMalloc", "cudaBogus"}, Severity::error},
        Case{ElfFacts::Type::library, "own", {"cudaBogus"}, Severity::error},
        Case{ElfFacts::Type::library, "system", {"cudaBogus"}, Severity::warning},
        Case{ElfFacts::Type::program, "own", {"cudaMalloc", "cublasBogus"}, std::nullopt},
        Case{ElfFacts::Type::program, "own", {"cudaOfPlugin"}, std::nullopt}}) {
    CAPTURE(needed.back());
    CAPTURE(place);
    Loaded setting;
    binary::Image& image = setting.add_elf("bin/p", type);
    image.needed = {"libcudart.so.13", "libcuda.so.1"};
    image.runpath = setting.tree.path("own");
    setting.functions() = {needed, {}};
    setting.add_elf(place + "/libcudart.so.13", ElfFacts::Type::library).soname = "libcudart.so.13";
    setting.functions() = {{}, {"cudaMalloc"}};
    setting.add_elf("other/libcudart.so.13", ElfFacts::Type::library).soname = "libcudart.so.13";
    setting.functions() = {{}, {"cudaMalloc", "cudaBogus"}}; // its name is served
    setting.add_elf("other/libplugin.so", ElfFacts::Type::library).soname = "libplugin.so";
    setting.functions() = {{}, {"cudaOfPlugin"}};
    CHECK(severity_of(setting.judged(), Rule::missing_function) == severity);
  }
}

TEST_CASE("a library is judged with the program of the tree that loads it") {
  for (const bool defines : {false, true}) {
    CAPTURE(defines);
    Loaded setting;
    binary::Image& program = setting.add_elf("bin/p", ElfFacts::Type::program);
    program.needed = {"libx.so", "libcudart.so.13", "liby.so"};
    program.runpath = setting.tree.path("own");
    setting.functions() = {{}, {}};
    binary::Image& library = setting.add_elf("own/libx.so", ElfFacts::Type::library);
    library.needed = {"libcudart.so.13"};
    library.runpath = "$ORIGIN";
    setting.functions() = {{"cudaOfY"}, {}};
    setting.add_elf("own/libcudart.so.13", ElfFacts::Type::library).soname = "libcudart.so.13";
    setting.functions() = {{}, {"cudaMalloc"}};
    setting.add_elf("own/liby.so", ElfFacts::Type::library).soname = "liby.so";
    setting.functions() = {{}, {defines ? "cudaOfY" : "cudaOther"}};
    CHECK(severity_of(setting.judged(), Rule::missing_function) ==
          (defines ? std::nullopt : std::optional(Severity::error)));
  }
}
