// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/tree/facts.hpp"
#include "toolchains/document/json.hpp"
#include "toolchains/redist/tree/features.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

namespace {

Binary binary(const std::string& path, const std::string& output, const std::string& soname) {
  Binary one;
  one.path = path;
  one.output = output;
  one.kind = Binary::Kind::library;
  one.machine = "x86_64";
  one.soname = soname;
  return one;
}

InspectedArchive archive() {
  InspectedArchive one{
      "libx", "X", "CUDA Toolkit", "libx/LICENSE.txt", "1.2.3", "linux-x86_64", "", std::string(64, '0'), {}};
  one.contents.files = {{"LICENSE", "out", 3, std::nullopt},
                        {"include/x.h", "include", 5, std::nullopt},
                        {"lib/libx.so.1", "lib", 7, std::nullopt},
                        {"lib/stubs/libcuda.so", "stubs", 1, std::nullopt},
                        {"lib/stubs/libx.so", "stubs", 1, std::nullopt}};
  Binary real = binary("lib/libx.so.1", "lib", "libx.so.1");
  real.needed = {"libc.so.6"};
  real.opened = {"libcuda.so.1", "libnvrtc.so.12"};
  real.machine_code = {{8, 0}, {9, 0, gpus::Capability::Variant::architecture_specific}};
  real.ptx = {{9, 0}};
  real.glibc = "2.17";
  real.runpath = "$ORIGIN";
  one.contents.binaries = {real, binary("lib/stubs/libcuda.so", "stubs", "libcuda.so.1"),
                           binary("lib/stubs/libx.so", "stubs", "libx.so.1")};
  one.contents.headers = {{"include/x.h", {"nv/target"}}};
  return one;
}

/// A value as its text, lists with commas.
std::string at(const document::Value& json, std::initializer_list<const char*> keys) {
  const document::Value* value = &json;
  for (const char* key : keys)
    if (value != nullptr)
      value = value->find(key);
  if (value == nullptr)
    return "none";
  std::string text = value->text;
  for (const document::Value& item : value->items)
    text += (text.empty() ? "" : ",") + item.text;
  return text;
}

} // namespace

TEST_CASE("a feature manifest has what generation 2 has, and more") {
  const auto json = document::parse_json(features_text({archive()}, test::content_facts()));
  REQUIRE(json);
  const document::Value* const entry =
      json->find("libx")->find("packages")->find("linux-x86_64")->find("None");
  REQUIRE(entry != nullptr);
  CHECK(at(*json, {"libx", "releaseInfo", "version"}) == "1.2.3");
  CHECK(at(*json, {"libx", "releaseInfo", "licensePath"}) == "libx/LICENSE.txt");
  CHECK(at(*entry, {"recursiveHash"}) == "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
  CHECK(at(*entry, {"features", "outputs"}) == "out,dev,include,lib,stubs");
  CHECK(at(*entry, {"features", "cudaArchitectures"}) == "sm_80,sm_90a");
  CHECK(at(*entry, {"features", "neededLibs"}) == "libc.so.6");
  CHECK(at(*entry, {"features", "deviceCode", "lib/libx.so.1", "ptx"}) == "compute_90");
  CHECK(at(*entry, {"features", "outputFiles", "stubs", "bytes"}) == "2");
  CHECK(at(*entry, {"features", "outputFiles", "include", "files", "include/x.h"}) == "5");
  CHECK(at(*entry, {"features", "includes", "include/x.h"}) == "nv/target");
  CHECK(at(*entry, {"features", "glibc"}) == "2.17");
  CHECK(at(*entry, {"features", "glibcxx"}) == "none");
  const document::Value& features = *entry->find("features");
  CHECK(at(features.find("openedLibs")->items.at(1), {"package"}) == "cuda_nvrtc");
  CHECK(at(features.find("openedLibs")->items.at(0), {"package"}).empty());
  CHECK(at(features.find("stubs")->items.at(0), {"of"}) == "driver");
  CHECK(at(features.find("stubs")->items.at(1), {"of"}) == "lib/libx.so.1");
}

TEST_CASE("the same archives in another order give the same text") {
  InspectedArchive other = archive();
  other.package = "liba";
  other.variant = "cuda12";
  CHECK(features_text({archive(), other}, test::content_facts()) ==
        features_text({other, archive()}, test::content_facts()));
}

TEST_CASE("an archive with only stubs has no output lib") {
  InspectedArchive one = archive();
  std::erase_if(one.contents.binaries, [](const Binary& each) { return each.output == "lib"; });
  CHECK(outputs_of(one.contents) == std::vector<std::string>{"out", "dev", "include", "stubs"});
}

TEST_CASE("libraries for several CUDA releases have architectures for each") {
  InspectedArchive one = archive();
  one.contents.cuda_directories = {"11", "12"};
  one.contents.binaries[0].path = "lib/12/libx.so.1";
  const auto json = document::parse_json(features_text({one}, test::content_facts()));
  const document::Value& features =
      *json->find("libx")->find("packages")->find("linux-x86_64")->find("None")->find("features");
  CHECK(at(features, {"cudaVersionsInLib"}) == "11,12");
  CHECK(at(features, {"cudaArchitectures", "12"}) == "sm_80,sm_90a");
  CHECK(at(features, {"cudaArchitectures", "11"}).empty());
}

TEST_CASE("hashes have the form of Nix") {
  CHECK(sri_of("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855") ==
        "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
}
