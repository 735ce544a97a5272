// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/judge/samples.hpp"
#include "tests/unit/wrapper/setup/suites.hpp"
#include "wrapper/setup/choice.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::setup;

namespace {

ChosenToolkit cuda(const Version& version) {
  ChosenToolkit chosen;
  chosen.toolkit.version = version;
  chosen.acceptance = *documented_acceptance(version, shipped_table());
  return chosen;
}

Planned<OfferedCompiler> chosen(Suites& suites, const Compiler& stdenv, const Version& toolkit,
                                const Asked& asked = {}) {
  return choose_compiler(suites, asked, stdenv, cuda(toolkit), shipped_table(), {});
}

} // namespace

TEST_CASE("the toolkit comes from the first suite that has the release") {
  Suites suites = debian("bookworm");
  CHECK(choose_toolkit(suites, {})->suite.suite == "bookworm");
  Asked asked;
  asked.cuda = Version{12, 4, 0};
  CHECK(choose_toolkit(suites, asked)->suite.suite == "trixie");
  asked.cuda = Version{12, 9, 0};
  const auto none = choose_toolkit(suites, asked);
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("CUDA 12.9 is in no suite") != std::string::npos);
  CHECK(none.error().nothing_fits);
  CHECK(none.error().message.find("bookworm  CUDA 11.8.89") != std::string::npos);
}

TEST_CASE("a suite that cannot be read is named with its reason, and others are used") {
  Suites suites = debian("bookworm");
  suites.broken = "bookworm";
  CHECK(choose_toolkit(suites, {})->suite.suite == "trixie");
  Asked asked;
  asked.cuda = Version{12, 9, 0};
  const auto none = choose_toolkit(suites, asked);
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("bookworm  there is no network") != std::string::npos);
  CHECK(none.error().hint == "connect it");
  CHECK(none.error().kind != ErrorKind::unavailable); // nothing comes from elsewhere either
  CHECK_FALSE(none.error().nothing_fits);             // it may have one
}

TEST_CASE("where there is one suite, the hint names none") {
  Suites suites = debian("bookworm");
  suites.offers.resize(1);
  Asked asked;
  asked.family = Family::gcc;
  asked.major = 10;
  const auto none = chosen(suites, gcc({12, 2, 0}), {11, 8, 89}, asked);
  REQUIRE_FALSE(none);
  CHECK(none.error().hint == "configure a repository on this machine that has it");
  CHECK(none.error().kind == ErrorKind::unavailable);
  CHECK(none.error().nothing_fits);
}

TEST_CASE("the compiler is the newest of the first suite that fits toolkit and stdenv") {
  Suites suites = debian("bookworm");
  const auto first = chosen(suites, gcc({12, 2, 0}), {11, 8, 89});
  REQUIRE(first);
  CHECK(first->suite.suite == "bookworm");
  CHECK(first->compiler.major == 11);
  CHECK(first->headers == "machine");
}

TEST_CASE("C library headers that clash with the toolkit are replaced by those of an older suite") {
  Suites suites = debian("trixie");
  const auto found = chosen(suites, compiler(Family::gcc, {14, 2, 0}, {2, 41, 0}), {12, 4, 131});
  REQUIRE(found);
  CHECK(found->suite.suite == "trixie");
  CHECK(found->compiler.major == 13);
  CHECK(found->headers == "piece");
  REQUIRE(found->c_suite);
  CHECK(found->c_suite->suite == "bookworm");
}

TEST_CASE("with only GCC 16 the compiler comes from the same suite, with older headers") {
  Suites suites = debian("sid");
  const auto found = chosen(suites, compiler(Family::gcc, {16, 1, 0}, {2, 43, 0}), {12, 4, 131});
  REQUIRE(found);
  CHECK(found->suite.suite == "sid");
  CHECK(found->compiler.major == 13);
  CHECK(found->headers == "piece");
  CHECK(found->c_suite->suite == "bookworm");
}

TEST_CASE("headers that were compared with a toolkit that is there count more than the table") {
  Suites suites = debian("trixie");
  const Compiler stdenv = compiler(Family::gcc, {14, 2, 0}, {2, 41, 0});
  ChosenToolkit toolkit = cuda({13, 0, 88});
  toolkit.acceptance.libcs = {{stdenv.c_headers, libcs({12, 4, 0})[2].clashes}};
  const auto found = choose_compiler(suites, {}, stdenv, toolkit, shipped_table(), {});
  REQUIRE(found);
  CHECK(found->headers == "piece");
}

TEST_CASE("a compiler that the user asks for may be newer than the stdenv, and has to fit the toolkit") {
  Suites suites = debian("bookworm");
  Asked asked;
  asked.family = Family::gcc;
  asked.major = 13;
  const auto newer = chosen(suites, gcc({12, 2, 0}), {12, 4, 131}, asked);
  REQUIRE(newer);
  CHECK(newer->suite.suite == "trixie");
  asked.major = 14;
  const auto refused = chosen(suites, gcc({12, 2, 0}), {12, 4, 131}, asked);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "GCC 14 does not fit CUDA 12.4 (wants GCC 6-13 or Clang 7-17)");
  CHECK(refused.error().nothing_fits);
}

TEST_CASE("without a compiler that fits, the error has what each suite offers") {
  Suites suites = debian("bookworm");
  Asked asked;
  asked.family = Family::gcc;
  asked.major = 8;
  const auto none = chosen(suites, gcc({12, 2, 0}), {12, 4, 131}, asked);
  REQUIRE_FALSE(none);
  CHECK(none.error().message.find("no suite has GCC 8 that fits CUDA 12.4") != std::string::npos);
  CHECK(none.error().message.find("bookworm  GCC 11, GCC 12") != std::string::npos);
}

TEST_CASE("a release that the tables do not have needs a named compiler") {
  CHECK_FALSE(documented_acceptance({99, 0, 0}, shipped_table()));
  CHECK(documented_acceptance({12, 4, 131}, shipped_table()));
}

TEST_CASE("of compilers that are there, the one that bind would select is used") {
  const ChosenToolkit toolkit = cuda({12, 4, 131});
  const auto judged = [&](const Compiler& each) {
    return judge(each, toolkit.toolkit, toolkit.acceptance, shipped_table());
  };
  const std::vector<Judgement> here{judged(gcc({14, 2, 0})), judged(gcc({13, 3, 0})),
                                    judged(clang({17, 0, 6}))};
  const auto own = usable_compiler(gcc({14, 2, 0}), here, toolkit, {}, {});
  REQUIRE(own);
  CHECK(own->compiler.version.major == 13);
  Asked asked;
  asked.family = Family::clang;
  asked.major = 17;
  CHECK(usable_compiler(gcc({14, 2, 0}), here, toolkit, asked, {})->compiler.family == Family::clang);
  asked.major = 16;
  CHECK_FALSE(usable_compiler(gcc({14, 2, 0}), here, toolkit, asked, {}));
  CHECK_FALSE(usable_compiler(gcc({14, 2, 0}), {here.front()}, toolkit, {}, {}));
}
