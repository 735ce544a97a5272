// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/setup/packages.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace hostpin::setup {

/// Suites in a list, the machine's own first. Each package is a file of one megabyte.
class Suites final : public PackageClient {
public:
  std::vector<SuiteOffer> offers;
  std::string broken; ///< a suite that cannot be read
  bool has_stdenv = true;

  std::string name() const override { return "apt-get"; }
  bool brings_stdenv() const override { return has_stdenv; }
  std::vector<std::string> suites() const override {
    std::vector<std::string> names;
    for (const SuiteOffer& each : offers)
      names.push_back(each.suite);
    return names;
  }
  Result<SuiteOffer> offer(const std::string& suite) override {
    for (const SuiteOffer& each : offers)
      if (each.suite == suite && suite != broken)
        return each;
    return failure("there is no network\nfor " + suite, "connect it");
  }
  Result<std::vector<Package>> closure(const std::string& suite,
                                       std::span<const std::string> names) override {
    auto files = only(suite, names);
    files->push_back(
        {"libc6", "1", "amd64", "libc6.deb", "http://mirror/libc6.deb", std::string(64, 'c'), 1});
    return files;
  }
  Result<std::vector<Package>> only(const std::string&, std::span<const std::string> names) override {
    std::vector<Package> files;
    for (const std::string& each : names)
      files.push_back({each, "1", "amd64", each + ".deb", "http://mirror/" + each + ".deb",
                       std::string(64, 'a'), 1'000'000});
    return files;
  }
  Result<void> fetch(const std::string&, std::span<const Package>, const std::string&, Progress&) override {
    return failure("nothing can be fetched here");
  }
};

/// Debian's suites as they are, in the order of a machine of `own`.
inline Suites debian(const std::string& own) {
  const auto suite = [](std::string name, Version glibc, std::vector<int> gccs, Version cuda) {
    SuiteOffer offer{name, "Debian (" + name + ')', glibc, {}, {}};
    for (const int major : gccs)
      offer.compilers.push_back({Family::gcc, major, "g++-" + std::to_string(major), {major, 1, 0}});
    offer.main = offer.compilers.back();
    if (cuda != Version{})
      offer.toolkit = ToolkitOffer{cuda, {"nvidia-cuda-toolkit"}, "NVIDIA CUDA EULA"};
    return offer;
  };
  Suites suites;
  suites.offers = {suite("bookworm", {2, 36, 0}, {11, 12}, {11, 8, 89}),
                   suite("trixie", {2, 41, 0}, {12, 13, 14}, {12, 4, 131}),
                   suite("sid", {2, 43, 0}, {11, 12, 13, 14, 15, 16}, {12, 4, 131})};
  const auto first = std::ranges::find(suites.offers, own, &SuiteOffer::suite);
  std::rotate(suites.offers.begin(), first, first + 1);
  return suites;
}

} // namespace hostpin::setup
