// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/apt_output.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::setup;

TEST_CASE("stanzas are separated by empty lines, and fields may be continued") {
  const auto all = read_stanzas("# a comment\nTypes: deb\nURIs: http://a\n\n \t\n"
                                "Signed-By:\n -----BEGIN\n .\n mQ\nSuites: x y\nno field\n\n\n");
  REQUIRE(all.size() == 2);
  CHECK(field(all[0], "types") == "deb");
  CHECK(field(all[0], "uris") == "http://a");
  CHECK(field(all[1], "signed-by") == "\n-----BEGIN\n.\nmQ");
  CHECK(field(all[1], "suites") == "x y");
  CHECK(field(all[1], "absent") == "");
  CHECK(read_stanzas("").empty());
  CHECK(read_stanzas(" continues nothing\n").empty());
}

TEST_CASE("printed files: names, versions with an epoch, sizes") {
  const auto all = read_printed_files(
      "'http://u:p@h/pool/a/g++-13_13.3.0-16_amd64.deb' g++-13_13.3.0-16_amd64.deb 18848 SHA256:0\n"
      "'http://h/pool/c/clang-17_17.0.6-22_amd64.deb' clang-17_1%3a17.0.6-22_amd64.deb 7 MD5Sum:1\n"
      "Reading package lists...\n"
      "'http://h/x' ../../etc/passwd_1_all.deb 7 SHA256:1\n"
      "'http://h/x' x_1_all.deb seven SHA256:1\n"
      "'http://h/x' x_1.deb 7\n"
      "'http://h/x\n"
      "'http://h/x' x_1_all.rpm 7\n");
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "g++-13");
  CHECK(all[0].version == "13.3.0-16");
  CHECK(all[0].architecture == "amd64");
  CHECK(all[0].bytes == 18848);
  CHECK(all[1].version == "1:17.0.6-22");
  CHECK(all[1].file == "clang-17_1%3a17.0.6-22_amd64.deb");
}

namespace {

std::string target(const char* origin, const char* codename, const char* release, const char* component) {
  return std::string("MetaKey: m\nRepo-URI: http://h/debian/\nOrigin: ") + origin +
         "\nCodename: " + codename + "\nRelease: " + release + "\nComponent: " + component +
         "\nCreated-By: Packages\nSourcesentry: /etc/apt/sources.list:3\n\n";
}

} // namespace

TEST_CASE("the distribution's own source is found by origin, component and code name") {
  const auto found = own_source(target("Docker", "bookworm", "bookworm", "main") +
                                    target("Debian", "bookworm-security", "stable-security", "main") +
                                    target("Debian", "bookworm", "stable", "contrib") +
                                    target("Debian", "bookworm", "stable", "main"),
                                {"bookworm"});
  REQUIRE(found);
  CHECK(found->address == "http://h/debian/");
  CHECK(found->suite == "bookworm"); // not stable
  CHECK(found->entry == "/etc/apt/sources.list:3");
  CHECK_FALSE(own_source(target("Docker", "bookworm", "bookworm", "main"), {"bookworm"}));
  CHECK_FALSE(own_source("", {"bookworm"}));
}

TEST_CASE("in a development release the code name is another than the suite's") {
  const auto found = own_source(target("Debian", "forky-updates", "testing-updates", "main") +
                                    target("Debian", "", "sid", "main"),
                                {"forky"});
  REQUIRE(found);
  CHECK(found->suite == "sid");
}

TEST_CASE("the key that an entry names") {
  const char* const stanzas = "# c\nTypes: deb\nSigned-By: /a.gpg\n\nTypes: deb\nSigned-By:\n -----BEGIN\n\n"
                              "Types: deb\nSigned-By: /c.gpg, /d.gpg\n\nTypes: deb\nSigned-By: 0123ABCD\n";
  CHECK(named_key(stanzas, true, 1) == "/a.gpg");
  CHECK(named_key(stanzas, true, 2) == ""); // written there
  CHECK(named_key(stanzas, true, 3) == "/c.gpg");
  CHECK(named_key(stanzas, true, 4) == ""); // a fingerprint
  CHECK(named_key(stanzas, true, 5) == "");
  const char* const lines = "# c\ndeb [arch=amd64 signed-by=/a.gpg] http://h x main\n"
                            "deb [signed-by=/b.gpg arch=amd64] http://h x main\ndeb http://h x main\n";
  CHECK(named_key(lines, false, 2) == "/a.gpg");
  CHECK(named_key(lines, false, 3) == "/b.gpg");
  CHECK(named_key(lines, false, 4) == "");
  CHECK(named_key(lines, false, 9) == "");
}

TEST_CASE("what apt's messages mean") {
  const auto message = [](const char* text) { return apt_error(text, "trixie", "/k.gpg").message; };
  CHECK(message("W: GPG error: http://u:p@h trixie InRelease: ... NO_PUBKEY 6ED0\n").find("/k.gpg") !=
        std::string::npos);
  CHECK(message("W: GPG error: http://u:p@h trixie InRelease: NO_PUBKEY 6ED0\n").find("u:p") ==
        std::string::npos);
  CHECK(message("E: Failed to fetch http://h/x  Could not resolve 'h'\n").find("cannot reach") !=
        std::string::npos);
  CHECK(message("E: The repository 'http://h x Release' does not have a Release file.\n")
            .find("no suite trixie") != std::string::npos);
  CHECK(message("E: Failed to fetch store:/x  Hash Sum mismatch\n").find("not what its signed index says") !=
        std::string::npos);
  CHECK(message("E: Write error - write (28: No space left on device)\n").find("disk is full") !=
        std::string::npos);
  CHECK(message("E: Unable to locate package x\n").find("Unable to locate package x") != std::string::npos);
  // A failed download is followed by a complaint about the signature.
  const std::string unsigned_too = "E: The repository 'http://h x InRelease' is not signed.\n";
  CHECK(
      message(("E: Failed to fetch http://h/x/InRelease  407  Proxy Authentication Required\n" + unsigned_too)
                  .c_str())
          .find("or a proxy before it, wants another name and password") != std::string::npos);
  CHECK(message(unsigned_too.c_str()).find("not signed by a key of /k.gpg") != std::string::npos);
  CHECK(message("W: GPG error: http://h trixie InRelease: EXPKEYSIG 6ED0 x\n").find("has expired") !=
        std::string::npos);
  CHECK(message("E: Failed to fetch http://h/x  Clearsigned file isn't valid, got 'NOSPLIT'\n")
            .find("no signed index") != std::string::npos);
  CHECK(message("E: Failed to fetch http://h/x_1_all.deb  404  Not Found [IP: 127.0.0.1 1]\n")
            .find("lacks a file that its index names") != std::string::npos);
  CHECK(message("nothing known").find("nothing known") != std::string::npos);
}
