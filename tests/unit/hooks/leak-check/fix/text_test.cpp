// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/text.hpp"
#include "tests/repeated.hpp"
#include "tests/tree.hpp"
#include "tests/unit/toolchains/base/fakes.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;
using hostpin::test::Tree;

namespace {

using Kind = TextFacts::Kind;

/// The fixed text. `bad` and `known` are unwanted; no finding is about `known`.
FixedText fixed(Kind kind, const std::string& text, const std::string& bad = "/opt/gcc-11",
                const std::string& known = "/opt/known", const std::string& directory = {}) {
  Policy policy;
  policy.unwanted = {{bad, UnwantedPath::Kind::forbidden}, {known, UnwantedPath::Kind::forbidden}};
  const DiskFiles disk;
  test::FakeFiles fake; // with /opt/gcc-11 as a compiler that has none of the libraries in these texts
  for (const char* const place : {"lib", "lib64"})
    fake.file("/opt/gcc-11/" + std::string(place) + "/libstdc++.so");
  const Files& files = bad == "/opt/gcc-11" ? static_cast<const Files&>(fake) : disk;
  const auto unwanted = Unwanted::make(policy, files);
  REQUIRE(unwanted);
  const UnwantedRows rows = {unwanted->covering(bad)};
  FixedText result = fixed_text(kind, text, *unwanted, rows, files, directory);
  CHECK(std::count(result.text.begin(), result.text.end(), '\n') ==
        std::count(text.begin(), text.end(), '\n'));
  const FixedText again = fixed_text(kind, result.text, *unwanted, rows, files, directory);
  CHECK(again.text == result.text);
  CHECK(again.changes.empty());
  CHECK(again.left == result.left);
  return result;
}

std::string libs(const std::string& value) {
  const std::string text = fixed(Kind::pkg_config, "Libs:" + value + '\n').text;
  return text.substr(5, text.size() - 6);
}
std::string property(const std::string& name, const std::string& value) {
  const std::string before = "set_target_properties(x PROPERTIES " + name + " \"";
  const std::string text = fixed(Kind::cmake, before + value + "\")\n").text;
  return text.substr(before.size(), text.size() - before.size() - 3);
}
std::string left(Kind kind, const std::string& text) {
  const FixedText result = fixed(kind, text);
  CHECK(result.text == text);
  CHECK(result.changes.empty());
  REQUIRE(result.left.size() == 1);
  return result.left.front().word + ": " + result.left.front().reason;
}

} // namespace

TEST_CASE("unwanted search directories and run paths are removed, and other arguments keep their spelling") {
  CHECK(libs(" -L/opt/gcc-11/lib64 -L/opt/gcc-11.old  -lx") == " -L/opt/gcc-11.old  -lx");
  CHECK(libs(" -lx -L/opt/gcc-11/lib/../lib64/ ") == " -lx ");
  CHECK(libs(" -L/opt/gcc-11") == "");
  CHECK(libs(" -Wl,-rpath,/opt/gcc-11/lib64 -lx") == " -lx");
  CHECK(libs(" -Wl,-rpath,/a:/opt/gcc-11/lib64:/b -lx") == " -Wl,-rpath,/a:/b -lx");
  CHECK(libs(" -Wl,-rpath=/opt/gcc-11/lib64,-z,now -lx") == " -Wl,-z,now -lx");
  CHECK(libs(" -Wl,-z,now,--rpath,/opt/gcc-11,-L/opt/gcc-11 -lx") == " -Wl,-z,now -lx");
  CHECK(libs(" -Wl,-rpath -Wl,/opt/gcc-11/lib64 -lx") == " -lx");
  CHECK(libs(" -Wl,-rpath -Wl,/opt/gcc-11/lib64:/a -lx") == " -Wl,-rpath,/a -lx");
  CHECK(libs(" -Wl,-rpath -Wl,/a -lx") == " -Wl,-rpath -Wl,/a -lx");
  CHECK(libs(" -Wl,-rpath -Wl,/opt/gcc-11,-rpath -Wl,/opt/gcc-11:/a -lx") == " -Wl,-rpath,/a -lx");
  CHECK(libs(" -R/opt/gcc-11/lib -lx") == " -lx");
}

