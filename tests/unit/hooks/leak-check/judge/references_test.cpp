// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/hooks/leak-check/judge/setting.hpp"

#include <array>
#include <vector>

using namespace hostpin;
using namespace hostpin::leak;
using test::Setting;
using test::severity_of;

namespace {

FoundNeedle needle(const std::string& section, std::uint64_t offset = 500) {
  FoundNeedle found;
  found.where = {"lib/libx.so", {}, section, offset};
  found.text = found.common = "/opt/gcc-11/lib";
  return found;
}

Findings judged(Setting& setting, const std::string& section, bool elf, std::uint64_t offset = 500) {
  ScannedFile file = setting.library("");
  file.parts[0].elf->image->runpath.reset();
  if (!elf)
    file.parts.clear();
  if (section == "script") {
    file.parts.emplace_back().text.emplace();
    file.parts.front().text->first_line = 300;
  }
  file.found.push_back(needle(section, offset));
  return setting.judged(std::move(file));
}

} // namespace

TEST_CASE("the severity of a path depends on its use") {
  struct Row {
    const char* section;
    bool elf;
    std::uint64_t offset;
    Severity forbidden, build;
  };
  constexpr std::array rows = {
      Row{".interp", true, 500, Severity::error, Severity::error},
      Row{"pkg-config", false, 500, Severity::error, Severity::error},
      Row{"cmake", false, 500, Severity::error, Severity::error},
      Row{"libtool", false, 500, Severity::error, Severity::error},
      Row{"symlink", false, 0, Severity::error, Severity::error},
      Row{"script", false, 2, Severity::error, Severity::error},
      Row{"script", false, 299, Severity::error, Severity::error},
      Row{"script", false, 301, Severity::warning, Severity::warning},
      Row{".rodata", true, 500, Severity::warning, Severity::warning},
      Row{".nv_fatbin", true, 500, Severity::warning, Severity::warning},
      Row{".dynstr", true, 500, Severity::warning, Severity::warning},
      Row{"", false, 500, Severity::warning, Severity::note},
      Row{".debug_line_str", true, 500, Severity::note, Severity::note},
      Row{".comment", true, 500, Severity::note, Severity::note},
  };
  for (const Row& row : rows) {
    CAPTURE(row.section);
    Setting forbidden, build;
    forbidden.forbid("/opt/gcc-11");
    build.forbid("/opt/gcc-11", UnwantedPath::Kind::build_directory);
    CHECK(severity_of(judged(forbidden, row.section, row.elf, row.offset), Rule::forbidden_reference) ==
          row.forbidden);
    CHECK(severity_of(judged(build, row.section, row.elf, row.offset), Rule::build_directory) == row.build);
  }
}

TEST_CASE("a path in two nested unwanted directories is reported once, with the number of its occurrences") {
  Setting setting;
  setting.forbid("/opt/gcc-11");
  setting.forbid("/opt/gcc-11/lib");
  ScannedFile file = setting.library("");
  file.parts.clear();
  FoundNeedle outer = needle(".rodata"), inner = needle(".rodata");
  outer.needle = 0;
  outer.times = 5;
  inner.needle = 1;
  for (const auto& order : {std::vector{outer, inner}, std::vector{inner, outer}}) {
    file.found = order;
    const Findings findings = setting.judged(file);
    REQUIRE(findings.found.size() == 1);
    CHECK(findings.found[0].explanation.ends_with("It occurs 5 times."));
  }
  inner.text = inner.common = "/opt/gcc-11/lib/x"; // another path, another finding
  file.found = {outer, inner};
  CHECK(setting.judged(file).found.size() == 2);
}

TEST_CASE("the fix names --fix where it helps, and not in an archive") {
  const auto fix = [](const std::string& section, const std::string& member) {
    Setting setting;
    setting.forbid("/opt/gcc-11");
    ScannedFile file = setting.library("");
    file.parts.clear();
    file.found.push_back(needle(section));
    if (!member.empty())
      file.found[0].where.member = {member};
    const Findings findings = setting.judged(std::move(file));
    REQUIRE(findings.found.size() == 1);
    return findings.found[0].fix;
  };
  CHECK(fix("pkg-config", "").find("leak-check --fix prints what the line should be") != std::string::npos);
  CHECK(fix(".rodata", "").find("--fix") == std::string::npos);
  CHECK(fix("symlink", "").starts_with("Point the symlink"));
  CHECK(fix("pkg-config", "x.pc").starts_with("Fix the file before it is packed"));
  CHECK(fix(".rodata", "y.o") == fix(".rodata", ""));
}

