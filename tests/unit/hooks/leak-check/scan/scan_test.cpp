// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/scan.hpp"
#include "tests/tree.hpp"
#include "tests/unit/hooks/leak-check/scan/fatbin_builder.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>
#include <zlib.h>
#include <zstd.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;
namespace fs = std::filesystem;

namespace {

const std::string needle = "/opt/gcc-11";

std::vector<ScannedFile> scanned(const std::vector<std::string>& roots, const ScanOptions& options = {}) {
  std::vector<ScannedFile> files;
  const NeedleSet needles = NeedleSet::make({needle}).value();
  scan_tree(roots, needles, options, [&](ScannedFile&& file) { files.push_back(std::move(file)); });
  return files;
}

/// `place section offset` of each hit, and `! place reason` of what was not seen.
std::vector<std::string> told(const std::vector<ScannedFile>& files) {
  std::vector<std::string> lines;
  for (const ScannedFile& file : files) {
    for (const FoundNeedle& one : file.found)
      lines.push_back(shown(one.where) + ' ' + one.where.section + ' ' +
                      std::to_string(one.where.offset.value()));
    for (const Unseen& unseen : file.unseen)
      lines.push_back(std::string("! ").append(shown(unseen.where)) + ' ' + unseen.where.section + ' ' +
                      unseen.reason);
  }
  return lines;
}

using Lines = std::vector<std::string>;

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines)
    text.append(line).append("\n");
  return text;
}

std::string with_header(unsigned type, const std::string& packed, std::size_t size) {
  std::string header(24, '\0');
  header[0] = static_cast<char>(type);
  for (std::size_t i = 0; i < 8; ++i)
    header[8 + i] = static_cast<char>(size >> (8 * i) & 255U);
  return header + packed;
}

std::string zstd_packed(const std::string& bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3));
  return packed;
}

std::string zlib_packed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
           bytes.size());
  packed.resize(size);
  return packed;
}

constexpr std::uint64_t loaded = 2, compressed = 0x800;

} // namespace

TEST_CASE("any number of threads visits files in the same order with the same hits") {
  const test::Tree tree;
  std::mt19937 random(5);
  for (unsigned i = 0; i < 700; ++i) {
    std::string bytes(random() % 5000, static_cast<char>(i));
    if (i % 3 == 0)
      bytes += std::string("\n").append(needle).append("\n");
    tree.write(std::to_string(i % 7) + "/f" + std::to_string(i), i % 20 == 0 ? test::gzipped(bytes) : bytes);
  }
  // Larger than a segment; holes cost nothing.
  const std::string large = tree.write("large", "");
  const int file = ::open(large.c_str(), O_WRONLY | O_CLOEXEC);
  constexpr off_t segment = off_t{16} << 20;
  for (const off_t at : {off_t{0}, segment - 5, 2 * segment - 11, 3 * segment + 100, 5 * segment - 11})
    REQUIRE(::pwrite(file, needle.data(), needle.size(), at) == static_cast<ssize_t>(needle.size()));
  ::close(file);
  ScanOptions options;
  options.threads = 1;
  const Lines one = told(scanned({tree.root()}, options));
  CHECK(std::count(one.begin(), one.end(), "large  0") == 1);
  for (const unsigned threads : {2U, 5U}) {
    options.threads = threads;
    CHECK(told(scanned({tree.root()}, options)) == one);
  }
  const auto files = scanned({large}, options);
  CHECK(files.at(0).found.at(0).offsets ==
        std::vector<std::uint64_t>{0, segment - 5, 2 * segment - 11, 3 * segment + 100, 5 * segment - 11});
}

TEST_CASE("a hit has its section, and the file has what the loader reads") {
  const test::Tree tree;
  tree.write("liba.so", test::ElfBuilder(true, true).build("liba.so", {}, {{"libb.so", {"W"}}}) + needle);
  tree.write("x.o", test::object_with(".rodata", needle, loaded));
  const auto files = scanned({tree.root()});
  CHECK(told(files).at(1) == "x.o .rodata 64");
  CHECK(files[0].kind == ScannedFile::Kind::elf);
  CHECK(files[0].parts.at(0).elf->image.value().needed == std::vector<std::string>{"libb.so"});
  CHECK(files[0].found.size() == 1);
}

