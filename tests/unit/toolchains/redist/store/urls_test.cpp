// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "toolchains/redist/store/urls.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

namespace {

const Lock lock{{{"cuda", "1", "", std::string(64, '0'), "https://example.org/cuda/redist/"}}, {}};
const LockedArchive archive{
    "cuda", "1", "p", "2", "linux-sbsa", "", "", "p/linux-sbsa/p.tar.xz", std::string(64, '0'), 7, ""};

std::vector<std::string> urls(const std::string& mirror) {
  const auto found = urls_of(lock, archive, mirror);
  return found ? *found : std::vector<std::string>{"error: " + found.error().message};
}

} // namespace

TEST_CASE("archives come by https, from files and from this machine; by http only from who was named") {
  for (const char* const url : {"https://example.org/", "file:///x", "http://127.0.0.1:8/",
                                "http://localhost/x", "http://[::1]/", "HTTPS://example.org/"}) {
    CAPTURE(url);
    CHECK(check_url(url, false));
  }
  for (const char* const url :
       {"http://example.org/", "http://127.0.0.1.example.org/", "http://user@example.org/",
        "http://localhost.example.org/", "http://10.0.0.1/"}) {
    CAPTURE(url);
    CHECK_FALSE(check_url(url, false));
    CHECK(check_url(url, true));
  }
  for (const char* const url : {"ftp://example.org/", "x", "", "scp://example.org/"})
    CHECK_FALSE(check_url(url, true));
}

TEST_CASE("no message repeats a password") {
  const auto texts = {check_url("http://u:secret@example.org/", false), check_url("ftp://u:secret@h/", true),
                      check_url("http://u:secret#@h/", true),
                      check_redirect("https://a.org/", "https://u:secret@b.org/")};
  for (const Result<void>& each : texts) {
    REQUIRE_FALSE(each);
    CAPTURE(each.error().message);
    CHECK(each.error().message.find("secret") == std::string::npos);
  }
}

TEST_CASE("redirects stay on the server, and encrypted") {
  CHECK(check_redirect("https://a.org/x", "https://a.org/y"));
  CHECK(check_redirect("https://a.org/x", "https://A.org:443/y"));
  CHECK(check_redirect("http://a.org/x", "https://a.org/x"));
  CHECK_FALSE(check_redirect("https://a.org/x", "http://a.org/x"));
  CHECK_FALSE(check_redirect("https://a.org/x", "https://b.org/x"));
  CHECK_FALSE(check_redirect("https://a.org/x", "https://a.org.b.org/x"));
  CHECK_FALSE(check_redirect("https://a.org/x", "https://a.org:8443/x"));
  CHECK_FALSE(check_redirect("http://127.0.0.1:1/x", "http://127.0.0.2:1/x"));
  CHECK_FALSE(check_redirect("https://a.org/x", "file:///etc/passwd"));
}

TEST_CASE("an archive has the lock's URL, or two below a mirror's") {
  CHECK(urls("") == std::vector<std::string>{"https://example.org/cuda/redist/p/linux-sbsa/p.tar.xz"});
  CHECK(urls("http://mirror.example.org/m") ==
        std::vector<std::string>{"http://mirror.example.org/m/p/linux-sbsa/p.tar.xz",
                                 "http://mirror.example.org/m/cuda/redist/p/linux-sbsa/p.tar.xz"});
}

TEST_CASE("a directory as a mirror has the archive by its path, or below its product") {
  const test::Tree tree("a mirror");
  const auto found = [&] { return mirrored_file(archive, tree.root(), DiskFiles()); };
  REQUIRE_FALSE(found());
  CHECK(found().error().message.starts_with("there is neither p/linux-sbsa/p.tar.xz"));
  CHECK(found().error().message.find("cuda/redist/p/linux-sbsa/p.tar.xz") != std::string::npos);
  const std::string below = tree.write("cuda/redist/p/linux-sbsa/p.tar.xz", "content");
  CHECK(found() == below);
  const std::string first = tree.write("p/linux-sbsa/p.tar.xz", "content");
  CHECK(found() == first);
}
