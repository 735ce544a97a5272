// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "tests/unit/toolchains/judge/samples.hpp"
#include "tests/unit/wrapper/setup/suites.hpp"
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

/// Nothing is known of any toolkit's headers.
struct NoHeaders : HeaderProbe {
  std::vector<Result<std::string>> ask(std::span<const ProbeCall> calls) const override {
    return {calls.size(), failure("nothing is read")};
  }
};

/// The plan for a machine without a C++ compiler.
Planned<Plan> planned(
    Suites suites, const Asked& asked, const Environment& environment = Environment(),
    const WheelMaker& wheels = [] { return Result<Piece>(failure("no wheels")); }) {
  const test::FakeFiles files;
  const HostProcesses processes;
  const Config config;
  const NoHeaders headers;
  const SurveyInputs inputs{environment, files, processes, config, shipped_table(), headers};
  const Survey survey{{},
                      {},
                      failure("none"),
                      failure("there is no C++ compiler: PATH has none", "install g++"),
                      failure("none"),
                      failure("none"),
                      {},
                      {},
                      {}};
  return make_plan(
      survey, inputs, asked, [&] { return Result<PackageClient*>(&suites); },
      [](const std::string&) { return Result<std::string>(failure("no lock")); }, wheels);
}

} // namespace

TEST_CASE("without a C++ compiler the default one of the machine's own suite is the stdenv") {
  Asked asked;
  asked.directory = "/d";
  asked.suites = {"sid"};
  for (const auto& [own, stdenv, compiler, headers] :
       {std::tuple("bookworm", "GCC 12.1.0", "GCC 11.1.0", "stdenv"),
        {"trixie", "GCC 14.1.0", "GCC 13.1.0", "piece"}}) {
    const auto plan = planned(debian(own), asked);
    REQUIRE_MESSAGE(plan, plan.error().message);
    const Piece* const made = plan->piece(Piece::Kind::stdenv);
    REQUIRE(made != nullptr);
    CHECK(title(*made) == stdenv);
    CHECK(made->suite == own);
    CHECK(made->why.starts_with("there is no C++ compiler; programs that it links run with this machine's "));
    CHECK(plan->stdenv.starts_with(stdenv));
    REQUIRE(plan->piece(Piece::Kind::compiler) != nullptr);
    CHECK(title(*plan->piece(Piece::Kind::compiler)) == compiler);
    CHECK(plan->piece(Piece::Kind::compiler)->headers == headers);
  }
}

TEST_CASE("a stdenv that fits the toolkit compiles for it too") {
  Asked asked;
  asked.directory = "/d";
  asked.cuda = Version{12, 4, 0};
  const auto plan = planned(debian("bookworm"), asked);
  REQUIRE_MESSAGE(plan, plan.error().message);
  CHECK(driver_of(*plan->piece(Piece::Kind::stdenv), "/d") == "/d/stdenv/bin/g++-12");
  CHECK(plan->piece(Piece::Kind::compiler) == nullptr);
  asked.family = Family::gcc, asked.major = 11;
  CHECK(planned(debian("bookworm"), asked)->piece(Piece::Kind::compiler)->headers == "stdenv");
}

TEST_CASE("no stdenv is fetched in place of one that is named, nor where it could not link for the machine") {
  const auto named = planned(debian("bookworm"), {}, Environment(Environment::Variables{{"CXX", "g++-99"}}));
  REQUIRE_FALSE(named);
  CHECK(named.error().message == "there is no C++ compiler: PATH has none");
  Suites others = debian("bookworm");
  others.has_stdenv = false;
  const auto refused = planned(others, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().nothing_fits);
  CHECK(refused.error().hint.find("ask for gcc-c++ to be installed") != std::string::npos);
  Asked clang;
  clang.family = Family::clang, clang.major = 17;
  CHECK(planned(debian("bookworm"), clang).error().hint.starts_with("leave out --clang"));
}

TEST_CASE("wheels are the toolkit where the distribution has none of the release") {
  Piece piece;
  piece.suite = "wheels";
  piece.version = {13, 0, 88};
  const auto found = [&] { return Result<Piece>(piece); };
  Asked asked;
  asked.cuda = Version{13, 0, 0};
  const auto plan = planned(debian("bookworm"), asked, Environment(), found);
  REQUIRE_MESSAGE(plan, plan.error().message);
  REQUIRE(plan->piece(Piece::Kind::toolkit) != nullptr);
  CHECK(plan->piece(Piece::Kind::toolkit)->suite == "wheels");
  const auto none = planned(debian("bookworm"), asked);
  REQUIRE_FALSE(none);
  CHECK(none.error().message.starts_with("CUDA 13.0 is in no suite"));
  CHECK(none.error().message.ends_with("\n  wheels  no wheels"));
  asked.cuda = Version{12, 4, 0};
  CHECK(planned(debian("bookworm"), asked, Environment(), found)->piece(Piece::Kind::toolkit)->suite ==
        "trixie");
  asked.cuda = Version{12, 9, 0}; // whose wheels have no nvcc
  CHECK_FALSE(planned(debian("bookworm"), asked, Environment(), found));
  Suites bare = debian("bookworm"); // who names no release gets the error of the distribution
  bare.offers.resize(1);
  bare.offers.front().toolkit.reset();
  CHECK_FALSE(planned(bare, {}, Environment(), found));
  asked.cuda = Version{13, 0, 0};
  asked.source = Source::distribution;
  CHECK_FALSE(planned(debian("bookworm"), asked, Environment(), found));
}

TEST_CASE("a suite that is named has to exist") {
  Asked asked;
  asked.suites = {"nosuchsuite"};
  const auto plan = planned(debian("bookworm"), asked);
  REQUIRE_FALSE(plan);
  CHECK(plan.error().message.starts_with("the suite nosuchsuite that --suite names cannot be used"));
}

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
