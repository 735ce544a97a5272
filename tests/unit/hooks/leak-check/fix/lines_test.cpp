// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/lines.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin::leak;

namespace {

WrongLines all_of(const std::string& text) {
  return wrong_lines(text, [](std::string_view path) { return path == "/bad" || path.starts_with("/bad/"); });
}
std::vector<WrongLine> lines_of(const std::string& text) {
  return all_of(text).lines;
}

/// What a line with an unwanted path should be.
std::string fixed(const std::string& line) {
  const std::vector<WrongLine> lines = lines_of(line + '\n');
  REQUIRE(lines.size() == 1);
  CHECK(lines.front().before == line);
  return lines.front().after;
}

} // namespace

TEST_CASE("lines with an unwanted path are numbered, and others left out") {
  const auto lines = lines_of("prefix=/good\nLibs: -L/bad/lib -lx\n\nCflags: -I/bad/include");
  CHECK(lines == std::vector<WrongLine>{{2, "Libs: -L/bad/lib -lx", "Libs: -lx"},
                                        {4, "Cflags: -I/bad/include", "Cflags: -I/bad/include"}});
  CHECK(lines_of("").empty());
  CHECK(lines_of("Libs: -L/badly -lx\n").empty());
}

TEST_CASE("search directories and run paths are removed, files of libstdc++ and libgcc_s become options") {
  CHECK(fixed("Libs: -L/bad") == "Libs:");
  CHECK(fixed("Libs:  -L/a -R/bad/lib\t-lx") == "Libs:  -L/a\t-lx");
  CHECK(fixed("Libs: -Wl,-rpath,/bad:/a:/bad/b -Wl,-rpath=/bad -lx") == "Libs: -Wl,-rpath,/a -lx");
  CHECK(fixed("Libs: -Wl,-rpath -Wl,/bad -lx") == "Libs: -lx");
  CHECK(fixed("Libs: -Wl,-O1,-L/bad,--as-needed") == "Libs: -Wl,-O1,--as-needed");
  CHECK(fixed("dependency_libs=' -L/bad -lm /bad/lib/libstdc++.la'") == "dependency_libs=' -lm -lstdc++'");
  CHECK(fixed("Libs: /bad/lib/libstdc++.so.6 /bad/libgcc_s.so") == "Libs: -lstdc++ -lgcc_s");
}

TEST_CASE("elements of CMake's lists are removed with a semicolon") {
  CHECK(fixed("  INTERFACE_LINK_DIRECTORIES \"/bad;/a\"") == "  INTERFACE_LINK_DIRECTORIES \"/a\"");
  CHECK(fixed("  INTERFACE_LINK_DIRECTORIES \"/a;/bad\"") == "  INTERFACE_LINK_DIRECTORIES \"/a\"");
  CHECK(fixed("  INTERFACE_LINK_DIRECTORIES \"/bad\"") == "  INTERFACE_LINK_DIRECTORIES \"\"");
  CHECK(fixed("  INTERFACE_LINK_DIRECTORIES \"/a;/bad;/b\"") == "  INTERFACE_LINK_DIRECTORIES \"/a;/b\"");
  CHECK(fixed("  INTERFACE_LINK_OPTIONS \"LINKER:-rpath,/bad;-g\"") == "  INTERFACE_LINK_OPTIONS \"-g\"");
  CHECK(fixed("  INTERFACE_LINK_LIBRARIES \"\\$<LINK_ONLY:m>;\\$<LINK_ONLY:/bad/libstdc++.so>\"") ==
        "  INTERFACE_LINK_LIBRARIES \"\\$<LINK_ONLY:m>;\\$<LINK_ONLY:-lstdc++>\"");
}

TEST_CASE("arguments whose right path is not known are not changed") {
  for (const char* const line :
       {"libdir=/bad/lib", "Cflags: -I/bad/include", "Libs: /bad/lib/libx.so", "# /bad",
        "  INTERFACE_INCLUDE_DIRECTORIES \"/bad/include\"", "Libs: /bad/lib/libstdc++.a",
        "Libs: -Xclang -L/bad -lx", "  IMPORTED_LOCATION_RELEASE \"/bad/lib/libstdc++.so.6\"",
        "list(APPEND _cmake_import_check_files_for_x \"/bad/lib/libstdc++.so.6\" )",
        "  INTERFACE_LINK_LIBRARIES \"debug;-L/bad;optimized;-L/bad\""})
    CHECK(fixed(line) == line);
}

TEST_CASE("no more lines are returned than people read") {
  std::string text;
  for (std::size_t i = 0; i < 2 * most_wrong_lines; ++i)
    text += "-L/bad\n";
  CHECK(all_of(text).lines.size() == most_wrong_lines);
  CHECK(all_of(text).more_from == most_wrong_lines + 1);
  text.resize(most_wrong_lines * std::string("-L/bad\n").size());
  CHECK(all_of(text + "Libs: -lx\n").more_from == 0);
}