TEST_CASE("the content of a file with two names is reported once, and its facts twice") {
  const test::Tree tree;
  tree.write("a/x.o", test::object_with(".rodata", needle, loaded));
  fs::create_directory(tree.path("b"));
  fs::create_hard_link(tree.path("a/x.o"), tree.path("b/y.o"));
  const auto files = scanned({tree.root()});
  REQUIRE(files.size() == 2);
  CHECK(files[0].found.size() == 1);
  CHECK(files[1].found.empty());
  CHECK(files[1].hard_link_of == "a/x.o");
  CHECK(files[1].parts.at(0).elf);
}

TEST_CASE("symlinks are read as text") {
  const test::Tree tree;
  fs::create_symlink(needle + "/bin/g++", tree.path("cxx"));
  const auto files = scanned({tree.root()});
  CHECK(told(files) == Lines{"cxx symlink 0"});
  CHECK(files[0].kind == ScannedFile::Kind::symlink);
  CHECK(files[0].parts.at(0).link_target == needle + "/bin/g++");
}

TEST_CASE("members of packed files are scanned at any depth, once, each with its own place") {
  const test::Tree tree;
  const std::string object = test::object_with(".rodata", needle, loaded);
  const std::string archive = test::ar_archive({{"x.o", object}});
  const std::string wheel =
      test::packed("zip", "none", {{"p/lib.a", archive}, {"p/x.pc", "Libs: -L" + needle + "\n"}});
  const std::string tar =
      test::packed("ustar", "xz", {{"../w.whl", wheel}, {"cxx@", needle + "/bin/g++"}, {"plain", needle}});
  tree.write("a.tar.xz", tar);
  tree.write("b.tar", test::packed("ustar", "none", {{"plain", needle}}));
  tree.write("c.zip", test::packed("stored zip", "none", {{"stored", needle}}));
  tree.write("d.txt.gz", test::gzipped(needle));
  tree.write("e.a", test::ar_archive({{"in.a", archive}, {"t.gz", test::gzipped(needle)}}));
  CHECK(joined(told(scanned({tree.root()}))) ==
        joined({"a.tar.xz(../w.whl)(p/lib.a)(x.o) .rodata 64", "a.tar.xz(../w.whl)(p/x.pc) pkg-config 8",
                "a.tar.xz(cxx) symlink 0", "a.tar.xz(plain)  0", "b.tar(plain)  0", "c.zip(stored)  0",
                "d.txt.gz(d.txt)  0", "e.a(in.a)(x.o) .rodata 64", "e.a(t.gz)(t)  0"}));
}

TEST_CASE("a hit in an archive's own bytes is dropped only if a member that is opened has it too") {
  const test::Tree tree;
  const std::string lz4 = std::string("\x04\x22\x4d\x18", 4) + std::string(8, '\0');
  // The needle continues after the end of the first member, as in no undamaged archive.
  const std::string across = test::ar_archive({{"x", lz4 + needle.substr(0, 4)}}) + needle.substr(4);
  tree.write("a.a", across + std::string(60, '\n'));
  tree.write("b.a",
             test::ar_archive({{"same", "text " + needle + ' '}, {"same", test::gzipped("nothing!")}}));
  // And one that ends where its member does, right before the name of the next.
  tree.write("c.a", test::ar_archive({{"x", "text " + needle}, {"y", "more"}}));
  CHECK(joined(told(scanned({tree.root()}))) ==
        joined({"a.a(x)  12", "! a.a  it is damaged: no member begins at byte " + std::to_string(8 + 60 + 16),
                "! a.a(x)  files of this kind cannot be opened: lz4", "b.a(same)  5", "c.a(x)  5"}));
}

