// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/repeated.hpp"
#include "tests/unit/toolchains/table/files_map.hpp"
#include "tests/unit/toolchains/table/mutation.hpp"
#include "toolchains/config/config.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

using Contents = std::map<std::string, std::string>;
using Paths = std::vector<std::string>;

namespace {

using Variables = Environment::Variables;

const Environment home(Variables{{"HOME", "/h"}});
constexpr const char* user_file = "/h/.config/hostpin/config.toml";

Result<Config> load(const std::string& text) {
  return load_config(FilesMap(Contents{{user_file, text}}), home);
}

constexpr const char* everything = R"(
toolkit = "/usr/local/cuda-12.4"
stdenv = "ccache g++-15 -m64"
host = "/opt/gcc-13/bin/g++"
family = "clang"
compilers = ["/opt/gcc-13/bin/g++", "g++-12"]
toolkits = ["/opt/cuda-12.4"]
search = "named"
named-host = "as-is"
link-proof = "warn"
[lto]
check = "off"
on-mismatch = "drop"
[gpus]
policy = "enforce"
[runtime]
coverage = "one-compiler"
lto = "refuse"
)";

} // namespace

TEST_CASE("every key is read") {
  const auto config = load(everything);
  REQUIRE(config.has_value());
  CHECK(config->toolkit == "/usr/local/cuda-12.4");
  CHECK(config->stdenv == "ccache g++-15 -m64");
  CHECK(config->host == "/opt/gcc-13/bin/g++");
  CHECK(config->family == Family::clang);
  CHECK(config->compilers == Paths{"/opt/gcc-13/bin/g++", "g++-12"});
  CHECK(config->toolkits == Paths{"/opt/cuda-12.4"});
  CHECK_FALSE(config->searches_machine);
  CHECK(config->named_as_is);
  CHECK(config->link_proof == CheckPolicy::warn);
  CHECK(config->lto_check == CheckPolicy::off);
  CHECK(config->lto_dropped);
  CHECK(config->gpus == GpuPolicy::enforce);
  CHECK(config->runtime == Contents{{"coverage", "one-compiler"}, {"lto", "refuse"}});
}

TEST_CASE("without any file the defaults apply, and all paths are listed") {
  const auto config = load_config(FilesMap(Contents{}), home);
  REQUIRE(config.has_value());
  CHECK_FALSE(config->toolkit.has_value());
  CHECK_FALSE(config->family.has_value());
  CHECK(config->searches_machine);
  CHECK_FALSE(config->named_as_is);
  CHECK(config->link_proof == CheckPolicy::error);
  CHECK(config->lto_check == CheckPolicy::error);
  CHECK_FALSE(config->lto_dropped);
  CHECK(config->gpus == GpuPolicy::as_named);
  CHECK(config->compilers.empty());
  CHECK(config->consulted == Paths{user_file, "/etc/xdg/hostpin/config.toml", "/etc/hostpin/config.toml"});
}

TEST_CASE("the paths follow the environment, and relative ones are ignored") {
  struct Row {
    Environment::Variables variables;
    Paths places;
  };
  const std::string below = "/hostpin/config.toml";
  const Row rows[] = {
      {{}, {"/etc/xdg" + below, "/etc" + below}},
      {{{"HOME", "relative"}}, {"/etc/xdg" + below, "/etc" + below}},
      {{{"HOME", "/h"}, {"XDG_CONFIG_HOME", "/x/"}}, {"/x" + below, "/etc/xdg" + below, "/etc" + below}},
      {{{"HOME", "/h"}, {"XDG_CONFIG_HOME", "x"}}, {user_file, "/etc/xdg" + below, "/etc" + below}},
      {{{"XDG_CONFIG_DIRS", "/a:b::/c:/a"}}, {"/a" + below, "/c" + below, "/etc" + below}},
      {{{"XDG_CONFIG_DIRS", ":"}}, {"/etc" + below}},
      {{{"XDG_CONFIG_DIRS", "/etc"}}, {"/etc" + below}},
      {{{"HOSTPIN_CONFIG", "/dev/null"}, {"HOME", "/h"}}, {"/dev/null"}},
  };
  for (const Row& row : rows) {
    const auto config = load_config(FilesMap(Contents{}), Environment(row.variables));
    REQUIRE(config.has_value());
    CHECK(config->consulted == row.places);
  }
}

TEST_CASE("a user's key replaces the system's, key by key") {
  const FilesMap files(Contents{
      {user_file, "host = \"g++-13\"\ncompilers = []\nnamed-host = \"pin\"\n[runtime]\nlto = \"refuse\"\n"},
      {"/etc/xdg/hostpin/config.toml", "host = \"g++-12\"\nstdenv = \"g++-14\"\ncompilers = [\"g++-9\"]\n"},
      {"/etc/hostpin/config.toml",
       "stdenv = \"g++-11\"\nnamed-host = \"as-is\"\nlink-proof = \"off\"\nfamily = \"gcc\"\n"
       "[runtime]\nlto = \"one-compiler\"\ncoverage = \"refuse\"\n"}});
  const auto config = load_config(files, home);
  REQUIRE(config.has_value());
  CHECK(config->host == "g++-13");
  CHECK(config->stdenv == "g++-14");
  CHECK(config->family == Family::gcc);
  CHECK(config->compilers.empty());
  CHECK(config->link_proof == CheckPolicy::off); // not in the user's file
  CHECK_FALSE(config->named_as_is);
  CHECK(config->runtime == Contents{{"lto", "refuse"}, {"coverage", "refuse"}});
}

