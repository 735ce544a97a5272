// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/select/sources.hpp"
#include "toolchains/redist/select/difference.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

namespace {

Facts renames() {
  Facts rows;
  rows.renames = {{"cuda_cccl", {"cccl"}, "13.4"}, {"cuda_nvcc", {"cuda_nvcc", "cuda_crt"}, "13.0"}};
  return rows;
}

Release release(const std::string& label, const std::vector<std::string>& packages) {
  std::string text;
  for (const std::string& package : packages)
    text += (text.empty() ? "{" : ",\n") + package;
  return release_of(source_of("cuda/redistrib_" + label + ".json", text + "}").manifest);
}

std::string breaks(const Difference& found) {
  std::string text;
  for (const Break& one : found.breaks)
    text += std::string(to_string(one.kind)) + ": " + one.what + '\n';
  return text;
}

const std::vector<std::string> both = {"linux-x86_64", "linux-sbsa"};

} // namespace

TEST_CASE("a release has no difference with itself") {
  const Release one = release("1", {package_text("a", "1", both)});
  const Difference found = difference(renames(), one, one);
  CHECK(found.is_none());
  CHECK(found.bytes_to_fetch == 0);
  CHECK(text_of(found) == "cuda 1 -> cuda 1\nno difference\n");
}

TEST_CASE("a patch release fetches only contents that the old one has not") {
  const Difference found =
      difference(renames(), release("1", {package_text("a", "1", both), package_text("b", "1", both, 'b')}),
                 release("2", {package_text("a", "1", both), package_text("b", "2", both, 'c')}));
  CHECK(found.breaks.empty());
  CHECK(found.archives == 4);
  CHECK(found.archives_to_fetch == 2);
  CHECK(found.bytes == 4000);
  CHECK(found.bytes_to_fetch == 2000);
  REQUIRE(found.packages.size() == 1);
  CHECK(found.packages[0].package == "b");
  CHECK(found.packages[0].changed_platforms == std::vector<std::string>{"linux-sbsa", "linux-x86_64"});
  CHECK(text_of(found) == "cuda 1 -> cuda 2\nto fetch: 2 of 4 archives, 2.0 KB of 4.0 KB (50 %)\n"
                          "packages that differ: 1\n  b  1 -> 2  2.0 KB\n");
}

TEST_CASE("a content is fetched once, and not at all if the old release has it under another name") {
  const Difference found =
      difference(renames(), release("1", {package_text("a", "1", both)}),
                 release("2", {package_text("a", "1", both), package_text("b", "1", both),
                               package_text("c", "1", both, 'c'), package_text("d", "1", both, 'c')}));
  CHECK(found.archives == 8);
  CHECK(found.archives_to_fetch == 2);
}

TEST_CASE("what is gone is a break: a package, a platform of all packages once, one of a package") {
  const Difference found =
      difference(renames(),
                 release("1", {package_text("a", "1", {"linux-x86_64", "linux-sbsa", "linux-ppc64le"}),
                               package_text("b", "1", {"linux-x86_64", "linux-ppc64le"}, 'b'),
                               package_text("c", "1", both, 'c')}),
                 release("2", {package_text("a", "1", {"linux-x86_64"}), package_text("b", "1", both, 'b')}));
  CHECK(breaks(found) == "package-gone: c is not published any more\n"
                         "platform-lost: no package has linux-ppc64le any more\n"
                         "platform-lost: a has no archive for linux-sbsa any more\n");
}

TEST_CASE("an archive for all platforms replaces those for one") {
  CHECK(difference(renames(), release("1", {package_text("a", "1", both), package_text("b", "1", both, 'b')}),
                   release("2", {package_text("a", "2", {"source"}), package_text("b", "1", both, 'b')}))
            .breaks.empty());
  CHECK(difference(renames(), release("1", {package_text("a", "1", both), package_text("b", "1", both, 'b')}),
                   release("2", {package_text("a", "2", {"linux-all"}), package_text("b", "1", both, 'b')}))
            .breaks.empty());
}