TEST_CASE("a path that leads to an unwanted one by symlinks is found as if it were spelt out") {
  Setting setting;
  setting.forbid(*setting.files.real_path(setting.directory("real")));
  std::filesystem::create_symlink(setting.directory("real/lib"), setting.tree.path("led"));
  ScannedFile file;
  file.path = "x.pc";
  file.file = setting.tree.write("x.pc", "");
  file.parts.resize(1);
  file.parts[0].text = TextFacts{TextFacts::Kind::pkg_config,
                                 {{"Libs", setting.tree.path("led"), 4, 2},
                                  {"Libs", setting.tree.path("led"), 9, 3},
                                  {"Libs", setting.directory("other"), 9, 3},
                                  {"Libs", setting.tree.path("absent"), 9, 3}}};
  const Findings findings = setting.judged(file);
  REQUIRE(findings.found.size() == 1);
  CHECK(findings.found[0].rule == Rule::forbidden_reference);
  CHECK(findings.found[0].severity == Severity::error);
  CHECK(findings.found[0].reference == setting.tree.path("led"));
  CHECK(findings.found[0].resolved.ends_with("/real/lib"));
  CHECK(findings.found[0].where.offset == 4);
  // spelt out, it is a needle's
  file.parts[0].text->references = {{"Libs", setting.tree.path("real/lib"), 4, 2}};
  file.found.resize(1);
  file.found[0].where = {"x.pc", {}, "pkg-config", 4};
  file.found[0].text = file.found[0].common = setting.tree.path("real/lib");
  REQUIRE(setting.judged(file).found.size() == 1);
  CHECK(setting.judged(file).found[0].explanation == "Builds that use this file use that path.");
  // composed of variables; another name of the same file adds no finding
  file.found.clear();
  REQUIRE(setting.judged(file).found.size() == 1);
  CHECK(setting.judged(file).found[0].explanation.starts_with(
      "It is Libs in line 2, after expanding the file's variables."));
  file.parts[0].text->references[0].key.clear();
  CHECK(setting.judged(file).found[0].explanation.starts_with("It is in line 2, after"));
  CHECK(setting.judged(file).found[0].severity == Severity::error);
  file.hard_link_of = "first.pc";
  CHECK(setting.judged(file).found.empty());
  file.hard_link_of.reset();
  file.parts[0].text.reset();
  file.parts[0].link_target = "led";
  file.path = "link";
  file.file = setting.tree.path("link");
  std::filesystem::create_symlink("led", file.file);
  CHECK(severity_of(setting.judged(file), Rule::forbidden_reference) == Severity::error);
  // in such a directory it refers to itself
  file.file = setting.tree.path("real/link");
  std::filesystem::create_symlink("lib", file.file);
  file.parts[0].link_target = "lib";
  CHECK(setting.judged(file).found.empty());
}

TEST_CASE("a path in a RUNPATH is reported once, by its own rule") {
  Setting setting;
  setting.forbid("/opt/gcc-11");
  ScannedFile file = setting.library("/opt/gcc-11/lib");
  file.found.push_back(needle(".dynstr"));
  const Findings findings = setting.judged(std::move(file));
  REQUIRE(findings.found.size() == 1);
  CHECK(findings.found[0].rule == Rule::forbidden_runpath);
}

TEST_CASE("a NEEDED that is a path is read by the loader") {
  Setting setting;
  setting.forbid("/opt/gcc-11");
  ScannedFile file = setting.library("");
  file.parts[0].elf->image->runpath.reset();
  file.parts[0].elf->image->needed = {"/opt/gcc-11/lib/libgomp.so.1"};
  file.found.push_back(needle(".dynstr"));
  CHECK(severity_of(setting.judged(std::move(file)), Rule::forbidden_reference) == Severity::error);
}

TEST_CASE("in vendor files the path of a build is only a note") {
  Setting setting;
  setting.forbid("/opt/gcc-11", UnwantedPath::Kind::build_directory);
  setting.policy.vendor = {*setting.files.real_path(setting.tree.root())};
  CHECK(severity_of(judged(setting, "pkg-config", true), Rule::build_directory) == Severity::note);
}