TEST_CASE("$HOSTPIN_CONFIG replaces all other files") {
  const FilesMap files(Contents{{user_file, "host = \"g++-13\"\n"}, {"/c.toml", "stdenv = \"g++-14\"\n"}});
  const auto config =
      load_config(files, Environment(Variables{{"HOME", "/h"}, {"HOSTPIN_CONFIG", "/c.toml"}}));
  REQUIRE(config.has_value());
  CHECK(config->stdenv == "g++-14");
  CHECK_FALSE(config->host.has_value());
  CHECK(config->consulted == Paths{"/c.toml"});
}

TEST_CASE("$HOSTPIN_CONFIG must name an existing file, by an absolute path") {
  for (const char* named : {"/absent.toml", "c.toml", "./c.toml"}) {
    CAPTURE(named);
    const FilesMap files(Contents{{"c.toml", ""}, {"./c.toml", ""}});
    const auto config = load_config(files, Environment(Variables{{"HOSTPIN_CONFIG", named}}));
    REQUIRE_FALSE(config.has_value());
    CHECK(config.error().message.find(named) != std::string::npos);
    CHECK_FALSE(config.error().hint.empty());
  }
}

TEST_CASE("a file that exists but cannot be read is an error") {
  const auto config = load_config(FilesMap(Contents{}, user_file), home);
  REQUIRE_FALSE(config.has_value());
  CHECK(config.error().message == std::string(user_file) + ": Permission denied");
}

TEST_CASE("a mistake is refused with its position") {
  struct Row {
    const char* text;
    const char* complaint;
  };
  const Row rows[] = {
      {"host = 13", "1:8: `host` must be a string"},
      {"host = \"\"", "1:8: `host` is empty"},
      {"host = \" g++\"", "1:8: `host` must begin with the driver"},
      {"host = \"./g++\"", "1:8: `host` must be a name on PATH or an absolute path, not `./g++`"},
      {"\nstdenv = \"bin/g++ -m64\"", "2:10: `stdenv` must be a name on PATH or an absolute path"},
      {"toolkit = \"cuda\"", "1:11: `toolkit` must be absolute, not `cuda`"},
      {"toolkits = [\"/a\", \"b\"]", "1:12: `toolkits` must be absolute, not `b`"},
      {"compilers = \"g++\"", "1:13: `compilers` must be an array of strings"},
      {"compilers = [1]", "1:14: `compilers` must be a string"},
      {"family = \"icc\"", "1:10: `family` must be \"gcc\" or \"clang\", not `icc`"},
      {"named-host = true", "1:14: `named-host` must be a string"},
      {"link-proof = false", "1:14: `link-proof` must be a string"},
      {"link-proof = \"on\"", "1:14: `link-proof` must be \"error\", \"warn\" or \"off\", not `on`"},
      {"named-host = \"asis\"", "1:14: `named-host` must be \"pin\" or \"as-is\", not `asis`"},
      {"search = \"all\"", "1:10: `search` must be \"machine\" or \"named\", not `all`"},
      {"runtime = 1", "1:11: `runtime` must be a table"},
      {"[runtime]\nlto = \"yes\"", "2:7: `lto` must be \"refuse\" or \"one-compiler\", not `yes`"},
      {"[gpus]\npolicy = \"on\"", "2:10: `policy` must be \"default\", \"enforce\" or \"check\", not `on`"},
      {"[gpus]\nlist = \"8.0\"", "2:1: unknown key `list`"},
      {"named_host = \"pin\"", "1:1: unknown key `named_host`"},
      {"host = \"a\"\nhost = \"b\"", "2:"},
      {"host = ", "1:"},
      {"host = \"g++\xff\"", "1:"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto config = load(row.text);
    REQUIRE_FALSE(config.has_value());
    CHECK(config.error().message.rfind(std::string(user_file) + ':' + row.complaint, 0) == 0);
  }
}

TEST_CASE("a damaged configuration is read completely or refused by name") {
  Mutations mutations(13);
  const unsigned rounds = test::repeated(2000);
  unsigned refused = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const auto config = load(mutations.mutated(everything));
    if (config) {
      for (const std::string& toolkit : config->toolkits)
        REQUIRE(toolkit.front() == '/');
      continue;
    }
    ++refused;
    REQUIRE(config.error().message.rfind(user_file, 0) == 0);
  }
  CHECK(refused > rounds / 4);
}