TEST_CASE("a file of the wrong compiler's libraries becomes its -l option, and no other file does") {
  CHECK(libs(" /opt/gcc-11/lib64/libstdc++.so -lx") == " -lstdc++ -lx");
  CHECK(libs(" /opt/gcc-11/lib64/libstdc++.so.6.0.29") == " -lstdc++");
  CHECK(libs(" /opt/gcc-11/lib64/libgcc_s.so.1") == " -lgcc_s");
  CHECK(libs(" /usr/lib/libstdc++.so") == " /usr/lib/libstdc++.so");
  for (const char* name : {"libstdc++.a", "libstdc++fs.so", "libstdc++.so.6-gdb.py", "libgomp.so"})
    CHECK(left(Kind::pkg_config, std::string("Libs: /opt/gcc-11/lib64/") + name + '\n') ==
          std::string("/opt/gcc-11/lib64/") + name + ": the right replacement is not known");
}

TEST_CASE("a directory stays while it contains a library that is in no other") {
  const Tree tree;
  tree.write("gcc/libx.a", "");
  tree.write("gcc/libstdc++.so", "");
  tree.write("gcc/liby.so", "");
  tree.write("other/libx.so", "");
  const std::string bad = tree.path("gcc"), other = tree.path("other");
  const auto text = [&](const std::string& libs) {
    return fixed(Kind::pkg_config, "Libs: -L" + bad + ' ' + libs + "\n", bad).text;
  };
  CHECK(text("-lstdc++ -lz") == "Libs: -lstdc++ -lz\n");
  CHECK(text("-lx") == "Libs: -L" + bad + " -lx\n");
  CHECK(text("-lx -L" + other) == "Libs: -lx -L" + other + '\n');
  CHECK(text("-l:liby.so") == "Libs: -L" + bad + " -l:liby.so\n");
  const FixedText kept = fixed(Kind::libtool, "dependency_libs=' -R" + bad + " -ly'\n", bad);
  REQUIRE(kept.left.size() == 1);
  CHECK(kept.left.front().reason == "a library that is linked by name is in that directory and in no other");
  const std::string names =
      "set_target_properties(x PROPERTIES INTERFACE_LINK_LIBRARIES \"y\" INTERFACE_LINK_DIRECTORIES \"" +
      bad + "\")\n";
  CHECK(fixed(Kind::cmake, names, bad).text == names);
}

TEST_CASE("variables of a pkg-config file lead to the directories that it searches") {
  const Tree tree;
  tree.write("gcc/libx.a", "");
  tree.write("out/lib/libx.so", "");
  tree.write("out/lib/pkgconfig/x.pc", "");
  const std::string bad = tree.path("gcc");
  const auto mended_there = [&](const std::string& before, const std::string& libs) {
    return fixed(Kind::pkg_config, before + "Libs: -L" + bad + " " + libs + " -lx\n", bad, "/opt/known",
                 tree.path("out/lib/pkgconfig"))
        .text;
  };
  const std::string prefix = "prefix=${pcfiledir}/../..\n";
  for (const auto& [before, libs] :
       {std::pair(std::string(), "-L${pcfiledir}/.."), std::pair(prefix, "-L${prefix}/lib"),
        std::pair(prefix + "libdir=${prefix}/lib\n", "-L${libdir}")})
    CHECK(mended_there(before, libs) == before + "Libs: " + libs + " -lx\n");
  // set otherwise, set later, to something unwanted, or not at all
  for (const auto& [before, libs] :
       {std::pair("pcfiledir=/nowhere/lib\n", "-L${pcfiledir}/.."),
        std::pair("", "-L${libdir} -lx\nlibdir=${pcfiledir}/..\nLibs.private:"),
        std::pair("libdir=${pcfiledir}/../../../gcc\n", "-L${libdir}"), std::pair("", "-L${libdir}")})
    CHECK(mended_there(before, libs) == std::string(before) + "Libs: -L" + bad + " " + libs + " -lx\n");
}