TEST_CASE("renamed and split packages are those of the facts") {
  const Difference found = difference(
      renames(), release("1", {package_text("cuda_cccl", "1", both), package_text("cuda_nvcc", "1", both)}),
      release("2", {package_text("cccl", "1", both), package_text("cuda_nvcc", "2", both, 'b'),
                    package_text("cuda_crt", "2", both, 'c')}));
  CHECK(breaks(found) == "package-renamed: cuda_cccl is listed as cccl\n"
                         "package-renamed: parts of cuda_nvcc are in cuda_crt now\n");
  CHECK(found.renamed ==
        std::vector<Renamed>{{"cuda_cccl", {"cccl"}}, {"cuda_nvcc", {"cuda_nvcc", "cuda_crt"}}});
}

TEST_CASE("another archive under the same version is a break") {
  CHECK(breaks(difference(renames(), release("1", {package_text("a", "1", {"linux-sbsa"})}),
                          release("1", {package_text("a", "1", {"linux-sbsa"}, 'b')}))) ==
        "archive-replaced: a 1 for linux-sbsa is another archive under the same version\n");
}

TEST_CASE("a lost CUDA major is a break, unless one archive serves all") {
  Release from, some, one;
  from.packages["a"].archives = {{{"linux-sbsa", "cuda11"}, {"1", 1, {}}},
                                 {{"linux-sbsa", "cuda12"}, {"2", 1, {}}}};
  some.packages["a"].archives = {{{"linux-sbsa", "cuda12"}, {"2", 1, {}}}};
  one.packages["a"].archives = {{{"linux-sbsa", ""}, {"3", 1, {}}}};
  CHECK(breaks(difference(renames(), from, some)) ==
        "variant-lost: a has no archive for cuda11 on linux-sbsa any more\n");
  CHECK(breaks(difference(renames(), from, one)).empty());
}

TEST_CASE("the variant of another minor release replaces one of the same major") {
  Release from, to;
  from.packages["cuda_compat"].archives = {{{"linux-sbsa", "cuda13.2"}, {"1", 1, {}}}};
  to.packages["cuda_compat"].archives = {{{"linux-sbsa", "cuda13.3"}, {"2", 1, {}}}};
  CHECK(breaks(difference(renames(), from, to)).empty());
}

TEST_CASE("of contents that are known, lost sonames, GPUs and outputs are breaks") {
  Release from, to;
  from.packages["libnpp"].version = "1";
  from.packages["libnpp"].archives[{"linux-sbsa", ""}] = {
      "1", 1, ReleaseContent{{"lib", "static"}, {"libnppc.so.12", "libnpps.so.12"}, {"sm_50", "sm_90"}}};
  to.packages["libnpp"].version = "2";
  to.packages["libnpp"].archives[{"linux-sbsa", ""}] = {
      "2", 1, ReleaseContent{{"lib"}, {"libnppc.so.13"}, {"sm_90"}}};
  CHECK(breaks(difference(renames(), from, to)) ==
        "soname-lost: libnpp for linux-sbsa has libnppc.so.13 in place of libnppc.so.12\n"
        "soname-lost: libnpp for linux-sbsa has no libnpps.so.12 any more\n"
        "gpu-lost: libnpp for linux-sbsa has no code for sm_50 any more\n"
        "output-lost: libnpp for linux-sbsa has no output static any more\n");
  from.packages["libnpp"].archives[{"linux-x86_64", ""}] =
      from.packages["libnpp"].archives[{"linux-sbsa", ""}];
  to.packages["libnpp"].archives[{"linux-x86_64", ""}] = to.packages["libnpp"].archives[{"linux-sbsa", ""}];
  CHECK(breaks(difference(renames(), from, to))
            .find("gpu-lost: libnpp for linux-sbsa, linux-x86_64 has no code for sm_50 any more\n") !=
        std::string::npos);
  to.packages["libnpp"].archives.erase({"linux-x86_64", ""});
  from.packages["libnpp"].archives.erase({"linux-x86_64", ""});
  to.packages["libnpp"].archives.begin()->second.content.reset(); // not known is not lost
  CHECK(difference(renames(), from, to).breaks.empty());
}

TEST_CASE("JSON has each break and each package") {
  const std::string text = json_of(difference(renames(), release("1", {package_text("a", "1", both)}),
                                              release("2", {package_text("a", "1", {"linux-sbsa"})})));
  const auto json = document::parse_json(text);
  REQUIRE(json);
  CHECK(json->find("breaks")->items.at(0).find("kind")->text == "platform-lost");
  CHECK(json->find("breaks")->items.at(0).find("platform")->text == "linux-x86_64");
  CHECK(json->find("packages")->items.at(0).find("lost_platforms")->items.at(0).text == "linux-x86_64");
  CHECK(json->find("bytes")->text == "1000");
}