TEST_CASE("a large member that is read in any order goes to a scratch file, or is reported as unseen") {
  const test::Tree tree;
  const std::string object = test::object_with(".rodata", std::string(3000000, '\0') + needle, loaded);
  tree.write("x.tar.gz", test::packed("ustar", "gzip", {{"x.o", object}}));
  ScanOptions options;
  options.scratch = tree.root();
  CHECK(told(scanned({tree.path("x.tar.gz")}, options)) ==
        Lines{tree.path("x.tar.gz") + "(x.o) .rodata " + std::to_string(64 + 3000000)});
  options.scratch = tree.path("absent");
  const Lines lines = told(scanned({tree.path("x.tar.gz")}, options));
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("cannot make a file in") != std::string::npos);
}

TEST_CASE("compressed sections and entries of fatbins are opened, and unknown compression is reported") {
  const test::Tree tree;
  const std::string text = std::string(70, 'x') + '\n' + needle;
  tree.write("a.o",
             test::object_with(".debug_str", with_header(1, zlib_packed(text), text.size()), compressed));
  tree.write("b.o",
             test::object_with(".debug_str", with_header(2, zstd_packed(text), text.size()), compressed));
  tree.write("c.o", test::object_with(".debug_str", with_header(9, "???", 3), compressed));
  tree.write("d.o", test::object_with(".nv_fatbin",
                                      test::fatbin({{1, 80, 0x8000, zstd_packed(text)}, {2, 90, 0, "???"}}),
                                      loaded));
  tree.write(
      "e.a",
      test::ar_archive(
          {{"d.o", test::object_with(
                       "__nv_relfatbin",
                       test::fatbin({{2, 90, 0x2000,
                                      std::string{'\xf0', static_cast<char>(text.size() - 15)} + text}}),
                       loaded)}}));
  tree.write("f.o", test::object_with(".nv_fatbin", "no such thing here", loaded));
  CHECK(joined(told(scanned({tree.root()}))) ==
        joined({"a.o .debug_str 71", "b.o .debug_str 71",
                "! c.o .debug_str it is compressed by an unknown method", "d.o(sm_80 PTX 1) .nv_fatbin 71",
                "! d.o .nv_fatbin 1 of its entries are compressed by an unknown method",
                "e.a(d.o)(sm_90 cubin 1) __nv_relfatbin 71",
                "! f.o .nv_fatbin its device code is cut short or damaged at byte 0"}));
}

TEST_CASE("deeply nested archives are opened up to a limit, which is reported") {
  const test::Tree tree;
  std::string bytes = needle;
  for (int i = 0; i < 50; ++i)
    bytes = i % 2 == 0 ? test::gzipped(bytes) : test::packed("ustar", "none", {{"x", bytes}});
  tree.write("deep", bytes);
  const Lines lines = told(scanned({tree.root()}));
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("nested deeper than 8 levels") != std::string::npos);
  ScanOptions options;
  options.limits.depth = 50;
  CHECK(told(scanned({tree.root()}, options)).size() == 1);
  CHECK(told(scanned({tree.root()}, options))[0].starts_with("deep("));
}

TEST_CASE("a bomb of any kind is opened up to a limit, which is reported") {
  const test::Tree tree;
  const std::string zeros(8000000, '\0');
  const std::string sparse = with_header(1, zlib_packed(zeros), zeros.size());
  tree.write("a.gz", test::gzipped(zeros));
  tree.write("b.zip", test::packed("zip", "none", {{"1", zeros}, {"2", needle}}));
  tree.write("c.gz", test::gzipped(test::gzipped(zeros)));
  tree.write("d.o", test::object_with(".debug_str", sparse, compressed));
  tree.write("e.o",
             test::object_with(".nv_fatbin", test::fatbin({{1, 80, 0x8000, zstd_packed(zeros)}}), loaded));
  tree.write("f.tar.xz", test::packed("ustar", "xz", {{"elf", test::object_with(".x", zeros, loaded)}}));
  ScanOptions options;
  options.limits.ratio_from = 1000000;
  for (const ScannedFile& file : scanned({tree.root()}, options)) {
    CAPTURE(file.path);
    REQUIRE_FALSE(file.unseen.empty());
    CHECK(file.unseen.back().reason.find("as decompression bombs do") != std::string::npos);
  }
  options.limits.ratio_from = 10000000;
  options.limits.members = 1;
  CHECK(told(scanned({tree.path("b.zip")}, options)).at(0).find("more than 1 members") != std::string::npos);
}

