// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/file_scan.hpp"
#include "hooks/leak-check/scan/scan.hpp"
#include "tests/tree.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

namespace {

const std::string reference = "-L/opt/gcc-11/lib\n";
const std::string stub = "#!/bin/sh\ntail -n +3 \"$0\" | tar xz; exit\n";

/// `place section` of each hit, and `! place reason` of what was not seen.
std::string told(const std::string& bytes) {
  const test::Tree tree;
  tree.write("f", bytes);
  std::string text;
  const NeedleSet needles = NeedleSet::make({"/opt/gcc-11"}).value();
  scan_tree({tree.root()}, needles, {}, [&](const ScannedFile& file) {
    for (const FoundNeedle& one : file.found)
      text += shown(one.where) + ' ' + one.where.section + '\n';
    for (const Unseen& unseen : file.unseen)
      text += "! " + shown(unseen.where) + ' ' + unseen.reason + '\n';
  });
  return text;
}

std::string program() {
  return test::object_with(".rodata", "some PK\5\6 bytes", 2);
}

/// A zip whose offsets count from the beginning of a file with that much before it, as after `zip -A`.
std::string adjusted(std::string zip, std::size_t before) {
  const auto add = [&](std::size_t at) {
    std::size_t value = before;
    for (std::size_t i = 0; i < 4; ++i, value >>= 8U) {
      value += static_cast<unsigned char>(zip[at + i]);
      zip[at + i] = static_cast<char>(value & 255U);
    }
  };
  add(zip.find("PK\1\2") + 42);
  add(zip.rfind("PK\5\6") + 16);
  return zip;
}

} // namespace

TEST_CASE("the payload of a self-extracting script is opened, however it is compressed") {
  for (const char* const filter : {"gzip", "xz", "zstd", "bzip2", "none"})
    CHECK_MESSAGE(told(stub + test::packed("ustar", filter, {{"bin/x", reference}})) == "f(bin/x) \n",
                  filter);
  CHECK(told(stub + test::gzipped(reference)) == "f(unpacked) \n");
}

TEST_CASE("a script's own reference is reported although its payload has the same one") {
  CHECK(told("#!/bin/sh\n" + reference + "exit\n" + test::packed("ustar", "none", {{"x", reference}})) ==
        "f script\nf(x) \n");
}

TEST_CASE("a zip after a script or a program is opened, whatever its offsets count from") {
  for (const std::string& before : {stub, program(), std::string("any\0thing", 9)})
    for (const char* const format : {"zip", "stored zip"}) {
      const std::string zip = test::packed(format, "none", {{"pkg/x.txt", reference}});
      CHECK(told(before + zip) == "f(pkg/x.txt) \n");
      CHECK(told(before + adjusted(zip, before.size())) == "f(pkg/x.txt) \n");
    }
}

TEST_CASE("a comment at the end of a script's zip does not hide it") {
  std::string zip = test::packed("zip", "none", {{"x", reference}});
  zip[zip.size() - 2] = 5;
  CHECK(told(stub + zip + "later") == "f(x) \n");
}

TEST_CASE("a payload after the last section of a program is opened or reported") {
  CHECK(told(program() + test::packed("ustar", "xz", {{"x", reference}})) == "f(x) \n");
  CHECK(told(program() + "hsqs and what follows") ==
        "! f it contains a payload that cannot be opened: squashfs\n");
  CHECK(told(program() + "nothing in particular").empty());
}

TEST_CASE("a payload that is damaged or of an unknown kind is reported") {
  const std::string packed = test::packed("ustar", "gzip", {{"x", reference}});
  CHECK(told(stub + packed.substr(0, packed.size() / 2)).starts_with("! f"));
  CHECK(told(stub + std::string("\0\1\2 of its own kind", 20)) ==
        "! f it contains a payload that cannot be opened: binary of an unknown kind\n");
  CHECK(told(stub + std::string("7z\xbc\xaf\x27\x1c\0\4", 8)) ==
        "! f it contains a payload that cannot be opened: 7-Zip\n");
}

TEST_CASE("a payload after a long script is opened or reported, wherever it begins") {
  constexpr std::size_t mib = std::size_t{1} << 20U;
  const std::string packed = test::packed("ustar", "gzip", {{"x", reference}});
  for (const std::size_t size : {mib - 300, mib - 1, mib, mib + 1, 2 * mib + 7}) {
    std::string script = "#!/bin/sh\nexit\n#";
    script += std::string(size - script.size() - 1, '-') + '\n';
    CHECK_MESSAGE(told(script + packed) == "f(x) \n", size);
    CHECK_MESSAGE(told(script + test::packed("ustar", "none", {{"x", reference}})) == "f(x) \n", size);
    CHECK_MESSAGE(told(script + std::string("\0\1\2 of its own kind", 20)) ==
                      "! f it contains a payload that cannot be opened: binary of an unknown kind\n",
                  size);
  }
}

TEST_CASE("a zip64 after a script or a program is opened") {
  std::string zip = test::packed("stored zip", "none", {{"x", reference}});
  const std::size_t directory = zip.find("PK\1\2"), record = zip.rfind("PK\5\6");
  const auto number = [](std::uint64_t value, std::size_t size) {
    std::string bytes;
    for (; size > 0; --size, value >>= 8U)
      bytes += static_cast<char>(value & 0xFFU);
    return bytes;
  };
  zip.insert(record, "PK\6\6" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) + number(1, 8) +
                         number(1, 8) + number(record - directory, 8) + number(directory, 8) + "PK\6\7" +
                         number(0, 4) + number(record, 8) + number(1, 4));
  zip.replace(zip.rfind("PK\5\6") + 8, 12, 12, '\xff');
  CHECK(told(stub + zip) == "f(x) \n");
  CHECK(told(program() + zip) == "f(x) \n");
  zip[zip.size() - 2] = 4; // with a comment
  CHECK(told(program() + zip + "said") == "f(x) \n");
}

TEST_CASE("a zip with a comment after a program is opened, wherever it begins") {
  std::string zip = test::packed("stored zip", "none", {{"x", reference}});
  zip[zip.size() - 2] = 4;
  CHECK(told(program() + std::string(100, '-') + zip + "said") == "f(x) \n");
}

TEST_CASE("a zip64 after a script or a program with a wrong record is reported") {
  std::string zip = test::packed("stored zip", "none", {{"x", reference}});
  const std::size_t record = zip.rfind("PK\5\6");
  zip.insert(record, "PK\6\6" + std::string(52, '\0') + "PK\6\7" + std::string(16, '\0'));
  for (std::size_t at = zip.rfind("PK\5\6") + 8; at + 2 < zip.size(); ++at)
    zip[at] = '\xff';
  for (const std::string& before : {stub, program()})
    CHECK(told(before + zip).find("! f it contains a payload that cannot be opened: zip64\n") !=
          std::string::npos);
}

TEST_CASE("bytes that merely look like a payload are not opened") {
  CHECK(told("#!/bin/sh\nBZh9 is how bzip2 begins\nRar!\nLZIP\n070701\n").empty());
  CHECK(told(program()).empty());
  CHECK(told(program() + "PK\5\6" + std::string(18, '\0')).empty());
  CHECK(told("#!/bin/sh\nprintf '\x1b[1m'\n\x1b[0m\n").empty());
}
