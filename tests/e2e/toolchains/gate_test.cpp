// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/process.hpp"
#include "toolchains/gate/gate.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

/// A toolkit's header of our own making in a place that is gone afterwards, with a space in its name.
class Header {
public:
  explicit Header(const std::string& text) {
    std::string name = (std::filesystem::temp_directory_path() / "hostpin gate.XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    root_ = name;
    std::filesystem::create_directories(root_ + "/include/crt");
    write("crt/host_config.h", text);
  }
  Header(const Header&) = delete;
  Header& operator=(const Header&) = delete;
  ~Header() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ + "/include/" + name) << text;
  }

  Toolkit toolkit() const {
    Toolkit toolkit;
    toolkit.root = root_;
    toolkit.version = {12, 4, 131};
    toolkit.host_config = root_ + "/include/crt/host_config.h";
    toolkit.include_directories = {root_ + "/include"};
    return toolkit;
  }

private:
  std::string root_;
};

/// Those of the plain names that are there.
std::vector<Compiler> evaluators() {
  std::vector<Compiler> compilers;
  const std::pair<const char*, Family> drivers[] = {{"g++", Family::gcc}, {"clang++", Family::clang}};
  for (const auto& [driver, family] : drivers) {
    Command command;
    command.argv = {driver, "--version"};
    if (!HostProcesses().run({&command, 1}).at(0).ok()) {
      MESSAGE("skipped: no " << driver << " on PATH");
      continue;
    }
    compilers.emplace_back();
    compilers.back().command = {driver};
    compilers.back().family = family;
  }
  REQUIRE_FALSE(compilers.empty());
  return compilers;
}

constexpr const char* checks = R"(
#if defined(__CUDACC__) && !__NV_NO_HOST_COMPILER_CHECK
#if __GNUC__ > 13
#error -- too new
#endif
#if defined(__clang__) && !defined(__HORIZON__) && (__clang_major__ >= 18 || __clang_major__ < 4)
#error -- too new or too old
#endif
#ifdef __HORIZON__
#error -- another vendor's branch
#endif
#endif
)";

std::string guarded(const std::string& name, const std::string& text) {
  return "#ifndef " + name + "\n#define " + name + '\n' + text + "#include <features.h>\n#endif\n";
}

} // namespace

TEST_CASE("a header is evaluated whatever its guard is called") {
  for (const char* guard : {"__HOST_CONFIG_H__", "NV_HOST_CONFIG_2", "A"}) {
    const Header header(guarded(guard, checks));
    for (const Compiler& compiler : evaluators()) {
      CAPTURE(guard);
      CAPTURE(compiler.command.front());
      const auto gate = evaluate_gate(header.toolkit(), compiler, HostProcesses());
      REQUIRE(gate.has_value());
      CHECK(gate->gcc == Bounds{std::nullopt, 13});
      CHECK(gate->clang == Bounds{4, 17});
    }
  }
}

TEST_CASE("a gate in a second header is found, guard and all") {
  const Header header(guarded("__HOST_CONFIG_H__", "#include \"version_check.h\"\n"));
  header.write("crt/version_check.h", guarded("SOME_GUARD", checks));
  for (const Compiler& compiler : evaluators()) {
    const auto gate = evaluate_gate(header.toolkit(), compiler, HostProcesses());
    REQUIRE(gate.has_value());
    CHECK(gate->gcc == Bounds{std::nullopt, 13});
    CHECK(gate->clang == Bounds{4, 17});
    CHECK(gate->refusal(Family::gcc, 14)->where == "crt/version_check.h:6");
  }
}

TEST_CASE("a header without a gate yields no bounds") {
  const Header header(guarded("__HOST_CONFIG_H__", "#define SOMETHING\n"));
  for (const Compiler& compiler : evaluators()) {
    const auto gate = evaluate_gate(header.toolkit(), compiler, HostProcesses());
    REQUIRE(gate.has_value());
    CHECK(gate->refusals.empty());
    CHECK(gate->gcc == Bounds{});
    CHECK(gate->clang == Bounds{});
  }
}

TEST_CASE("a header that cannot be evaluated is an error, never a pass") {
  const std::pair<const char*, std::string> headers[] = {
      {"a missing include", guarded("__HOST_CONFIG_H__", "#include <hostpin/missing.h>\n")},
      {"a missing include for some",
       guarded("__HOST_CONFIG_H__", std::string(checks) + "#if __GNUC__ == 12\n"
                                                          "#include <hostpin/missing.h>\n#endif\n")},
      {"a broken condition", guarded("__HOST_CONFIG_H__", "#if __GNUC__ >\n#endif\n")},
      {"an unfinished condition", "#if 1\n"},
      {"#pragma once", std::string("#pragma once\n") + checks},
      {"#pragma once without a gate", "#pragma once\n#define SOMETHING\n"},
      {"GCC's own error pragma",
       guarded("__HOST_CONFIG_H__", "#if __GNUC__ > 13\n#pragma GCC error \"x\"\n#endif\n")},
  };
  for (const auto& [what, text] : headers) {
    const Header header(text);
    for (const Compiler& compiler : evaluators()) {
      CAPTURE(what);
      CAPTURE(compiler.command.front());
      const auto gate = evaluate_gate(header.toolkit(), compiler, HostProcesses());
      CHECK_FALSE(gate.has_value());
    }
  }
  const Header header("");
  Toolkit elsewhere = header.toolkit();
  elsewhere.host_config += ".missing";
  for (const Compiler& compiler : evaluators())
    CHECK_FALSE(evaluate_gate(elsewhere, compiler, HostProcesses()).has_value());
}

TEST_CASE("what a user puts behind the driver does not blind the evaluation") {
  const Header header(guarded("__HOST_CONFIG_H__", checks));
  for (const char* option : {"-Wfatal-errors", "-Werror", "-std=c++20", "-D__HORIZON__", "-DNDEBUG",
                             "-D__NV_NO_HOST_COMPILER_CHECK=1", "-D__HOST_CONFIG_H__"}) {
    for (Compiler compiler : evaluators()) {
      CAPTURE(option);
      CAPTURE(compiler.command.front());
      compiler.command.emplace_back(option);
      const auto gate = evaluate_gate(header.toolkit(), compiler, HostProcesses());
      REQUIRE(gate.has_value());
      CHECK(gate->gcc == Bounds{std::nullopt, 13});
      CHECK(gate->clang == Bounds{4, 17});
    }
  }
}

TEST_CASE("what is no preprocessor is an error") {
  const Header header(guarded("__HOST_CONFIG_H__", checks));
  for (const char* driver : {"/bin/true", "/bin/false", "/bin/cat", "/bin/echo", "/nonexistent/g++"}) {
    CAPTURE(driver);
    Compiler compiler;
    compiler.command = {driver};
    compiler.family = Family::gcc;
    CHECK_FALSE(evaluate_gate(header.toolkit(), compiler, HostProcesses()).has_value());
  }
}
