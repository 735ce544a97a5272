// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/repository_client.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::setup;

namespace {

Package named(const char* name, const char* version) {
  return {name, version, "x86_64", std::string(name) + ".rpm", {}, {}, 0};
}

PackageName names(const char* gcc, const char* clang, const char* main_gcc, const char* main_clang) {
  PackageName row;
  row.gcc = gcc;
  row.clang = clang;
  row.main_gcc = main_gcc;
  row.main_clang = main_clang;
  return row;
}

} // namespace

TEST_CASE("compilers are found by the names of their distribution") {
  const auto rhel = compilers_among(
      {named("gcc-toolset-13-gcc-c++", "13.3.1-2.el9"), named("gcc-toolset-13-gcc", "13.3.1-2"),
       named("gcc-toolset-13-gcc-c++", "13.1.1-4.el9"), named("gcc-c++", "11.5.0-5.el9"),
       named("gcc-toolset-x-gcc-c++", "1"), named("clang", "1:17.0.6-5.el9")},
      names("gcc-toolset-{major}-gcc-c++", "", "gcc-c++", "clang"));
  REQUIRE(rhel.size() == 3);
  CHECK(rhel[0].major == 13);
  CHECK(rhel[0].version == Version{13, 3, 1});
  CHECK(rhel[0].package == "gcc-toolset-13-gcc-c++");
  CHECK(rhel[1].major == 11);
  CHECK(rhel[1].package == "gcc-c++");
  CHECK(rhel[2].family == Family::clang);
  CHECK(rhel[2].major == 17);
  const auto arch = compilers_among({named("gcc", "15.2.1+r301-1"), named("gcc13", "13.3.1-3"),
                                     named("gcc13-libs", "13.3.1-3"), named("gcc-libs", "15.2.1-1")},
                                    names("gcc{major}", "clang{major}", "gcc", "clang"));
  REQUIRE(arch.size() == 2);
  CHECK(arch[0].major == 15);
  CHECK(arch[1].major == 13);
  const auto suse = compilers_among({named("gcc13-c++", "13.3.0-1"), named("gcc-c++", "13-1")},
                                    names("gcc{major}-c++", "clang{major}", "", ""));
  REQUIRE(suse.size() == 1);
  CHECK(suse[0].package == "gcc13-c++");
}

TEST_CASE("a Clang comes with its sanitizers where they are a package") {
  const auto fedora = compilers_among({named("clang18", "18.1.8-5"), named("compiler-rt18", "18.1.8-2"),
                                       named("clang", "19.1.7-1"), named("gcc-c++", "14-1")},
                                      names("gcc{major}-c++", "clang{major}", "gcc-c++", "clang"));
  REQUIRE(fedora.size() == 3);
  CHECK(compiler_packages(fedora[0]) == std::vector<std::string>{"clang18", "compiler-rt18"});
  CHECK(compiler_packages(fedora[1]) == std::vector<std::string>{"clang"});
  CHECK(compiler_packages(fedora[2]) == std::vector<std::string>{"gcc-c++"});
}

TEST_CASE("messages of clients become errors that say what to do") {
  struct Row {
    const char* messages;
    const char* what;
  };
  const Row rows[] = {
      {"Curl error (28): write: No space left on device", "the disk is full: dnf cannot write"},
      {"a.rpm: digests SIGNATURES NOT OK", "is not signed by a key that it has"},
      {"error: gcc: signature from \"A <a@b>\" is unknown trust", "is not signed by a key that it has"},
      {"error: gcc: signature from \"A <a@b>\" is invalid", "is damaged or not the one"},
      {"a.rpm: Downloading successful, but checksum doesn't match.", "is damaged or not the one"},
      {"File a.pkg.tar.zst is corrupted (invalid or corrupted package (checksum)).",
       "is damaged or not the one"},
      {"Error: Failed to download metadata for repo 'appstream'", "dnf cannot fetch from the machine's"},
      {"No such command: download. Please use /usr/bin/dnf --help", "has no command `download`"},
      {"unshare: unshare failed: Operation not permitted", "runs for root only"},
      {"something else", "dnf failed:\n  something else"}};
  for (const Row& row : rows) {
    CAPTURE(row.messages);
    CHECK(client_error(row.messages, "dnf").message.find(row.what) != std::string::npos);
  }
  const Error error = client_error(
      "\x1b[?25h\nCurl error for https://u:p@h/r/x\n\nCurl error for https://u:p@h/r/x\n", "dnf");
  CHECK(error.message == "dnf cannot fetch from the machine's repositories:\n  Curl error for https://h/r/x");
}