TEST_CASE(
    "what vanishes, is not a file, is damaged or of a kind that cannot be opened is reported as unseen") {
  const test::Tree tree;
  tree.write("1", "x");
  tree.write("2", "x");
  tree.write("3.7z", "7z\xbc\xaf\x27\x1c");
  tree.write("4.gz", test::gzipped(std::string(5000, 'x') + needle).substr(0, 20));
  tree.write("5.so", std::string("\x7f"
                                 "ELF\2\1\1"));
  REQUIRE(::mkfifo(tree.path("6").c_str(), 0600) == 0);
  ScanOptions options;
  options.threads = 1;
  Lines lines;
  const NeedleSet needles = NeedleSet::make({needle}).value();
  scan_tree({tree.root()}, needles, options, [&](ScannedFile&& file) {
    if (file.path == "1")
      fs::remove(tree.path("2"));
    for (const std::string& line : told({std::move(file)}))
      lines.push_back(line.substr(0, 24));
  });
  CHECK(joined(lines) ==
        joined({"! 2  it no longer exists", "! 3.7z  files of this ki", "! 4.gz  it cannot be ope",
                "! 5.so  it is cut short:", "! 6  it is a FIFO"}));
}

TEST_CASE("without content only facts are returned") {
  const test::Tree tree;
  tree.write("liba.so", test::ElfBuilder(true, true).build("liba.so", {}) + needle);
  tree.write("x.gz", test::gzipped(needle));
  tree.write("x.pc", "Libs: " + needle + "\n");
  ScanOptions options;
  options.content = false;
  const auto files = scanned({tree.root()}, options);
  CHECK(told(files).empty());
  CHECK(files.at(0).parts.at(0).elf);
  CHECK(files.at(2).parts.at(0).text.value().references.size() == 1);
}

TEST_CASE("objects of a static library are counted by their machine, and DLLs have theirs") {
  const test::Tree tree;
  const auto object = [](bool little) { return test::ElfBuilder(true, little).build("", {}); };
  std::string cubin = object(true), arm = object(false);
  cubin[18] = '\xbe';
  arm[19] = '\xb7';
  tree.write("x.a", test::ar_archive({{"a.o", object(true)},
                                      {"b.o", arm},
                                      {"c.o", object(true)},
                                      {"d.cubin", cubin},
                                      {"in.a", test::ar_archive({{"e.o", object(true)}})}}));
  std::string dll = "MZ" + std::string(0x3a, '\0') + std::string("\x80\x10\0\0", 4); // after a long stub
  dll.resize(0x1080);
  dll += std::string("PE\0\0\x64\xaa", 6) + std::string(16, '\0') + "\x22\x20";
  tree.write("y.dll", dll);
  tree.write("z.pc", "MZ=1\nprefix=" + needle + "\n");
  const auto files = scanned({tree.root()});
  REQUIRE(files.size() == 3);
  std::vector<std::string> counted;
  for (const ArchivedObjects& one : files[0].objects)
    counted.push_back(std::to_string(one.archive.size()) + ' ' + one.first + ' ' +
                      (one.kind.big ? "big " : "") + std::to_string(one.kind.machine) + ' ' +
                      std::to_string(one.number));
  CHECK(counted == Lines{"0 a.o 62 2", "0 b.o big 183 1", "1 e.o 62 1"});
  REQUIRE(files[1].parts.size() == 1);
  REQUIRE(files[1].parts.front().pe);
  CHECK(files[1].parts.front().pe->machine == 0xaa64);
  CHECK(files[1].parts.front().pe->library);
  REQUIRE(files[2].parts.size() == 1);
  CHECK(files[2].parts.front().text);
}
