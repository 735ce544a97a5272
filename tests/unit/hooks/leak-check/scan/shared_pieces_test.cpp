// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/file_scan.hpp"
#include "hooks/leak-check/scan/scan.hpp"
#include "hooks/leak-check/scan/shared_pieces.hpp"
#include "tests/tree.hpp"
#include "tests/unit/hooks/leak-check/scan/fatbin_builder.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"

#include <atomic>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>
#include <zstd.h>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

namespace {

/// Helps with each piece in as many threads.
class Helpers final : public Crew {
public:
  explicit Helpers(unsigned count) : count_(count) {}

  void share(const std::shared_ptr<SharedPieces>& pieces) override {
    for (unsigned i = 0; i < count_; ++i)
      threads_.emplace_back([this, pieces] {
        FileScan scan(needles_, options_);
        pieces->help(scan);
      });
  }
  void join() { threads_.clear(); }

private:
  unsigned count_;
  NeedleSet needles_;
  ScanOptions options_;
  std::vector<std::jthread> threads_;
};

/// Numbers in the order in which they are taken, up to `last`.
std::vector<std::size_t> taken(std::size_t count, unsigned threads, std::size_t last) {
  const NeedleSet needles;
  const ScanOptions options;
  FileScan scan(needles, options);
  Helpers helpers(threads);
  std::atomic<std::size_t> made = 0;
  std::vector<std::size_t> numbers;
  const std::function<std::size_t(std::size_t, FileScan&)> make = [&](std::size_t i, FileScan&) {
    ++made;
    return i;
  };
  const std::function<bool(std::size_t, std::size_t &&)> take = [&](std::size_t i, std::size_t&& value) {
    CHECK(i == value);
    CHECK(made.load() <= i + 1 + SharedPieces::most_waiting);
    numbers.push_back(value);
    return value != last;
  };
  in_order(count, scan, threads == 0 ? nullptr : &helpers, make, take);
  helpers.join();
  return numbers;
}

std::vector<std::size_t> numbers_below(std::size_t end) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < end; ++i)
    numbers.push_back(i);
  return numbers;
}

} // namespace

TEST_CASE("results are taken in order, each once, whoever makes them, and few wait") {
  for (const unsigned threads : {0U, 1U, 4U})
    for (const std::size_t count : {0U, 1U, 2U, 7U, 3000U}) {
      CAPTURE(threads);
      CAPTURE(count);
      CHECK(taken(count, threads, ~std::size_t{0}) == numbers_below(count));
    }
}

TEST_CASE("no result is taken after the last one that is wanted") {
  for (const unsigned threads : {0U, 1U, 4U})
    for (const std::size_t last : {0U, 5U, 400U}) {
      CAPTURE(threads);
      CHECK(taken(1000, threads, last) == numbers_below(last + 1));
    }
}

TEST_CASE("what a piece throws, in any thread, is thrown to the leader when no other thread works any more") {
  for (const unsigned threads : {0U, 1U, 4U})
    for (const bool is_taking : {false, true}) {
      CAPTURE(threads);
      CAPTURE(is_taking);
      const NeedleSet needles;
      const ScanOptions options;
      FileScan scan(needles, options);
      Helpers helpers(threads);
      {
        const std::function<std::size_t(std::size_t, FileScan&)> make = [&](std::size_t i, FileScan&) {
          return !is_taking && i == 300 ? throw std::bad_alloc() : i;
        };
        const std::function<bool(std::size_t, std::size_t &&)> take = [&](std::size_t i, std::size_t&&) {
          return is_taking && i == 300 ? throw std::bad_alloc() : true;
        };
        CHECK_THROWS_AS(in_order(1000, scan, threads == 0 ? nullptr : &helpers, make, take), std::bad_alloc);
      }
      helpers.join();
    }
}

namespace {

const std::vector<std::string> paths = {"/opt/gcc-11", "/opt/gcc-11/lib64", "/srv/build"};

/// Hardly compressible, with paths here and there.
std::string random_text(std::mt19937& random, std::size_t size) {
  std::string text;
  while (text.size() < size)
    if (random() % 40 == 0)
      text += '\n' + paths[random() % paths.size()] + "/x" + std::to_string(random() % 3) + '\n';
    else
      for (unsigned i = 0; i < 64; ++i)
        text += static_cast<char>(random());
  return text;
}

std::string zstd_packed(const std::string& bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1));
  return packed;
}

