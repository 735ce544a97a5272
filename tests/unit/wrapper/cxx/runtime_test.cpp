// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/cmdline/responses.hpp"
#include "toolchains/cmdline/tokens.hpp"
#include "wrapper/cxx/runtime.hpp"

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::cxx;

namespace {

using Act = Decision::Act;
using Rule = plan::PlanRuntime::Rule;

plan::Plan split_plan() {
  plan::Plan made;
  made.host = {"/opt/gcc-13/bin/g++", "--sysroot=/old"};
  made.link = {"/usr/bin/g++-15"};
  made.host_label = "GCC 13.3.0 (/opt/gcc-13/bin/g++)";
  made.link_label = "GCC 15.1.0 (/usr/bin/g++-15)";
  made.runtimes = {{"sanitize", Rule::cross, "it serves"},
                   {"coverage", Rule::refuse, "the stamps differ"},
                   {"profile", Rule::one_compiler, "the stamps differ"},
                   {"lto", Rule::refuse, "the bytecode differs"}};
  return made;
}

Decision decision(std::string line, const plan::Plan& of = split_plan(),
                  CheckPolicy lto_policy = CheckPolicy::error) {
  const cmdline::ResponseMap none;
  return choose_driver(of, cxx_call(cmdline::split_response(line), none), lto_policy);
}

} // namespace

TEST_CASE("compiles and questions about the compiler go to the host compiler, links to the stdenv") {
  CHECK(decision("-c a.cpp").act == Act::run_host);
  CHECK(decision("--version").act == Act::run_host);
  CHECK(decision("").act == Act::run_host);
  CHECK(decision("a.o -o prog").act == Act::run_link);
  CHECK(decision("-print-search-dirs").act == Act::run_link);
  for (const char* line : {"-c a.cpp", "a.o", "--version", "-print-search-dirs"})
    CHECK(decision(line).message.empty());
}

TEST_CASE("a feature that crosses changes nothing") {
  CHECK(decision("-fsanitize=address -c a.cpp").act == Act::run_host);
  CHECK(decision("-fsanitize=address a.o").act == Act::run_link);
  CHECK(decision("-fopenmp -c a.cpp").act == Act::run_host); // the plan has no rule for it
}

TEST_CASE("a feature that cannot cross is refused at the compile, with the reason and the way out") {
  const Decision refused = decision("-O2 --coverage -c a.cpp");
  CHECK(refused.act == Act::refuse);
  CHECK(refused.message ==
        "--coverage: objects of GCC 13.3.0 (/opt/gcc-13/bin/g++) cannot be linked by GCC 15.1.0 "
        "(/usr/bin/g++-15) with it: the stamps differ");
  CHECK(refused.hint.find("coverage = \"one-compiler\"") != std::string::npos);
  CHECK(decision("-S -flto=auto a.cpp").act == Act::refuse);
}

TEST_CASE("a feature that cannot cross is allowed where no object is made") {
  CHECK(decision("--coverage -E a.cpp").act == Act::run_host);
  CHECK(decision("--coverage -M a.cpp").act == Act::run_host);
  CHECK(decision("--coverage -fsyntax-only a.cpp").act == Act::run_host);
  CHECK(decision("--coverage --version").act == Act::run_host);
}

TEST_CASE("a link may name a feature that cannot cross, for the stdenv's own objects") {
  const Decision linked = decision("-flto=auto --coverage a.o -o prog");
  CHECK(linked.act == Act::run_link);
  CHECK(linked.message.empty());
}

TEST_CASE("under one-compiler the link follows the compile, and says so") {
  CHECK(decision("-fprofile-generate -c a.cpp").act == Act::run_host);
  CHECK(decision("-fprofile-generate -c a.cpp").message.empty());
  const Decision linked = decision("a.o -fprofile-generate");
  CHECK(linked.act == Act::run_host);
  CHECK(linked.message ==
        "-fprofile-generate: linked by GCC 13.3.0 (/opt/gcc-13/bin/g++), with its libstdc++, because "
        "profile = \"one-compiler\"");
}