TEST_CASE("a directory that does not exist here stays while a library was not found elsewhere") {
  CHECK(left(Kind::pkg_config, "Libs: -L/opt/gcc-11/gone -lx\n") ==
        "-L/opt/gcc-11/gone: a library that is linked by name was not found, and may be in that "
        "directory, which does not exist here");
  CHECK(libs(" -L/opt/gcc-11/gone -lstdc++") == " -lstdc++");
  const Tree tree;
  tree.write("other/libx.a", "");
  CHECK(libs(" -L/opt/gcc-11/gone -L/other -lm") == " -L/other -lm");
  const std::string gone = tree.path("gone"), other = tree.path("other");
  CHECK(fixed(Kind::pkg_config, "Libs: -L" + gone + " -L" + other + " -lx\n", gone).text ==
        "Libs: -L" + other + " -lx\n");
}

TEST_CASE("libraries count in any spelling of -l") {
  const Tree tree;
  tree.write("gcc/libx.la", "");
  tree.write("gcc/liby.so", "");
  const std::string bad = tree.path("gcc");
  const auto stays = [&](Kind kind, const std::string& text) { return fixed(kind, text, bad).text == text; };
  for (const char* const words : {"-l y", "\"-ly\"", "-Wl,--as-needed,-ly", "-l${name}"})
    CHECK_MESSAGE(stays(Kind::pkg_config, "Libs: -L" + bad + ' ' + words + '\n'), words);
  CHECK(stays(Kind::libtool, "dependency_libs=' -L" + bad + " -lx'\n"));
  CHECK_FALSE(stays(Kind::pkg_config, "Libs: -L" + bad + " -lx\n"));
}

TEST_CASE("the value of the argument before is not changed") {
  for (const char* const option : {"-Xclang",
                                   "-Xpreprocessor",
                                   "-Xassembler",
                                   "-Xcompiler",
                                   "-Xsomething",
                                   "-mllvm",
                                   "-msomething",
                                   "--param",
                                   "--something",
                                   "-arch",
                                   "-target",
                                   "-A",
                                   "-G",
                                   "-x",
                                   "-MF",
                                   "-MT",
                                   "-MQ",
                                   "-D",
                                   "-U",
                                   "-I",
                                   "-isystem",
                                   "-framework",
                                   "-rpath-link",
                                   "--rpath-link",
                                   "-Wl,-rpath-link",
                                   "-Wl,-z,now,-soname",
                                   "-Wl,--something",
                                   "\"-Xclang\"",
                                   "debug",
                                   "general"}) {
    const std::string words = std::string(" ") + option + " -L/opt/gcc-11/lib -lx";
    CHECK_MESSAGE(libs(words) == words, option);
  }
  CHECK(left(Kind::pkg_config, "Libs: -Xclang -L/opt/gcc-11/lib\n") ==
        "-L/opt/gcc-11/lib: it may be the value of the argument before it");
  CHECK(libs(" -Wl,-soname,-L/opt/gcc-11/lib") == " -Wl,-soname,-L/opt/gcc-11/lib");
  CHECK(libs(" -Wl,-soname -Wl,-L/opt/gcc-11/lib") == " -Wl,-soname -Wl,-L/opt/gcc-11/lib");
  CHECK(libs(" -Xclang /opt/gcc-11/lib/libstdc++.so") == " -Xclang /opt/gcc-11/lib/libstdc++.so");
  for (const char* const flag :
       {"-m64", "-march=native", "--sysroot=/a", "-Wl,--as-needed", "-pthread", "-L/a"})
    CHECK_MESSAGE(
        libs(std::string(" ") + flag + " -L/opt/gcc-11/lib -lx") == std::string(" ") + flag + " -lx", flag);
}

TEST_CASE("CMake's keywords for a configuration keep their argument") {
  const std::string list = "debug;-L/opt/gcc-11;optimized;foo;general;-L/opt/gcc-11";
  CHECK(property("INTERFACE_LINK_LIBRARIES", list) == list);
  CHECK(property("INTERFACE_LINK_LIBRARIES", list + ";-L/opt/gcc-11;a") == list + ";a");
  const std::string wrapped = "\\$<LINK_ONLY:-Xclang>;\\$<LINK_ONLY:-L/opt/gcc-11>";
  CHECK(property("INTERFACE_LINK_LIBRARIES", wrapped) == wrapped);
  CHECK(property("INTERFACE_LINK_OPTIONS", "SHELL:-x -Xclang;-L/opt/gcc-11") ==
        "SHELL:-x -Xclang;-L/opt/gcc-11");
}

