// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/setup/planning.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::setup;

namespace {

std::string lock(const std::string& package) {
  redist::Lock made;
  const std::string digest(64, 'a');
  made.manifests.push_back({"cuda", "12.4.1", "2024-04-16", digest, "https://example.org/"});
  made.archives.push_back({"cuda",
                           "12.4.1",
                           package,
                           "12.4.131",
                           "linux-x86_64",
                           {},
                           "CUDA Toolkit",
                           package + "/linux-x86_64/a.tar.xz",
                           digest,
                           17,
                           {}});
  return redist::lock_text(made);
}

} // namespace

TEST_CASE("a lock with an nvcc for this machine is a toolkit to fetch") {
  const auto piece = redist_piece(lock("cuda_nvcc"), "my.lock", "linux-x86_64");
  REQUIRE(piece);
  CHECK(title(*piece) == "CUDA 12.4.131");
  CHECK(piece->license == "NVIDIA CUDA EULA");
  REQUIRE(piece->packages.size() == 1);
  CHECK(piece->packages[0].file == "cuda_nvcc/linux-x86_64/a.tar.xz");
  CHECK(piece->packages[0].address == "https://example.org/cuda_nvcc/linux-x86_64/a.tar.xz");
  CHECK(bytes_of(*piece) == 17);
}

TEST_CASE("a lock without an nvcc for this machine is refused") {
  const auto none = redist_piece(lock("cuda_cudart"), "my.lock", "linux-x86_64");
  REQUIRE_FALSE(none);
  CHECK(none.error().message == "my.lock has no cuda_nvcc for linux-x86_64");
  CHECK_FALSE(redist_piece(lock("cuda_nvcc"), "my.lock", "linux-sbsa"));
  CHECK_FALSE(redist_piece("text", "my.lock", "linux-x86_64"));
}

TEST_CASE("a toolkit that is here is used unless the user names a source or another release") {
  Survey survey{{}, {}, failure("none"), failure("none"), failure("none"), failure("none"), {}, {}, {}};
  Asked asked;
  CHECK_FALSE(present_toolkit(survey, asked));
  Toolkit old, current;
  old.version = {12, 4, 131}, old.root = "/old";
  current.version = {13, 0, 88}, current.root = "/new";
  survey.toolkits.toolkits = {current, old};
  survey.toolkit = current;
  CHECK(present_toolkit(survey, asked)->root == "/new");
  asked.cuda = Version{12, 4, 0};
  CHECK(present_toolkit(survey, asked)->root == "/old");
  asked.source = Source::distribution;
  CHECK_FALSE(present_toolkit(survey, asked));
}

TEST_CASE("a compiler that no client brings is named with the commands of other sources") {
  const Environment no_programs(Environment::Variables{{"PATH", "/nonexistent"}});
  const Error error =
      with_other_sources({"none", "name another suite"}, {Family::gcc, 13, "x86_64", "/d"}, no_programs);
  CHECK(error.message == "none");
  CHECK(error.hint.starts_with("name another suite; or take GCC 13 from elsewhere, and bind it:\n"
                               "  # conda-forge\n"
                               "  micromamba create --yes --prefix /d/conda "));
  CHECK(error.hint.find("\n  # Nix\n  nix-build ") != std::string::npos);
  CHECK(error.hint.ends_with("/bin/g++\" /d/toolchain"));
  CHECK(with_other_sources({"none", ""}, {Family::clang, 17, "x86_64", "/d"}, no_programs)
            .hint.starts_with("take Clang 17 from elsewhere, and bind it:\n"));
}
