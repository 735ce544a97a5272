// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/shipped_data.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/table/table.hpp"
#include "wrapper/setup/choice.hpp"
#include "wrapper/setup/redist_choice.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::setup;

namespace {

using Names = std::vector<std::string>;

Asked asked(std::optional<Version> cuda, Names libraries = {}, std::string path = {}) {
  Asked made;
  made.source = Source::redist;
  made.cuda = cuda;
  made.libraries = std::move(libraries);
  made.path = std::move(path);
  return made;
}

redist::Facts facts() {
  auto read = redist::load_facts(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE(read);
  return *std::move(read);
}

constexpr const char* nvidia = "https://developer.download.nvidia.com/compute/cuda/redist/redistrib_";

} // namespace

TEST_CASE("a release is that of its newest manifest, a label that manifest") {
  CHECK(redist_choice(facts(), asked(Version{12, 4, 0}))->manifest == nvidia + std::string("12.4.1.json"));
  CHECK(redist_choice(facts(), asked(Version{11, 8, 0}))->manifest == nvidia + std::string("11.8.0.json"));
  CHECK(redist_choice(facts(), asked(Version{12, 6, 2}))->manifest == nvidia + std::string("12.6.2.json"));
  CHECK(redist_choice(facts(), asked(Version{12, 4, 131}))->manifest == nvidia + std::string("12.4.1.json"));
  const auto unknown = redist_choice(facts(), asked(Version{11, 3, 0}));
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message.find("CUDA 11.3 is not in the tables") != std::string::npos);
}

TEST_CASE("without a release the newest is taken, and the table of compilers has it") {
  const auto newest = redist_choice(facts(), asked({}));
  REQUIRE(newest);
  CHECK(newest->manifest == nvidia + facts().newest.back().label + ".json");
  const auto table = load_table(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE(table);
  for (const redist::Newest& each : facts().newest)
    CHECK(documented_acceptance(*parse_version(each.label), *table));
}

TEST_CASE("packages have the names of their release") {
  const Names old{"cuda_nvcc", "cuda_cudart", "cuda_cccl", "cuda_nvrtc"};
  CHECK(redist_choice(facts(), asked(Version{12, 4, 0}))->packages == old);
  const Names split{"cuda_nvcc", "cuda_crt",    "cuda_culibos", "libnvptxcompiler",
                    "libnvvm",   "cuda_cudart", "cuda_cccl",    "cuda_nvrtc"};
  CHECK(redist_choice(facts(), asked(Version{13, 0, 0}))->packages == split);
}

TEST_CASE("a library brings what it needs, once") {
  const auto of = [](Version cuda, Names libraries) {
    Names packages = redist_choice(facts(), asked(cuda, std::move(libraries)))->packages;
    packages.erase(packages.begin(), packages.begin() + 4);
    return packages;
  };
  CHECK(of({12, 4, 0}, {"cublas"}) == Names{"libcublas"});
  CHECK(of({12, 4, 0}, {"cusolver", "cublas"}) ==
        Names{"libcusolver", "libcublas", "libcusparse", "libnvjitlink"});
  CHECK(of({11, 8, 0}, {"cusparse"}) == Names{"libcusparse"}); // there was no nvJitLink
  const auto unknown = redist_choice(facts(), asked(Version{12, 4, 0}, {"blas"}));
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message == "--libraries: there is no library 'blas'");
  CHECK(unknown.error().hint.starts_with("there are cublas, cufft, "));
}

TEST_CASE("libraries of a release are packages without those of the toolkit") {
  CHECK(library_packages(facts(), {"cusparse", "cublas"}, {12, 4, 131}) ==
        Names{"libcusparse", "libnvjitlink", "libcublas"});
  CHECK(library_packages(facts(), {"cusparse"}, {11, 8, 89}) == Names{"libcusparse"});
  CHECK_FALSE(library_packages(facts(), {"blas"}, {12, 4, 131}));
}

TEST_CASE("a manifest can be named by its address") {
  const std::string url = "http://mirror/cuda/redistrib_13.0.1.json";
  const auto choice = redist_choice(facts(), asked({}, {}, url));
  REQUIRE(choice);
  CHECK(choice->manifest == url);
  CHECK(choice->packages.size() == 8);
  CHECK_FALSE(redist_choice(facts(), asked({}, {}, "http://mirror/cuda/")));
}