TEST_CASE("directories are removed from libtool archives, and libstdc++ is linked by name") {
  const FixedText result = fixed(
      Kind::libtool,
      "# by libtool\ndlname='libx.so.1'\n"
      "dependency_libs=' -L/opt/gcc-11/lib64 -R/opt/gcc-11/lib64 -lm /opt/gcc-11/lib/../lib64/libstdc++.la'\n"
      "libdir='/usr/lib'\n");
  CHECK(result.text ==
        "# by libtool\ndlname='libx.so.1'\ndependency_libs=' -lm -lstdc++'\nlibdir='/usr/lib'\n");
  REQUIRE(result.changes.size() == 1);
  CHECK(result.changes.front().line == 3);
  CHECK(result.changes.front().after == "dependency_libs=' -lm -lstdc++'");
}

TEST_CASE("elements are removed from the lists of CMake's properties") {
  CHECK(property("INTERFACE_LINK_LIBRARIES", "/opt/gcc-11/lib64/libstdc++.so;-L/opt/gcc-11;a") ==
        "-lstdc++;a");
  CHECK(property("INTERFACE_LINK_LIBRARIES", "a;-L/opt/gcc-11;-Wl,-rpath,/opt/gcc-11") == "a");
  CHECK(property("INTERFACE_LINK_LIBRARIES", "-L/opt/gcc-11") == "");
  CHECK(property("INTERFACE_LINK_LIBRARIES",
                 "\\$<LINK_ONLY:/opt/gcc-11/lib64/libstdc++.so>;\\$<LINK_ONLY:-L/opt/gcc-11>;a;") ==
        "\\$<LINK_ONLY:-lstdc++>;a;");
  CHECK(property("INTERFACE_LINK_DIRECTORIES", "/a;/opt/gcc-11/lib64;/b") == "/a;/b");
  CHECK(property("INTERFACE_LINK_OPTIONS", "LINKER:-rpath,/opt/gcc-11;LINKER:-z,now") == "LINKER:-z,now");
  CHECK(property("IMPORTED_LINK_INTERFACE_LIBRARIES_RELEASE", "-L/opt/gcc-11;a") == "a");
}

TEST_CASE("what is not certain is not changed, with a reason") {
  CHECK(left(Kind::pkg_config, "Cflags: -I/opt/gcc-11/include -DX\n") ==
        "-I/opt/gcc-11/include: compilations that use it may need a header in that directory");
  CHECK(left(Kind::pkg_config, "libdir=/opt/gcc-11/lib\nLibs: -L${libdir}\n") ==
        "/opt/gcc-11/lib: variables are not changed, because other lines and packages use them");
  CHECK(left(Kind::pkg_config, "# by /opt/gcc-11/bin/g++\n") ==
        "/opt/gcc-11/bin/g++: comments are not changed");
  CHECK(left(Kind::pkg_config, "Libs: \"-L/opt/gcc-11/lib\"\n") ==
        "\"-L/opt/gcc-11/lib\": an argument with quotes, blanks or variables is not changed");
  CHECK(left(Kind::pkg_config, "Libs: -Wl,-rpath,${prefix}:/opt/gcc-11\n") ==
        "-Wl,-rpath,${prefix}:/opt/gcc-11: an argument with quotes, blanks or variables is not changed");
  CHECK(left(Kind::pkg_config, "Libs: -Xlinker /opt/gcc-11/lib\n") ==
        "/opt/gcc-11/lib: the right replacement is not known");
  CHECK(left(Kind::pkg_config, "Cflags: -isystem /opt/gcc-11/include\n") ==
        "/opt/gcc-11/include: compilations that use it may need a header in that directory");
  CHECK(left(Kind::libtool, "libdir='/opt/gcc-11/lib'\n").ends_with("packages use them"));
  CHECK(left(Kind::cmake, "set(X_LIBRARIES \"/opt/gcc-11/lib64/libstdc++.so\")\n") ==
        "/opt/gcc-11/lib64/libstdc++.so: only linker options are changed");
  CHECK(
      left(Kind::cmake, "set_property(TARGET x PROPERTY INTERFACE_LINK_LIBRARIES \"-L/opt/gcc-11 -lx\")\n") ==
      "-L/opt/gcc-11 -lx: an argument with quotes, blanks or variables is not changed");
  CHECK(left(Kind::cmake,
             "set_target_properties(x PROPERTIES INTERFACE_INCLUDE_DIRECTORIES \"/opt/gcc-11\")\n") ==
        "/opt/gcc-11: compilations that use it may need a header in that directory");
}