/// LZ4 without a match.
std::string lz4_packed(const std::string& bytes) {
  std::string packed = "\xf0";
  std::size_t rest = bytes.size() - 15;
  for (; rest >= 255; rest -= 255)
    packed += '\xff';
  return packed + static_cast<char>(rest) + bytes;
}

std::string section_of(std::mt19937& random) {
  const std::string text = random_text(random, 20000 + random() % 60000);
  std::string header(24, '\0');
  header[0] = 2; // zstd
  for (std::size_t i = 0; i < 8; ++i)
    header[8 + i] = static_cast<char>(text.size() >> (8 * i) & 255U);
  return header + zstd_packed(text);
}

test::DeviceCode entry_of(std::mt19937& random) {
  const std::string text = random_text(random, 2000 + random() % 30000);
  switch (random() % 8) {
  case 0:
    return {2, 90, 0, text};
  case 1:
    return {2, 90, 0x8000, "this is not zstd"};
  case 2:
  case 3:
    return {2, 80, 0x2000, lz4_packed(text)};
  case 4:
    return {1, 80, 0x8000, zstd_packed(text).substr(0, text.size() / 2)};
  default:
    return {1, 80, 0x8000, zstd_packed(text)};
  }
}

std::string object_of_random_streams(std::mt19937& random) {
  constexpr std::uint64_t loaded = 2, compressed = 0x800;
  std::vector<test::TestSection> sections;
  for (unsigned i = 0; i < 8; ++i)
    sections.push_back({".debug_" + std::to_string(i), section_of(random), compressed});
  std::string fatbins;
  for (unsigned i = 0; i < 12; ++i) {
    std::vector<test::DeviceCode> entries;
    for (unsigned entry = 0; entry < 4; ++entry)
      entries.push_back(entry_of(random));
    fatbins += test::fatbin(entries);
  }
  sections.insert(sections.begin() + 5, {".nv_fatbin", fatbins, loaded});
  sections.push_back({"__nv_relfatbin", fatbins.substr(0, fatbins.size() / 2), loaded});
  return test::object_of(sections);
}

std::string line_of(const FoundNeedle& one) {
  std::string line = shown(one.where) + ' ' + one.where.section + ' ' + one.text + " of " + one.common +
                     " x" + std::to_string(one.times) + (one.attached ? " attached" : "");
  for (const std::uint64_t offset : one.offsets)
    line += ' ' + std::to_string(offset);
  return line;
}

std::vector<std::string> scanned(const test::Tree& tree, const ScanOptions& options) {
  std::vector<std::string> lines;
  scan_tree({tree.root()}, NeedleSet::make(paths).value(), options, [&](ScannedFile&& file) {
    for (const FoundNeedle& one : file.found)
      lines.push_back(line_of(one));
    for (const Unseen& unseen : file.unseen)
      lines.push_back("! " + shown(unseen.where) + ' ' + unseen.where.section + ' ' + unseen.reason);
    lines.push_back(file.path + " has " + std::to_string(file.parts.size()) + " parts, " +
                    std::to_string(file.device_code.fatbins) + " fatbins");
  });
  return lines;
}

} // namespace

TEST_CASE("any number of threads and any size of pieces give the same findings of the same streams") {
  std::mt19937 random(11);
  const test::Tree tree;
  const std::string object = object_of_random_streams(random);
  tree.write("a.o", object);
  tree.write("b.a", test::ar_archive({{"x.o", object}, {"y.o", object_of_random_streams(random)}}));
  tree.write("c.zip", test::packed("zip", "none", {{"x.o", object}, {"y.o", object}}));
  ScanLimits all, few_bytes, few_entries;
  few_bytes.decompressed = 700'000;
  few_entries.entries = 60;
  for (const ScanLimits& limits : {all, few_bytes, few_entries}) {
    ScanOptions options;
    options.limits = limits;
    options.threads = 1;
    const std::vector<std::string> one = scanned(tree, options);
    CHECK(one.size() > 100);
    for (const unsigned threads : {1U, 2U, 5U, 16U})
      for (const std::uint64_t piece : {std::uint64_t{5000}, std::uint64_t{300'000}, options.piece}) {
        CAPTURE(threads);
        CAPTURE(piece);
        ScanOptions same = options;
        same.threads = threads;
        same.piece = piece;
        CHECK(scanned(tree, same) == one);
      }
  }
}
