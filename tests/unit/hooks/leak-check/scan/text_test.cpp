// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/text.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;
using Kind = TextFacts::Kind;

namespace {

std::vector<std::string> references(Kind kind, std::string_view text) {
  std::vector<std::string> found;
  for (const TextReference& one : read_text(kind, text).references)
    found.push_back(std::to_string(one.line) + ' ' + one.key + ' ' + one.path);
  return found;
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("texts are recognized by their names, and scripts by their first bytes") {
  CHECK(text_kind("lib/libx.la", "# libx.la") == Kind::libtool);
  CHECK(text_kind("x.pc", "prefix=/usr") == Kind::pkg_config);
  CHECK(text_kind("xTargets-release.cmake", "") == Kind::cmake);
  CHECK(text_kind("x.cmake", "#!/usr/bin/cmake -P") == Kind::script);
  CHECK(text_kind("run", "#!/bin/sh") == Kind::script);
  CHECK_FALSE(text_kind("x.pc", std::string_view("\0\0", 2)));
  CHECK_FALSE(text_kind("x.txt", "/opt"));
}

TEST_CASE("a libtool file has directories and libraries") {
  CHECK(references(Kind::libtool,
                   "# /not/this\ndlname='libx.so.1'\n"
                   "dependency_libs=' -L/opt/gcc-11/lib64 /usr/lib/liby.la -lz'\nlibdir='/usr/lib'\n") ==
        Lines{"3 dependency_libs /opt/gcc-11/lib64", "3 dependency_libs /usr/lib/liby.la",
              "4 libdir /usr/lib"});
}

TEST_CASE("variables of a pkg-config file are expanded") {
  CHECK(references(Kind::pkg_config, "prefix=/opt/x\nlibdir = ${prefix}/lib\n# ${prefix}\nName: X\n"
                                     "Libs: -L${libdir} -Wl,-rpath,${libdir}:/usr/lib -lx\n"
                                     "Cflags: -I${pcfiledir}/../include -I${prefix}/include\n") ==
        Lines{"1 prefix /opt/x", "2 libdir /opt/x/lib", "5 Libs /opt/x/lib", "5 Libs /opt/x/lib",
              "5 Libs /usr/lib", "6 Cflags /opt/x/include"});
}

TEST_CASE("variables that double with each line cost little") {
  std::string text = "a0=/xxxxxxxx\n";
  for (int i = 1; i < 200; ++i) {
    const std::string last = std::string("${a").append(std::to_string(i - 1)).append("}");
    text.append("a").append(std::to_string(i)).append("=").append(last).append(last).append("\n");
  }
  CHECK(references(Kind::pkg_config, text).size() >= 200);
  CHECK(references(Kind::pkg_config, "a=${a}${\nb=${").empty());
}

TEST_CASE("a long variable that many lines name is expanded up to a limit, which is reported") {
  const std::string longest(60000, 'x');
  std::string pkg_config = "a=" + longest + '\n', cmake = "set(a " + longest + ")\n";
  for (int i = 0; i < 400; ++i) {
    pkg_config.append("b").append(std::to_string(i)).append("=${a}\n");
    cmake.append("set(b").append(std::to_string(i)).append(" ${a})\n");
  }
  for (const auto& [kind, text] : {std::pair(Kind::pkg_config, pkg_config), std::pair(Kind::cmake, cmake)}) {
    const TextFacts cut = read_text(kind, text + "last=/opt/gcc-11\nset(last /opt/gcc-11)\n");
    CHECK(cut.is_cut);
    CHECK(cut.references.empty());
    CHECK_FALSE(read_text(kind, text.substr(0, 70000 - 9000)).is_cut);
  }
}

TEST_CASE(
    "a name that is longer than any real one is truncated, which is reported, and not copied for each path") {
  const std::string name(2'000'000, 'X');
  std::string paths;
  for (int i = 0; i < 150'000; ++i)
    paths += " /a";
  for (const auto& [kind, text] :
       {std::pair(Kind::libtool, name + '=' + paths), std::pair(Kind::pkg_config, name + ':' + paths),
        std::pair(Kind::cmake, "set(a " + name + paths + ')')}) {
    const TextFacts cut = read_text(kind, text);
    CHECK(cut.is_cut);
    std::size_t bytes = 0, longest = 0;
    for (const TextReference& one : cut.references) {
      longest = std::max(longest, one.key.size());
      bytes += sizeof one + one.key.size() + one.path.size();
    }
    CHECK_FALSE(cut.references.empty());
    CHECK(longest <= longest_key);
    CHECK(bytes <= most_reference_bytes);
  }
  // Its key is not known.
  const std::string within(longest_key, 'x');
  const auto is_known = [](const std::string& variable) {
    const TextFacts facts =
        read_text(Kind::pkg_config, variable + "=/opt\nLibs: -L${" + variable + "}/lib\n");
    return std::any_of(facts.references.begin(), facts.references.end(),
                       [](const TextReference& one) { return one.path == "/opt/lib"; });
  };
  CHECK(is_known(within));
  CHECK_FALSE(is_known(within + 'x'));
  CHECK_FALSE(read_text(Kind::pkg_config, within + "=/opt\nLibs: -L${" + within + "}/lib\n").is_cut);
  CHECK(read_text(Kind::pkg_config, within + "x=1\n").is_cut);
}

TEST_CASE("one line has the limit of references of a text") {
  std::string text = "dependency_libs='";
  for (std::size_t i = 0; i <= most_references; ++i)
    text += " /a";
  const TextFacts cut = read_text(Kind::libtool, text + "'\nlibdir='/opt'\n");
  CHECK(cut.is_cut);
  CHECK(cut.references.size() <= most_references);
  CHECK_FALSE(read_text(Kind::libtool, "dependency_libs=' /a /b'\nlibdir='/opt'\n").is_cut);
}

TEST_CASE("each path of a CMake export has its property as key") {
  CHECK(
      references(Kind::cmake,
                 "set_target_properties(x::x PROPERTIES\n"
                 "  IMPORTED_LOCATION_RELEASE \"${_IMPORT_PREFIX}/lib/libx.so\"\n"
                 "  INTERFACE_LINK_LIBRARIES \"\\$<LINK_ONLY:/opt/gcc-11/lib64/liby.so>;/usr/lib/libz.so\"\n"
                 "  INTERFACE_INCLUDE_DIRECTORIES /usr/include) # /comment\n"
                 "set(CMAKE_CXX_COMPILER \"/opt/gcc-11/bin/g++\")\n") ==
      Lines{"3 INTERFACE_LINK_LIBRARIES /opt/gcc-11/lib64/liby.so",
            "3 INTERFACE_LINK_LIBRARIES /usr/lib/libz.so", "4 INTERFACE_INCLUDE_DIRECTORIES /usr/include",
            "5 CMAKE_CXX_COMPILER /opt/gcc-11/bin/g++"});
}

TEST_CASE("values that CMake's commands join from lines and arguments are found where they are used") {
  CHECK(
      references(Kind::cmake, "set(root\n  \"/opt\" # c )\n  CACHE PATH \"(x\")\nset(x ${root}/gcc-11)\n") ==
      Lines{"2  /opt", "4 PATH /opt/gcc-11"});
  CHECK(references(Kind::cmake, "STRING(CONCAT where \"/op\" [=[t/gcc]=]\n-11)\nset(y ${where}/lib)\n") ==
        Lines{"1 CONCAT /op", "2 where /opt/gcc-11", "3 CONCAT /opt/gcc-11/lib"});
  CHECK(references(Kind::cmake, "set(a /opt)\nstring(APPEND a /gcc)\nstring(PREPEND a /x)\n"
                                "string(JOIN - b ${a} 11)\n")
            .back() == "4 b /x/opt/gcc-11");
  const Lines list = references(
      Kind::cmake, "set(dirs /usr/lib)\nlist(APPEND dirs\n  \"/opt/gcc-11\")\n#[[\nset(dirs x)\n]]\n"
                   "list(PREPEND dirs a)\nset(DIRS ${dirs})\n");
  CHECK(Lines(list.end() - 2, list.end()) == Lines{"8 DIRS /usr/lib", "8 DIRS /opt/gcc-11"});
  CHECK(references(Kind::cmake, "set(a /opt)\nunset(a)\nset(b ${a}/x \")\nset(a /y)\n${a}\n").size() == 2);
}

TEST_CASE("lists that grow without end are read up to a limit, which is reported") {
  std::string text = "set(a " + std::string(1000, 'x') + ")\n";
  for (int i = 0; i < 100; ++i)
    text += "list(APPEND a ${a})\n";
  CHECK(read_text(Kind::cmake, text).is_cut);
  CHECK(read_text(Kind::cmake, "set(a \"" + std::string(100000, 'x')).is_cut);
}

TEST_CASE("a script has its interpreter, its arguments, and the paths after it, up to a payload") {
  const std::string text = "#!/usr/bin/env -S /opt/x/python\nexec /opt/y \"$@\"\n/opt/z";
  CHECK(references(Kind::script, text + "\n") ==
        Lines{"1 #! /usr/bin/env", "1 #! /opt/x/python", "2  /opt/y", "3  /opt/z"});
  CHECK(references(Kind::script, text + std::string("\n\0 /opt/a\n", 10)).size() == 4);
  CHECK(read_text(Kind::script, text).first_line == 31);
  CHECK(references(Kind::script, "#!").empty());
  CHECK(read_text(Kind::script, "#!/bin/sh").first_line == 9);
}