TEST_CASE("a refusal outranks one-compiler at the compile") {
  CHECK(decision("-fprofile-generate -flto -c a.cpp").act == Act::refuse);
}

TEST_CASE("a refusal of link-time code follows its policy, others do not") {
  const Decision warned = decision("-flto -c a.cpp", split_plan(), CheckPolicy::warn);
  CHECK(warned.act == Act::run_host);
  CHECK(warned.message.starts_with("-flto: objects of GCC 13.3.0"));
  CHECK_FALSE(warned.without_lto);
  CHECK(decision("-flto -c a.cpp", split_plan(), CheckPolicy::off).message.empty());
  CHECK(decision("-flto -c a.cpp", split_plan(), CheckPolicy::off).act == Act::run_host);
  CHECK(decision("--coverage -flto -c a.cpp", split_plan(), CheckPolicy::off).act == Act::refuse);
}

TEST_CASE("where it is dropped, the host compiler makes machine code alone, and says so") {
  plan::Plan dropping = split_plan();
  dropping.runtimes.back().rule = Rule::drop;
  const Decision dropped = decision("-O2 -flto=auto -c a.cpp", dropping);
  CHECK(dropped.act == Act::run_host);
  CHECK(dropped.message == "-flto=auto: not passed to GCC 13.3.0 (/opt/gcc-13/bin/g++), because "
                           "on-mismatch = \"drop\": the bytecode differs");
  const char* const arguments[] = {"-flto=auto", "-c", "a.cpp"};
  const auto argv = exec_arguments(dropping, dropped, arguments);
  REQUIRE(argv.size() == 7);
  CHECK(std::string(argv[5]) == "-fno-lto");
  CHECK(argv[6] == nullptr);
  CHECK(decision("-c a.cpp", dropping).message.empty());
  CHECK(decision("-flto -E a.cpp", dropping).message.empty());
  CHECK(decision("-flto a.o", dropping).act == Act::run_link); // the stdenv's own objects may have it
  CHECK(decision("-flto --coverage -c a.cpp", dropping).act == Act::refuse);
}

TEST_CASE("links get the plan's last arguments after the caller's, compiles do not") {
  plan::Plan plan = split_plan();
  plan.link_last = {"-lmpi"};
  const char* const objects[] = {"a.o"};
  const auto link = exec_arguments(plan, decision("a.o", plan), objects);
  REQUIRE(link.size() >= 3);
  CHECK(std::string(link[link.size() - 3]) == "a.o");
  CHECK(std::string(link[link.size() - 2]) == "-lmpi");
  const char* const sources[] = {"-c", "a.cpp"};
  const auto compile = exec_arguments(plan, decision("-c a.cpp", plan), sources);
  CHECK(std::string(compile[compile.size() - 2]) == "a.cpp");
}

TEST_CASE("links by the host compiler get what the stdenv's wrapper adds") {
  plan::Plan plan = split_plan();
  plan.host_link_last = {"-lmpi"};
  for (plan::PlanRuntime& runtime : plan.runtimes)
    runtime.rule = plan::PlanRuntime::Rule::one_compiler;
  const char* const objects[] = {"--coverage", "a.o"};
  const auto link = exec_arguments(plan, decision("--coverage a.o", plan), objects);
  REQUIRE(link.size() >= 3);
  CHECK(std::string(link.front()) == plan.host.front());
  CHECK(std::string(link[link.size() - 2]) == "-lmpi");
  const char* const sources[] = {"--coverage", "-c", "a.cpp"};
  const auto compile = exec_arguments(plan, decision("--coverage -c a.cpp", plan), sources);
  CHECK(std::string(compile[compile.size() - 2]) == "a.cpp");
}

TEST_CASE("without rules, as with one compiler for both, nothing is refused") {
  plan::Plan one = split_plan();
  one.runtimes.clear();
  CHECK(decision("--coverage -flto -c a.cpp", one).act == Act::run_host);
  CHECK(decision("--coverage -flto a.o", one).act == Act::run_link);
}

