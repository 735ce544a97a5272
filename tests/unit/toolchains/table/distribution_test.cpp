// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/shipped_data.hpp"
#include "toolchains/table/distribution.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace hostpin;

using Ids = std::vector<std::string>;

TEST_CASE("a distribution is its ID, then what it is like") {
  struct Row {
    const char* text;
    Ids ids;
  };
  const Row rows[] = {
      {"NAME=\"Debian GNU/Linux\"\nID=debian\nVERSION_ID=\"12\"\n", {"debian"}},
      {"ID_LIKE=\"rhel centos fedora\"\nID=\"rocky\"\n", {"rocky", "rhel", "centos", "fedora"}},
      {"ID='opensuse-tumbleweed'\r\nID_LIKE='opensuse  suse'\r\n",
       {"opensuse-tumbleweed", "opensuse", "suse"}},
      {"# ID=no\nBUILD_ID=rolling\nID=arch", {"arch"}},
      {"ID=\"\nID_LIKE=\n", {"\""}},
      {"", {}},
      {"=\n\n\0", {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(distribution_ids(row.text) == row.ids);
  }
}

TEST_CASE("variables of an os-release file") {
  const char* const text = "NAME=\"Debian GNU/Linux\"\nVERSION_CODENAME=bookworm\nXVERSION_CODENAME=x\n";
  CHECK(os_release_value(text, "VERSION_CODENAME") == "bookworm");
  CHECK(os_release_value(text, "NAME") == "Debian GNU/Linux");
  CHECK(os_release_value(text, "VERSION") == "");
  CHECK(os_release_value("", "NAME") == "");
}

TEST_CASE("suites of a distribution are in the order of their releases") {
  const auto table = load_table(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE(table.has_value());
  const Ids debian = package_names(*table, {"debian"}).suites;
  REQUIRE(std::find(debian.begin(), debian.end(), "bookworm") != debian.end());
  CHECK(std::find(debian.begin(), debian.end(), "bookworm") <
        std::find(debian.begin(), debian.end(), "trixie"));
  CHECK(debian.back() == "sid");
  // Mint is like Ubuntu before it is like Debian.
  CHECK(package_names(*table, {"linuxmint", "ubuntu", "debian"}).suites ==
        package_names(*table, {"ubuntu"}).suites);
  CHECK(package_names(*table, {"gentoo"}).suites.empty());
}

TEST_CASE("each distribution has its package client, and names of compilers without a major") {
  const auto table = load_table(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE(table.has_value());
  CHECK(package_names(*table, {"linuxmint", "ubuntu"}).client == "apt");
  CHECK(package_names(*table, {"rocky", "rhel", "fedora"}).gcc == "gcc-toolset-{major}-gcc-c++");
  CHECK(package_names(*table, {"fedora"}).client == "dnf");
  CHECK(package_names(*table, {"fedora"}).main_gcc == "gcc-c++");
  CHECK(package_names(*table, {"opensuse-leap", "suse"}).client == "zypper");
  CHECK_FALSE(package_names(*table, {"opensuse-leap", "suse"}).keys.empty());
  CHECK(package_names(*table, {"arch"}).client == "pacman");
  CHECK(package_names(*table, {"nixos"}).client == "");
}

TEST_CASE("a hint names the package and the command of this distribution") {
  const auto table = load_table(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE(table.has_value());
  struct Row {
    Ids ids;
    Family family;
    const char* hint;
  };
  const Row rows[] = {
      {{"debian"}, Family::gcc, "install g++-13 (apt-get install g++-13)"},
      {{"linuxmint", "ubuntu", "debian"}, Family::clang, "install clang-13 (apt-get install clang-13)"},
      {{"rocky", "rhel", "centos", "fedora"},
       Family::gcc,
       "install gcc-toolset-13-gcc-c++ (dnf install gcc-toolset-13-gcc-c++)"},
      {{"rocky", "rhel", "centos", "fedora"}, Family::clang, "install Clang 13"},
      {{"fedora"}, Family::gcc, "install gcc13-c++ (dnf install gcc13-c++)"},
      {{"arch"}, Family::gcc, "install gcc13 (pacman -S gcc13)"},
      {{"opensuse-leap", "suse", "opensuse"}, Family::gcc, "install gcc13-c++ (zypper install gcc13-c++)"},
      {{"nixos"}, Family::clang, "install clang_13 (nix-shell -p clang_13)"},
      {{"plan9"}, Family::gcc, "install GCC 13"},
      {{}, Family::clang, "install Clang 13"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.hint);
    CHECK(install_hint(*table, row.ids, {row.family, {}}, {13, 12}) == row.hint);
  }
  CHECK(install_hint(*table, {"debian"}, {Family::gcc, {}}, {}).empty());
}

TEST_CASE("a package is named only if the package manager has it") {
  const auto table = load_table(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE(table.has_value());
  const Ids debian = {"debian"};
  CHECK(package_query(*table, debian, {Family::gcc, {}}, {13, 12}) ==
        Ids{"apt-cache", "madison", "g++-13", "g++-12"});
  CHECK(package_query(*table, {"nixos"}, {Family::gcc, {}}, {13}).empty());
  CHECK(package_query(*table, {"rocky", "rhel"}, {Family::clang, {}}, {13}).empty());
  CHECK(package_query(*table, {"plan9"}, {Family::gcc, {}}, {13}).empty());
  const std::string listing = "  g++-12 | 12.2.0-14 | http://deb.debian.org/debian bookworm/main\n"
                              "g++-13-multilib | 13.1 | somewhere\n";
  CHECK(install_hint(*table, debian, {Family::gcc, {}}, {13, 12}, listing) ==
        "install g++-12 (apt-get install g++-12)");
  CHECK(install_hint(*table, debian, {Family::gcc, {}}, {13}, listing) ==
        "install GCC 13 (this system's package lists have no g++-13)");
  CHECK(install_hint(*table, debian, {Family::gcc, {}}, {13, 11}, "") ==
        "install GCC 13 or older (this system's package lists have no g++-13 and no older one)");
  CHECK(install_hint(*table, {"opensuse-leap"}, {Family::gcc, {}}, {13, 12},
                     " | gcc12-c++ | The GNU C++ |\n") == "install gcc12-c++ (zypper install gcc12-c++)");
}