TEST_CASE("a store hash alone is reported as the path that it belongs to") {
  Setting setting;
  setting.forbid("/nix/store/0123456789abcdfghijklmnpqrsvwxyz-gcc");
  ScannedFile file = setting.library("");
  file.found.push_back(needle(".rodata"));
  file.found[0].how = Hit::How::hash;
  const Findings findings = setting.judged(std::move(file));
  REQUIRE_FALSE(findings.found.empty());
  CHECK(severity_of(findings, Rule::forbidden_reference) == Severity::warning);
}

TEST_CASE("a library of the driver is an error, one of cuda_compat and a stub are not") {
  Setting setting;
  ScannedFile file = setting.library("");
  file.path = "lib/libcuda.so.1";
  CHECK(severity_of(setting.judged(file), Rule::vendored_driver) == Severity::error);
  file.path = "compat/libcuda.so.1";
  CHECK(severity_of(setting.judged(file), Rule::vendored_driver) == Severity::note);
  file.path = "lib/stubs/libcuda.so";
  CHECK_FALSE(severity_of(setting.judged(file), Rule::vendored_driver));
}

TEST_CASE("a library that requests an executable stack is a warning, a file that cannot be mapped an error") {
  Setting setting;
  ScannedFile file = setting.library("");
  CHECK_FALSE(severity_of(setting.judged(file), Rule::executable_stack));
  file.parts.front().elf->image->refusals = {binary::Refusal::executable_stack,
                                             binary::Refusal::misaligned_segment};
  CHECK(severity_of(setting.judged(file), Rule::executable_stack) == Severity::warning);
  CHECK(severity_of(setting.judged(file), Rule::misaligned_segment) == Severity::error);
  file.parts.front().elf->image->refusals = {binary::Refusal::small_alignment};
  CHECK(severity_of(setting.judged(file), Rule::misaligned_segment) == Severity::warning);
  file.parts.front().elf->image->refusals = {binary::Refusal::executable_stack};
  file.parts.front().elf->type = ElfFacts::Type::program;
  CHECK_FALSE(severity_of(setting.judged(file), Rule::executable_stack));
}

TEST_CASE("what else the loader refuses is loader-refuses with its message") {
  Setting setting;
  ScannedFile file = setting.library("");
  file.parts.front().elf->image->refusals = {binary::Refusal::os_abi, binary::Refusal::not_for_opening};
  const Findings findings = setting.judged(std::move(file));
  REQUIRE(findings.found.size() == 2);
  CHECK(findings.found[0].rule == Rule::loader_refuses);
  CHECK(findings.found[0].severity == Severity::error);
  CHECK(findings.found[0].reference == "ELF file OS ABI invalid");
  CHECK(findings.found[0].explanation ==
        "It is for the ABI of another operating system, and is refused: ELF file OS ABI invalid.");
  CHECK(findings.found[1].severity == Severity::note); // linked with -z nodlopen, as its author wants
}

TEST_CASE("a static libstdc++ of another release is a warning, and the stdenv's is not") {
  Setting setting;
  setting.policy.libstdcxx_release = 13;
  ScannedFile file = setting.library("");
  file.parts[0].elf->has_libstdcxx = true;
  file.parts[0].elf->comment = {"GCC: (Debian 13.3.0-1) 13.3.0"};
  CHECK_FALSE(severity_of(setting.judged(file), Rule::foreign_static_libstdcxx));
  file.parts[0].elf->comment.push_back("GCC: (Debian 11.3.0-1) 11.3.0");
  CHECK(severity_of(setting.judged(file), Rule::foreign_static_libstdcxx) == Severity::warning);
  file.parts[0].elf->has_libstdcxx = false;
  CHECK_FALSE(severity_of(setting.judged(file), Rule::foreign_static_libstdcxx));
}

TEST_CASE("files of a store that refer to paths of the system are reported") {
  Setting setting;
  setting.policy.stores = {*setting.files.real_path(setting.tree.root())};
  ScannedFile file;
  file.path = "lib/x.pc";
  file.file = setting.tree.write("lib/x.pc", "");
  ScannedPart part;
  part.text = TextFacts{TextFacts::Kind::pkg_config, {{"Libs", "/usr/lib", 0, 1}}};
  file.parts.push_back(part);
  CHECK(severity_of(setting.judged(file), Rule::host_path_from_store) == Severity::error);
  file.parts[0].text = TextFacts{TextFacts::Kind::script, {{"#!", "/bin/sh", 0, 1}}};
  CHECK_FALSE(severity_of(setting.judged(file), Rule::host_path_from_store));
}

