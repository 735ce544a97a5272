// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "toolchains/redist/store/document.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

namespace {

std::string fetched(const std::string& url, std::uint64_t most) {
  const test::Tree scratch;
  const auto text = fetch_document(url, most, scratch.root(), {});
  return text ? *text : text.error().message + " | " + text.error().hint;
}

} // namespace

TEST_CASE("a document is read as a whole, up to a size") {
  const test::Tree tree;
  const std::string url = "file://" + tree.write("redistrib_1.json", "{\"a\": 1}");
  CHECK(fetched(url, 8) == "{\"a\": 1}");
  CHECK(fetched(url, 7) == url + " has more than 7 bytes | ");
  CHECK(fetched("file://" + tree.write("empty.json", ""), 8).empty());
  CHECK(fetched(url + ".absent", 8).starts_with("cannot download " + url + ".absent: "));
}

TEST_CASE("a document does not come unencrypted from another machine") {
  CHECK(
      fetched("http://192.0.2.1/x.json", 8) ==
      "http://192.0.2.1/x.json would be fetched without encryption | use https, or download the file first");
  CHECK(fetched("ftp://127.0.0.1/x.json", 8).starts_with("ftp://127.0.0.1/x.json is neither an https"));
}
