// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/package_index.hpp"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::setup;

namespace {

std::string package(const std::string& name, const std::string& version, const std::string& rest) {
  return "<package type=\"rpm\">\n<name>" + name + "</name>\n<arch>x86_64</arch>\n<version " + version +
         "/>\n" + rest + "</package>\n";
}

} // namespace

TEST_CASE("packages of a primary.xml") {
  const auto all = read_rpm_index_text(
      "<?xml version=\"1.0\"?>\n<metadata xmlns:rpm=\"http://linux.duke.edu/metadata/rpm\" "
      "packages=\"3\">\n" +
      package("gcc-c++", "epoch=\"0\" ver=\"13.3.1\" rel=\"2.el9\"",
              "<checksum type=\"sha256\" pkgid=\"YES\">ab</checksum><summary>C++ &amp; more</summary>"
              "<size package=\"7\" installed=\"8\" archive=\"9\"/><location href=\"p/g/gcc.rpm\"/>"
              "<format><rpm:provides><rpm:entry name=\"x\" ver=\"1\"/></rpm:provides></format>") +
      package("sha1", "epoch=\"1\" ver=\"2\" rel=\"3\"",
              "<checksum type=\"sha\">cd</checksum><location href=\"a.rpm\"/>") +
      package("no-file", "epoch=\"1\" ver=\"2\" rel=\"3\"", "<location href=\"a/..\"/>") + "</metadata>");
  REQUIRE(all.has_value());
  REQUIRE(all->size() == 2);
  CHECK(all->front().name == "gcc-c++");
  CHECK(all->front().version == "13.3.1-2.el9");
  CHECK(all->front().architecture == "x86_64");
  CHECK(all->front().file == "gcc.rpm");
  CHECK(all->front().address == "p/g/gcc.rpm");
  CHECK(all->front().sha256 == "ab");
  CHECK(all->front().bytes == 7);
  CHECK(all->back().version == "1:2-3");
  CHECK(all->back().sha256.empty());
  const auto cut = read_rpm_index_text("<metadata>\n<package>");
  REQUIRE_FALSE(cut.has_value());
  CHECK(cut.error().message == "primary.xml is damaged: line 2: no element found");
}

TEST_CASE("a desc file of a pacman database") {
  const Package package =
      read_pacman_desc("%FILENAME%\ngcc13-13.3.1-3-x86_64.pkg.tar.zst\n\n%NAME%\ngcc13\n\n%BASE%\nother\n\n"
                       "%VERSION%\n13.3.1+r432-3\n\n%CSIZE%\n40\n\n%SHA256SUM%\nab\n\n%ARCH%\nx86_64\n");
  CHECK(package.name == "gcc13");
  CHECK(package.version == "13.3.1+r432-3");
  CHECK(package.file == "gcc13-13.3.1-3-x86_64.pkg.tar.zst");
  CHECK(package.architecture == "x86_64");
  CHECK(package.sha256 == "ab");
  CHECK(package.bytes == 40);
  CHECK(read_pacman_desc("%FILENAME%\n../../etc/passwd\n").file == "passwd");
  CHECK(read_pacman_desc("no field\n").name.empty());
}

TEST_CASE("what zypper prints: repositories, packages to install, errors") {
  const auto output = read_zypper_output(
      "<?xml version='1.0'?>\n<stream>\n<message type=\"info\">Loading</message>\n"
      "<message type=\"error\">No provider of &apos;x&apos; found.</message>\n"
      "<repo-list><repo alias=\"oss\"><url>http://a/b</url><url>http://c</url></repo></repo-list>\n"
      "<install-summary><to-upgrade><solvable type=\"package\" name=\"old\"/></to-upgrade><to-install>\n"
      "<solvable type=\"package\" name=\"gcc13-c++\" edition=\"13.3.0-1\" arch=\"x86_64\"/>\n"
      "<solvable type=\"pattern\" name=\"devel\"/></to-install></install-summary></stream>");
  REQUIRE(output.packages.size() == 1);
  CHECK(output.packages.front().name == "gcc13-c++");
  CHECK(output.packages.front().version == "13.3.0-1");
  CHECK(output.packages.front().architecture == "x86_64");
  REQUIRE(output.repositories.size() == 1);
  CHECK(output.repositories.front().alias == "oss");
  CHECK(output.repositories.front().address == "http://a/b");
  CHECK(output.errors == "No provider of 'x' found.\n");
  CHECK(read_zypper_output("not XML").packages.empty());
}

TEST_CASE("files that are no index are named") {
  const std::string file =
      std::filesystem::temp_directory_path() / ("hostpin-index-" + std::to_string(getpid()));
  std::ofstream(file) << "neither";
  for (const auto& read : {read_rpm_index(file), read_pacman_index(file)}) {
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().message.starts_with(file + " is damaged"));
  }
  std::filesystem::remove(file);
  CHECK_FALSE(read_rpm_index(file).has_value());
  CHECK_FALSE(read_pacman_index(file).has_value());
}