TEST_CASE("in a store every mention of another store path is a dependency") {
  Setting setting;
  const std::string gcc = "/nix/store/abcdfghijklmnpqrsvwxyz0123456789-gcc-13";
  setting.forbid(gcc);
  ScannedFile file;
  file.path = "share/notes";
  file.file = setting.tree.write("out/share/notes", "");
  FoundNeedle found;
  found.where = {"share/notes", {}, {}, 0};
  found.text = found.common = gcc + "/bin";
  file.found.push_back(found);
  CHECK(severity_of(setting.judged(file), Rule::forbidden_reference) == Severity::warning);
  setting.policy.stores = {*setting.files.real_path(setting.tree.path("out"))};
  CHECK(severity_of(setting.judged(file), Rule::forbidden_reference) == Severity::error);
  setting.policy.vendor = setting.policy.stores;
  CHECK(severity_of(setting.judged(file), Rule::forbidden_reference) == Severity::warning);
}

TEST_CASE("in a store debugging symbols keep a path alive, which only separate files may do") {
  Setting setting;
  const std::string gcc = "/nix/store/abcdfghijklmnpqrsvwxyz0123456789-gcc-13";
  setting.forbid(gcc);
  for (const bool apart : {false, true}) {
    ScannedFile file = setting.library("");
    file.path = apart ? "lib/debug/.build-id/ab/cd.debug" : "lib/libx.so";
    FoundNeedle found;
    found.where = {file.path, {}, ".debug_line_str", 64};
    found.text = found.common = gcc + "/include";
    file.found.push_back(found);
    setting.policy.stores.clear();
    CHECK(severity_of(setting.judged(file), Rule::forbidden_reference) == Severity::note);
    setting.policy.stores = {*setting.files.real_path(setting.tree.root())};
    CHECK(severity_of(setting.judged(file), Rule::forbidden_reference) ==
          (apart ? Severity::note : Severity::error));
  }
}

TEST_CASE("a loader whose symlinks lead into an unwanted directory is an error") {
  Setting setting;
  const std::string loader = setting.tree.write("gcc-11/ld-linux.so.2", "");
  std::filesystem::create_directory_symlink("gcc-11", setting.tree.path("lib64"));
  setting.forbid(setting.tree.path("gcc-11"));
  ScannedFile file = setting.library("");
  file.parts[0].elf->image->runpath.reset();
  file.parts[0].elf->image->interpreter = setting.tree.path("lib64/ld-linux.so.2");
  CHECK(severity_of(setting.judged(file), Rule::forbidden_reference) == Severity::error);
  file.parts[0].elf->image->interpreter = setting.tree.write("lib/ld-linux.so.2", "");
  CHECK_FALSE(severity_of(setting.judged(file), Rule::forbidden_reference));
}

TEST_CASE("nvcc's path in a fatbin matters only if a store keeps nvcc alive for it") {
  Setting system, store;
  system.forbid("/opt/gcc-11", UnwantedPath::Kind::toolkit_program);
  store.forbid("/nix/store/0123456789abcdfghijklmnpqrsvwxyz-cuda_nvcc/bin",
               UnwantedPath::Kind::toolkit_program);
  CHECK(severity_of(judged(system, ".nv_fatbin", true), Rule::forbidden_reference) == Severity::note);
  CHECK(severity_of(judged(store, ".nv_fatbin", true), Rule::forbidden_reference) == Severity::warning);
}

TEST_CASE("files that builds take options from are not hidden as notes") {
  for (const char* const path : {"lib/python3.12/_sysconfigdata__linux_x86_64-linux-gnu.py",
                                 "share/openmpi/mpicxx-wrapper-data.txt", "lib/python3.12/other.py"}) {
    CAPTURE(path);
    Setting setting;
    setting.forbid("/opt/gcc-11", UnwantedPath::Kind::build_directory);
    ScannedFile file = setting.library("");
    file.parts.clear();
    file.found.push_back(needle(""));
    file.found.back().where.path = path;
    CHECK(severity_of(setting.judged(std::move(file)), Rule::build_directory) ==
          (std::string_view(path).ends_with("other.py") ? Severity::note : Severity::warning));
  }
}

TEST_CASE("-ffile-prefix-map is not the fix of what -lineinfo writes") {
  const auto fix = [](const char* section) {
    Setting setting;
    setting.forbid("/opt/gcc-11");
    return judged(setting, section, true).found.at(0).fix;
  };
  CHECK(fix(".nv_fatbin").find("-lineinfo") != std::string::npos);
  CHECK(fix(".rodata").find("-lineinfo") == std::string::npos);
}