TEST_CASE("a path without a finding is neither changed nor reported") {
  const FixedText result = fixed(Kind::pkg_config, "Libs: -L/opt/known/lib -L/opt/gcc-11/lib\n");
  CHECK(result.text == "Libs: -L/opt/known/lib\n");
  CHECK(result.left.empty());
}

TEST_CASE("continued lines and line ends are preserved") {
  CHECK(fixed(Kind::pkg_config, "Libs: -L/opt/gcc-11 \\\r\n  -L/opt/gcc-11/lib \\\r\n  -lx\r\n").text ==
        "Libs: \\\r\n \\\r\n  -lx\r\n");
}

TEST_CASE(
    "a path outside of linker options is reported with its line, also next to options with the same path") {
  const FixedText result = fixed(Kind::pkg_config, "Libs: -Xclang -L/opt/gcc-11/lib # -L/opt/gcc-11/lib\n");
  REQUIRE(result.left.size() == 2);
  CHECK(result.left[0].reason == "comments are not changed");
  CHECK(result.left[1].reason == "it may be the value of the argument before it");
}

TEST_CASE("long text that is made to be slow is fixed like any other") {
  constexpr std::size_t size = test::sanitized ? 1U << 14U : 1U << 18U;
  const auto many = [](const std::string& what) {
    std::string text;
    while (text.size() < size)
      text += what;
    return text;
  };
  const std::string slashes(size, '/');
  CHECK(libs(" -L/opt/gcc-11 " + slashes) == ' ' + slashes);
  CHECK(libs(" -L/opt/gcc-11 x" + many("/.")) == " x" + many("/."));
  CHECK(libs(" -L" + slashes + "opt/gcc-11") == "");
  const std::string chain = many(" -Wl,-rpath");
  CHECK(libs(chain + " -Wl,/opt/gcc-11").size() < chain.size() * 2);
  CHECK(libs(many(" -L/opt/gcc-11 -Wl,-rpath -Wl,/opt/gcc-11")) == "");
  CHECK(fixed(Kind::pkg_config, "x: " + many("#/opt/gcc-11") + '\n').left.size() < 1000);
  CHECK(fixed(Kind::cmake, "set(X" + many(" /opt/gcc-11/x") + ")\n").left.size() == 1);
  CHECK(fixed(Kind::pkg_config, "Libs:" + many(" \"-L/opt/gcc-11\"") + '\n').left.size() == 1);
  std::string libraries;
  for (std::size_t i = 0; i < size / 5; ++i)
    libraries +=
        " -L/opt/gcc-11/" + std::to_string(i) + " -L/a" + std::to_string(i) + " -lx" + std::to_string(i);
  CHECK(libs(libraries) == libraries);
}

TEST_CASE("fixing any truncated text gives a text that is not changed again") {
  const std::string text =
      "prefix=/opt/gcc-11\nLibs: -L/opt/gcc-11/lib -Wl,-rpath -Wl,/opt/gcc-11 '-L/opt/gcc-11 x' \\\n"
      "  \\$<LINK_ONLY:/opt/gcc-11/libstdc++.so> -Wl,-rpath,,-rpath=/opt/gcc-11::,-L\n";
  for (std::size_t begin = 0; begin < text.size(); begin += 3)
    for (std::size_t end = begin; end <= text.size(); end += 5)
      for (const Kind kind : {Kind::pkg_config, Kind::libtool, Kind::cmake})
        fixed(kind, text.substr(begin, end - begin));
}
