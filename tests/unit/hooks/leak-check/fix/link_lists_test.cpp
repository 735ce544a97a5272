// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/link_arguments.hpp"
#include "hooks/leak-check/fix/link_lists.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

namespace {

using Kind = TextFacts::Kind;
using Texts = std::vector<std::string>;

Texts lists(Kind kind, std::string_view text) {
  Texts result;
  for (const LinkList& list : link_lists(kind, text))
    result.emplace_back(text.substr(list.begin, list.end - list.begin));
  return result;
}

Texts words(std::string_view text, LinkList::Separator separator) {
  Texts result;
  for (const LinkArgument& word : link_arguments(text, {0, text.size(), separator}))
    result.push_back(word.text);
  return result;
}

} // namespace

TEST_CASE("pkg-config's lists are those of the fields that a linker is given") {
  CHECK(lists(Kind::pkg_config, "libdir=/a\nName: x\nLibs: -L/a -lx\n Libs.private :-ly") ==
        Texts{" -L/a -lx", "-ly"});
  CHECK(lists(Kind::pkg_config, "Cflags: -I/a # and so on\r\n#Libs: -L/b\nRequires: y\n") == Texts{" -I/a "});
  CHECK(lists(Kind::pkg_config, "Libs: -L/a \\\n  -lx\nLibs.private: -ly\\") ==
        Texts{" -L/a \\\n  -lx", " -ly\\"});
  CHECK(lists(Kind::pkg_config, "Libs=-L/a\nLibs\n:\n=\n").empty());
}

TEST_CASE("libtool's lists are whole values in single quotes") {
  CHECK(lists(Kind::libtool, "libdir='/a'\ndependency_libs=' -L/a -lm'\ninherited_linker_flags=''\n") ==
        Texts{" -L/a -lm", ""});
  CHECK(lists(Kind::libtool, "dependency_libs=\" -L/a\"\n#dependency_libs=' -L/a'\n").empty());
  CHECK(lists(Kind::libtool, "dependency_libs=' -L/a\n'\ndependency_libs='-L/a'$x\n").empty());
}

TEST_CASE("CMake's lists are quoted values of link properties") {
  CHECK(lists(Kind::cmake,
              "set_target_properties(x PROPERTIES\n  INTERFACE_LINK_LIBRARIES \"a;/b\" # \"\n"
              "  INTERFACE_INCLUDE_DIRECTORIES \"/c\"\n  INTERFACE_LINK_DIRECTORIES \"/d\")\n") ==
        Texts{"a;/b", "/d"});
  CHECK(lists(Kind::cmake,
              "SET_PROPERTY(TARGET x APPEND PROPERTY\n IMPORTED_LINK_INTERFACE_LIBRARIES_RELEASE "
              "\"a\" b \"c\")") == Texts{"a", "c"});
  CHECK(lists(Kind::cmake, "#[[ set_property(TARGET x PROPERTY INTERFACE_LINK_OPTIONS \"a\") ]]\n"
                           "message([=[ ) \"]=])\nif(NOT (A AND B))\nendif()\n"
                           "set_property(TARGET x PROPERTY INTERFACE_LINK_OPTIONS \"\\$<0:a\\\"b>\")") ==
        Texts{"\\$<0:a\\\"b>"});
}

TEST_CASE("CMake that is cut short, or is none, has no list behind that place") {
  const std::string whole = "set_property(TARGET x PROPERTY INTERFACE_LINK_OPTIONS \"a\")\nset(x [==[ y ]==] "
                            "\"z\\\" (\" #[[\n]])\n";
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK(lists(Kind::cmake, std::string_view(whole).substr(0, size)).size() <= 1);
  CHECK(lists(Kind::cmake, "x(a\"b\")\n" + whole).empty());
  CHECK(lists(Kind::cmake, "x(\n" + whole).empty());
  CHECK(lists(Kind::cmake, ")\n" + whole).empty());
  CHECK(lists(Kind::cmake, "set_target_properties(x)\nset_property(PROPERTY)\n" + whole) == Texts{"a"});
  CHECK(lists(Kind::script, "#!/bin/sh\nLibs: -L/a\n").empty());
}

TEST_CASE("words are split where a shell and where CMake splits them") {
  using Separator = LinkList::Separator;
  CHECK(words(" -L/a\t-lx \\\n -ly\r", Separator::blanks) == Texts{"-L/a", "-lx", "-ly"});
  CHECK(words("\"-L/a b\" -L/c\\ d '-L/e f'", Separator::blanks) ==
        Texts{"\"-L/a b\"", "-L/c\\ d", "'-L/e f'"});
  CHECK(words("a;;\\$<LINK_ONLY:b;c>;d\\;e", Separator::semicolon) ==
        Texts{"a", "", "\\$<LINK_ONLY:b;c>", "d\\;e"});
  CHECK(words("", Separator::blanks).empty());
}

TEST_CASE("the next word may be an option's value where a table says so, or where none knows the option") {
  for (const char* const option : {"-L", "-rpath", "-framework", "debug", "-Xlinker", "-Xclang", "-march",
                                   "--sysroot", "--unheard-of"}) {
    CAPTURE(option);
    CHECK(may_take_next(option));
  }
  for (const char* const option : {"", "-lstdc++", "-L/lib", "-m64", "-mt", "-march=native", "--as-needed",
                                   "--sysroot=/", "-Wl,-rpath", "-unheard-of", "/lib/libx.so"}) {
    CAPTURE(option);
    CHECK(!may_take_next(option));
  }
}

TEST_CASE("options that name headers are known by their beginning, those of run paths in full") {
  for (const char* const word : {"-I", "-I/include", "-isystem", "-isystem/include", "--sysroot=/", "-B/bin"})
    CHECK(is_header_option(word));
  for (const char* const word : {"", "-L/lib", "/include", "-i"})
    CHECK(!is_header_option(word));
  for (const char* const word : {"-rpath", "--rpath", "-rpath-link", "--rpath-link", "-R"})
    CHECK(is_run_path_option(word));
  for (const char* const word : {"", "-rpath=/lib", "-R/lib", "-L", "rpath"})
    CHECK(!is_run_path_option(word));
}

TEST_CASE("words for the linker stand behind a prefix, with commas between them") {
  struct Row {
    const char* word;
    const char* prefix;
    const char* last;
  };
  const Row rows[] = {{"-Wl,-rpath,/lib", "-Wl,", "/lib"},
                      {"LINKER:-rpath", "LINKER:", "-rpath"},
                      {"-Wl,", "-Wl,", ""},
                      {"-Wl,-z,", "-Wl,", ""},
                      {"-L/lib", "", "-L/lib"},
                      {"", "", ""}};
  for (const Row& row : rows) {
    CAPTURE(row.word);
    CHECK(linker_prefix(row.word) == row.prefix);
    CHECK(last_linker_argument(row.word) == row.last);
  }
}