TEST_CASE("nvcc's registration stub is compiled without what cannot cross, and by GCC never with -flto") {
  const char* const arguments[] = {"-c",
                                   "-DFATBINFILE=\"a\"",
                                   "-DREGISTERLINKBINARYFILE=\"b\"",
                                   "--coverage",
                                   "-flto=auto",
                                   "-fsanitize=address",
                                   "-fprofile-generate",
                                   "-include",
                                   "-flto",
                                   "link.stub"};
  const std::vector<std::string_view> words(std::begin(arguments), std::end(arguments));
  CHECK(cxx_call(words, cmdline::ResponseMap()).registration);
  CHECK_FALSE(
      cxx_call(std::vector<std::string_view>{words[0], words[1]}, cmdline::ResponseMap()).registration);
  const auto kept = [&](const plan::Plan& plan) {
    std::string text;
    for (const char* const word : stub_arguments(plan, arguments))
      text.append(text.empty() ? "" : " ").append(word);
    return text;
  };
  const std::string head = "-c -DFATBINFILE=\"a\" -DREGISTERLINKBINARYFILE=\"b\" ";
  const std::string tail = "-fsanitize=address -fprofile-generate -include -flto link.stub";
  CHECK(kept(split_plan()) == head + tail);
  plan::Plan one = split_plan();
  one.runtimes.clear();
  one.family = "clang";
  CHECK(kept(one) == head + "--coverage -flto=auto " + tail);
  one.family = "gcc";
  CHECK(kept(one) == head + "--coverage " + tail);
}

TEST_CASE("a link is proven unless nothing is known of what it makes, or nobody wants to know") {
  plan::Plan made = split_plan();
  const cmdline::ResponseMap none;
  const std::string_view link[] = {"a.o"}, rooted[] = {"a.o", "--sysroot=/other"};
  CHECK(reason_not_verified(made, cxx_call(link, none)).find("loader") != std::string_view::npos);
  made.loader = "/lib64/ld-linux-x86-64.so.2";
  made.link_proof = CheckPolicy::warn;
  CHECK(reason_not_verified(made, cxx_call(link, none)).empty());
  CHECK(reason_not_verified(made, cxx_call(rooted, none)).find("--sysroot") != std::string_view::npos);
  made.loader_root = "/other"; // the one that the binding is for
  CHECK(reason_not_verified(made, cxx_call(rooted, none)).empty());
  made.link_proof = CheckPolicy::off;
  CHECK(reason_not_verified(made, cxx_call(link, none)).find("off") != std::string_view::npos);
}

TEST_CASE("the executed arguments are the command's own, then the caller's byte for byte") {
  std::mt19937 random(20261121); // NOLINT(cert-msc51-cpp): the same every time
  const std::array<const char*, 12> pieces = {
      "-c", "-o", "", "a b", "'", "\"", "\\", "@x", "-Wl,-rpath,$ORIGIN", "\xff", "\n", "--"};
  const plan::Plan made = split_plan();
  for (int round = 0; round < 500; ++round) {
    std::vector<std::string> words(random() % 40);
    for (std::string& word : words)
      for (auto parts = random() % 4; parts > 0; --parts)
        word += pieces[random() % pieces.size()];
    std::vector<const char*> arguments;
    for (const std::string& word : words)
      arguments.push_back(word.c_str());
    for (const Act act : {Act::run_host, Act::run_link}) {
      const auto& command = act == Act::run_link ? made.link : made.host;
      const std::vector<const char*> argv = exec_arguments(made, {act, {}, {}, false}, arguments);
      REQUIRE(argv.size() == command.size() + words.size() + 1);
      for (std::size_t i = 0; i < command.size(); ++i)
        REQUIRE(argv[i] == command[i]);
      for (std::size_t i = 0; i < words.size(); ++i)
        REQUIRE(std::strcmp(argv[command.size() + i], words[i].c_str()) == 0);
      REQUIRE(argv.back() == nullptr);
    }
  }
}