namespace {

using Symbols = std::map<std::string, std::set<std::string>>;

/// Of a package with one archive for each of two platforms.
Release with_symbols(const std::string& label, char digit, const Symbols& symbols) {
  Release one = release(label, {package_text("a", label, both, digit)});
  for (auto& [key, archive] : one.packages["a"].archives) {
    archive.content.emplace();
    archive.content->symbols = symbols;
    for (const auto& [soname, names] : symbols)
      archive.content->sonames.insert(soname);
  }
  return one;
}

Difference of_symbols(const Symbols& from, const Symbols& to) {
  return difference(renames(), with_symbols("1", 'a', from), with_symbols("2", 'b', to));
}

} // namespace

TEST_CASE("symbols that a library has no more break its users, and others are counted") {
  const Difference found = of_symbols({{"libx.so.1", {"f@V_1", "g@V_1", "h"}}, {"liby.so.1", {"y"}}},
                                      {{"libx.so.1", {"f@V_1", "g@V_2", "i"}}, {"liby.so.1", {"y"}}});
  CHECK(breaks(found) ==
        "symbol-lost: a for linux-sbsa, linux-x86_64 has no g@V_1, h in libx.so.1 any more\n");
  REQUIRE(found.symbols.size() == 1);
  CHECK(found.symbols[0] ==
        SymbolChange{
            "a", "libx.so.1", "libx.so.1", {"linux-sbsa", "linux-x86_64"}, {"g@V_2", "i"}, {"g@V_1", "h"}});
  CHECK(text_of(found).ends_with("libraries whose symbols differ: 1\n"
                                 "  a  libx.so.1  +2 -2  linux-sbsa linux-x86_64\n"));
  CHECK(json_of(found).find("\"removed_symbols\": [\n    \"g@V_1\",\n    \"h\"") != std::string::npos);
}

TEST_CASE("of many lost symbols a few are named, and a lost version is named instead of its own") {
  Symbols many{{"libx.so.1", {}}};
  for (char letter = 'a'; letter <= 'z'; ++letter)
    for (const char* const other : {"0", "1", "2", "3", "4"})
      many["libx.so.1"].insert(letter + std::string(other));
  const Difference found = of_symbols(many, {{"libx.so.1", {"b0"}}});
  CHECK(breaks(found) ==
        "symbol-lost: a for linux-sbsa, linux-x86_64 has no a0, a1, a2, a3, a4 and 124 others "
        "in libx.so.1 any more\n");
  const std::string json = json_of(found);
  CHECK(json.find("\"removed\": 129") != std::string::npos);
  CHECK(json.find("\"u0\"") != std::string::npos); // the 100th
  CHECK(json.find("\"u1\"") == std::string::npos);
  CHECK(breaks(
            of_symbols({{"libx.so.1", {"f@V_1", "g@V_1", "h@V_2"}}}, {{"libx.so.1", {"h@V_2", "f", "g"}}})) ==
        "symbol-lost: a for linux-sbsa, linux-x86_64 has no symbols of version V_1 in libx.so.1 any more\n");
}

TEST_CASE("a library with a new soname is compared by the names of its symbols") {
  const Difference found = of_symbols({{"libx.so.11.0", {"f@libx.so.11.0", "g@libx.so.11.0"}}},
                                      {{"libx.so.12", {"f@libx.so.12", "h@libx.so.12"}}});
  CHECK(breaks(found) ==
        "soname-lost: a for linux-sbsa, linux-x86_64 has libx.so.12 in place of libx.so.11.0\n"
        "symbol-lost: a for linux-sbsa, linux-x86_64 has no g in libx.so.12 any more\n");
  CHECK(found.symbols[0].added == std::vector<std::string>{"h"});
}

TEST_CASE("libraries whose symbols were not read are not compared") {
  CHECK(of_symbols({{"libx.so.1", {"f"}}}, {}).symbols.empty());
  Release old_one = with_symbols("1", 'a', {{"libx.so.1", {"f"}}});
  Release new_one = with_symbols("2", 'b', {{"libx.so.1", {"f"}}});
  for (auto& [key, archive] : new_one.packages["a"].archives)
    archive.content->symbols.clear();
  CHECK(difference(renames(), old_one, new_one).symbols.empty());
}
