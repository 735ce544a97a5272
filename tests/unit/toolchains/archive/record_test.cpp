// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/archive/record.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("rows have a path, a hash and a size, each perhaps quoted") {
  const auto rows = read_record("a.py,sha256=AA,12\r\n\"b,\"\"c\"\".py\",,\n\nd,sha256=,0");
  REQUIRE(rows);
  REQUIRE(rows->size() == 3);
  CHECK((*rows)[0].path == "a.py");
  CHECK((*rows)[0].hash == "sha256=AA");
  CHECK((*rows)[0].size == 12);
  CHECK((*rows)[1].path == "b,\"c\".py");
  CHECK_FALSE((*rows)[1].size);
  CHECK((*rows)[2].size == 0);
}

TEST_CASE("what is wrong with a row is said with its line") {
  const auto error = [](const char* text) {
    const auto rows = read_record(text);
    return rows ? std::string("none") : rows.error().message;
  };
  CHECK(error("a,,\nb,c\n") == "line 2 of RECORD does not have three fields");
  CHECK(error("\"a,,") == "line 1 of RECORD has a quote that does not end");
  CHECK(error("\"a\"b,,") == "line 1 of RECORD has a quote that does not end");
  CHECK(error("a,,1x") == "line 1 of RECORD has a size that is not a number");
  CHECK(error("a,,99999999999999999999") == "line 1 of RECORD has a size that is not a number");
  CHECK(error("") == "none");
}

TEST_CASE("a digest is written in base64url without padding") {
  CHECK(record_hash("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855") ==
        "sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
}

TEST_CASE("rows that are written are read back, whatever their paths contain") {
  const std::vector<RecordRow> rows = {{"a.py", "sha256=AA", 1}, {"b, \"c\"\nd", "", {}}};
  const std::string text = record_text(rows);
  CHECK(text == "a.py,sha256=AA,1\n\"b, \"\"c\"\"\nd\",,\n");
  const auto read = read_record(text);
  REQUIRE(read);
  REQUIRE(read->size() == 2);
  CHECK((*read)[1].path == rows[1].path);
}
