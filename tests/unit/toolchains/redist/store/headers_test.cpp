// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/store/transfer.hpp"

#include <doctest/doctest.h>

using namespace hostpin::redist;

namespace {

ResponseHeaders headers(std::initializer_list<const char*> lines) {
  ResponseHeaders headers;
  for (const char* const line : lines)
    add_header(headers, line);
  return headers;
}

} // namespace

TEST_CASE("the headers of a response, in any case, and of the last response") {
  const auto found = headers({"HTTP/1.1 302 Found\r\n", "ETag: \"old\"\r\n", "Content-Length: 1\r\n", "\r\n",
                              "HTTP/2 206\r\n", "etag:\"x y\" \r\n", "CONTENT-RANGE: bytes 100-199/200\r\n",
                              "Last-Modified: Tue, 16 Apr 2024 00:00:00 GMT\r\n", "\r\n"});
  CHECK(found.status == 206);
  CHECK(found.etag == "\"x y\"");
  CHECK_FALSE(found.length);
  CHECK(found.range_start == 100);
  CHECK(found.range_total == 200);
  CHECK(found.validator() == "\"x y\"");
}

TEST_CASE("a weak tag does not identify bytes, a date does") {
  CHECK(headers({"HTTP/1.1 200 OK", "ETag: W/\"x\"", "Last-Modified: now"}).validator() == "now");
  CHECK(headers({"HTTP/1.1 200 OK", "ETag: W/\"x\""}).validator().empty());
}

TEST_CASE("headers that are damaged are as if absent") {
  const auto found =
      headers({"HTTP/1.1 200 OK", "Content-Length: 12x", "Content-Range: bytes */200", "nonsense", ":"});
  CHECK(found.status == 200);
  CHECK_FALSE(found.length);
  CHECK_FALSE(found.range_start);
  CHECK(headers({"HTTP/1.1 x"}).status == 0);
  CHECK(headers({"HTTP/1.1"}).status == 0);
}
