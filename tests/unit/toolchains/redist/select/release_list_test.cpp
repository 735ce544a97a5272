// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/select/release_list.hpp"

#include <doctest/doctest.h>

using namespace hostpin::redist;

namespace {

const std::string base = "https://example.org/cudnn/";
const std::string hash =
    "sha256-oWfQ3lq2aoMPv65THeotnMilTzP+QWqKeToLU8eO+qo="; // Nixpkgs: TensorRT 8.2.5.1 for linux-sbsa

ListedRelease release(const std::string& platform, const std::string& version, const std::string& min,
                      const std::string& max, const std::string& location) {
  const Position at{1, 1};
  return {platform, {version, at}, {min, at}, {max, at}, {}, {location, at}, false, {hash, at}, at};
}

Releases list() {
  return {"l.json",
          "cudnn",
          {release("linux-x86_64", "8.9.7.29", "11.0", "11.8", base + "x/8.9.7.29"),
           release("linux-x86_64", "9.3.0.75", "12.0", "12.6", base + "x/9.3.0.75"),
           release("linux-sbsa", "9.3.0.75", "12.0", "12.6", base + "s/9.3.0.75"),
           release("linux-x86_64", "9.10.2.21", "12.0", "12.9", base + "x/9.10.2.21")}};
}

std::string chosen(const Releases& releases, const ReleaseWish& wish) {
  const auto found = newest_release(releases, std::string(64, 'a'), wish);
  if (!found)
    return found.error().message + " | " + found.error().hint;
  std::string text = found->manifest.label.value;
  for (const Archive& archive : found->manifest.packages.at(0).archives)
    text += ' ' + archive.path.value;
  return text;
}

} // namespace

TEST_CASE("of a list the newest release for the CUDA release and all platforms is taken") {
  CHECK(chosen(list(), {"12.4.1", {"linux-x86_64"}, base, false}) == "9.10.2.21 x/9.10.2.21");
  CHECK(chosen(list(), {"12", {"linux-x86_64"}, base, false}) == "9.10.2.21 x/9.10.2.21");
  CHECK(chosen(list(), {"12.4.1", {"linux-x86_64", "linux-sbsa"}, base, false}) ==
        "9.3.0.75 x/9.3.0.75 s/9.3.0.75");
  CHECK(chosen(list(), {"11.8", {"linux-x86_64"}, base, false}) == "8.9.7.29 x/8.9.7.29");
  CHECK(chosen(list(), {"", {"linux-sbsa"}, base, false}) == "9.3.0.75 s/9.3.0.75");
}

TEST_CASE("a hash of a list is that of the archive, and its digest is the list's") {
  const auto found = newest_release(list(), std::string(64, 'a'), {"12.4.1", {"linux-sbsa"}, base, false});
  REQUIRE(found);
  CHECK(found->sha256 == std::string(64, 'a'));
  CHECK(found->manifest.packages[0].archives[0].sha256.value ==
        "a167d0de5ab66a830fbfae531dea2d9cc8a54f33fe416a8a793a0b53c78efaaa");
}

TEST_CASE("if no release fits, the error names those for some of the platforms") {
  CHECK(chosen(list(), {"12.9", {"linux-x86_64", "linux-sbsa"}, base, false}) ==
        "l.json: no release is for linux-x86_64, linux-sbsa and CUDA 12.9 | for some of the platforms there "
        "are "
        "9.10.2.21");
  CHECK(
      chosen(list(), {"13.0", {"linux-x86_64"}, base, false}) ==
      "l.json: no release is for linux-x86_64 and CUDA 13.0 | name another CUDA release or other platforms");
}

TEST_CASE("a file name is below a base that is named, and a URL elsewhere is an error") {
  Releases names = list();
  names.releases[1].location.value = "T.tar.gz";
  names.releases[1].is_file_name = true;
  names.releases.pop_back();
  CHECK(chosen(names, {"12.4", {"linux-x86_64"}, base, true}) == "9.3.0.75 T.tar.gz");
  CHECK(chosen(names, {"12.4", {"linux-x86_64"}, base, false}) ==
        "l.json: where T.tar.gz is published is not known | name the URL of its directory with --base "
        "cudnn=URL");
  CHECK(chosen(list(), {"12.4", {"linux-x86_64"}, "https://other.example/", false})
            .starts_with("l.json: where https://example.org/cudnn/x/9.10.2.21 is published is not known"));
}
