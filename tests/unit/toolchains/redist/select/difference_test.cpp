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
  CHECK(text_of(found) == "cuda 1 -> cuda 2\nto fetch: 2 of 4 archives, 2.0 kB of 4.0 kB (50 %)\n"
                          "packages that differ: 1\n  b  1 -> 2  2.0 kB\n");
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
  const auto json = parse_json(text);
  REQUIRE(json);
  CHECK(json->find("breaks")->items.at(0).find("kind")->text == "platform-lost");
  CHECK(json->find("breaks")->items.at(0).find("platform")->text == "linux-x86_64");
  CHECK(json->find("packages")->items.at(0).find("lost_platforms")->items.at(0).text == "linux-x86_64");
  CHECK(json->find("bytes")->text == "1000");
}
