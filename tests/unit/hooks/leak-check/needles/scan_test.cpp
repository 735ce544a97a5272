// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/needles/path_text.hpp"
#include "hooks/leak-check/needles/scan.hpp"

#include <algorithm>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

namespace hostpin::leak {

std::ostream& operator<<(std::ostream& out, const Hit& hit) {
  return out << "needle " << hit.needle << " at " << hit.offset << " length " << hit.length << " how "
             << static_cast<int>(hit.how) << " encoding " << static_cast<int>(hit.encoding)
             << (hit.attached ? " attached" : "");
}

} // namespace hostpin::leak

namespace {

const std::string hash = "0123456789abcdfghijklmnpqrsvwxyz";

NeedleSet set_of(const std::vector<std::string>& paths) {
  return NeedleSet::make(paths).value();
}

bool before(const Hit& a, const Hit& b) {
  return std::tie(a.offset, a.needle, a.how, a.length) < std::tie(b.offset, b.needle, b.how, b.length);
}

/// `cuts`: sizes of the pieces, used in turn.
std::vector<Hit> hits(const NeedleSet& set, std::string_view bytes, const std::vector<std::size_t>& cuts) {
  std::vector<Hit> found;
  NeedleScan scan(
      set, [&](const Hit& hit) { found.push_back(hit); }, 4096);
  for (std::size_t turn = 0; !bytes.empty(); ++turn) {
    const std::span<char> space = scan.space();
    const std::size_t count = std::min({space.size(), bytes.size(), cuts[turn % cuts.size()]});
    std::copy_n(bytes.begin(), count, space.begin());
    scan.advance(count);
    bytes.remove_prefix(count);
  }
  scan.finish();
  std::sort(found.begin(), found.end(), before);
  return found;
}

std::vector<Hit> hits(const NeedleSet& set, std::string_view bytes) {
  return hits(set, bytes, {4096});
}

std::string utf16(std::string_view text, bool big) {
  std::string wide;
  for (const char c : text)
    wide += big ? std::string{'\0', c} : std::string{c, '\0'};
  return wide;
}

} // namespace

TEST_CASE("a path is found if it is a whole path or begins one") {
  const NeedleSet set = set_of({"/opt/gcc-11"});
  struct Row {
    const char* text;
    bool found;
  };
  const Row rows[] = {
      {"/opt/gcc-11", true},
      {"/opt/gcc-11/lib64", true},
      {"-L/opt/gcc-11/lib64", true},
      {"-isystem/opt/gcc-11", true},
      {"-Wl,-rpath,/opt/gcc-11:/usr/lib", true},
      {"rpath=/opt/gcc-11", true},
      {"see /opt/gcc-11. Next", true},
      {"file:///opt/gcc-11", true},
      {"\"/opt/gcc-11\"", true},
      {"/opt/gcc-11\xe2\x80\x9d", true},
      {"//opt/gcc-11", true},
      {"/opt/gcc-110", false},
      {"/opt/gcc-11.old", false},
      {"/opt/gcc-11-rc", false},
      {"/opt/gcc-1", false},
      {"/srv/root/opt/gcc-11", false},
      {"/srv//opt/gcc-11", false},
      {"${prefix}/opt/gcc-11", false},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.text));
    const std::vector<Hit> found = hits(set, row.text);
    CHECK(found.size() == (row.found ? 1U : 0U));
    if (row.found && !found.empty()) {
      CHECK_FALSE(found[0].attached);
      CHECK(std::string_view(row.text).substr(found[0].offset, found[0].length) == "/opt/gcc-11");
    }
  }
}

TEST_CASE("text directly before a path is reported") {
  const NeedleSet set = set_of({"/opt/gcc-11"});
  CHECK(hits(set, "share/opt/gcc-11") ==
        std::vector<Hit>{{0, 5, 11, Hit::How::exact, Hit::Encoding::bytes, true}});
  CHECK(hits(set, "./opt/gcc-11") ==
        std::vector<Hit>{{0, 1, 11, Hit::How::exact, Hit::Encoding::bytes, true}});
}

TEST_CASE("a needle is found at the very end, across pieces, and overlapping another") {
  const NeedleSet set = set_of({"/opt/gcc-11/lib", "/opt/gcc-11", "/lib", "/usr"});
  for (const std::size_t before_it : {0U, 4090U, 8000U, 8190U, 20000U}) {
    const std::string bytes = std::string(before_it, '\0') + "/opt/gcc-11/lib";
    for (const std::size_t cut : {1U, 7U, 4096U})
      CHECK(hits(set, bytes, {cut}) ==
            std::vector<Hit>{{0, before_it, 15, Hit::How::exact, Hit::Encoding::bytes, false},
                             {1, before_it, 11, Hit::How::exact, Hit::Encoding::bytes, false}});
  }
  CHECK(hits(set, "/usr").size() == 1);
  CHECK(hits(set, "/us").empty());
}

TEST_CASE("a path is found under another spelling") {
  const NeedleSet set = set_of({"/opt/gcc-11/lib64/", "/usr//lib/./gcc/x86_64-linux-gnu/11"});
  CHECK(set.paths()[0] == "/opt/gcc-11/lib64");
  CHECK(set.paths()[1] == "/usr/lib/gcc/x86_64-linux-gnu/11");
  struct Row {
    const char* text;
    std::uint32_t needle;
    std::uint64_t offset, length;
  };
  const Row rows[] = {
      {"/opt/gcc-11/lib/../lib64", 0, 0, 24},
      {"-L/opt/gcc-11/bin/../lib64/libx.so", 0, 2, 32},
      {"/opt//gcc-11/lib64", 0, 0, 18},
      {"a:/opt/./gcc-11/lib64:b", 0, 2, 19},
      {"/usr/lib/gcc/x86_64-linux-gnu/12/../11/include", 1, 0, 46},
      {"/../../opt/gcc-11/lib64", 0, 0, 23},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(hits(set, row.text) == std::vector<Hit>{{row.needle, row.offset, row.length, Hit::How::normalised,
                                                   Hit::Encoding::bytes, false}});
  }
  CHECK(hits(set, "/opt/gcc-11/lib64/../lib32").size() == 1); // spelt out, though it leads elsewhere
  CHECK(hits(set, "/opt/gcc-11/lib/../lib32").empty());
  CHECK(hits(set, "../opt/gcc-11/x/../lib64").empty());
  CHECK(hits(set, "// a comment /opt").empty());
}

TEST_CASE("UTF-16 is read in both byte orders") {
  const NeedleSet set = set_of({"/opt/gcc-11"});
  for (const bool big : {false, true}) {
    CAPTURE(big);
    const std::string bytes = utf16("PATH=/opt/gcc-11/bin", big);
    CHECK(hits(set, bytes) ==
          std::vector<Hit>{{0, big ? 11U : 10U, 22, Hit::How::exact, Hit::Encoding::utf16, false}});
    CHECK(hits(set, utf16("/opt/gcc-110", big)).empty());
    CHECK(hits(set, utf16("/opt/gcc-11", big)).size() == 1);
    CHECK(hits(set, utf16("/srv/opt/gcc-11", big)).empty());
  }
}

TEST_CASE("a path with escaped slashes is found as the same path") {
  const NeedleSet set = set_of({"/opt/gcc-11", "/usr", "/a/b/c"});
  struct Row {
    const char* text;
    std::uint32_t needle;
    std::uint64_t offset, length;
    Hit::How how;
  };
  const Row rows[] = {
      {R"("\/opt\/gcc-11\/lib64")", 0, 2, 12, Hit::How::exact},
      {R"(-L\/opt\/gcc-11)", 0, 3, 12, Hit::How::exact},
      {R"("\/usr\/lib")", 1, 2, 4, Hit::How::exact},
      {R"(\/a\/b\/c)", 2, 1, 8, Hit::How::exact},
      {R"(\/opt\/x\/..\/gcc-11")", 0, 1, 19, Hit::How::normalised},
      {R"(\/opt\/\/gcc-11")", 0, 1, 14, Hit::How::normalised},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(hits(set, row.text) ==
          std::vector<Hit>{{row.needle, row.offset, row.length, row.how, Hit::Encoding::escaped, false}});
  }
  for (const char* const text : {R"(\/opt\/gcc-110)", R"(\/srv\/opt\/gcc-11)", R"(\/srv\/usr\/lib)",
                                 R"(/opt\/gcc-11)", R"(\\/opt\\/gcc-11)", R"(\/opt\gcc-11)"}) {
    CAPTURE(std::string(text));
    CHECK(hits(set, text).empty());
  }
}

TEST_CASE("text has the same hits when its slashes are escaped") {
  std::mt19937 random(7);
  const auto pick = [&](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  const std::string store = "/nix/store/" + hash + "-gcc";
  const std::string long_path = "/opt/" + std::string(300, 'x');
  const NeedleSet set = set_of({"/opt/gcc-11", "/opt/gcc-11/lib64", "/usr", store, "/a/b/c", long_path});
  const std::vector<std::string> pieces = {"/opt/gcc-11", "/opt/gcc-11/lib64",
                                           "/usr",        store,
                                           "/a/b/c",      long_path,
                                           hash,          "/opt/x/../gcc-11/",
                                           "//opt//",     "/.",
                                           "/nix/",       "..",
                                           "a",           "-L",
                                           " ",           ":",
                                           "\n",          "\"",
                                           "/",           ")",
                                           "}",           "/a/b",
                                           ".",           std::string(70, 'b')};
  std::size_t all = 0;
  for (int round = 0; round < 60; ++round) {
    std::string text;
    while (text.size() < 20000)
      text += pieces[pick(pieces.size())];
    std::vector<Hit> expected = hits(set, text);
    for (Hit& hit : expected) {
      const bool has_slash = text[hit.offset] == '/';
      hit.length = escaped(text.substr(hit.offset, hit.length)).size() - (has_slash ? 1 : 0);
      if (has_slash || (hit.offset > 0 && text[hit.offset - 1] == '/'))
        hit.encoding = Hit::Encoding::escaped;
      hit.offset = escaped(text.substr(0, hit.offset + 1)).size() - 1;
    }
    std::sort(expected.begin(), expected.end(), before);
    CHECK(hits(set, escaped(text), {1 + pick(50), 1 + pick(4096)}) == expected);
    all += expected.size();
  }
  CHECK(all > 5000);
}

TEST_CASE("the hash of a store path counts without the rest of it") {
  const std::string path = "/nix/store/" + hash + "-gcc-11.4.0";
  const NeedleSet set = set_of({path});
  CHECK(hits(set, "x" + hash) == std::vector<Hit>{{0, 1, 32, Hit::How::hash, Hit::Encoding::bytes, false}});
  CHECK(hits(set, "abc" + hash + "abc").size() == 1);
  CHECK(hits(set, hash.substr(1) + "-").empty());
  CHECK(hits(set, hash + hash).size() == 2);
  // the whole path is reported instead, once
  CHECK(hits(set, path + "/lib") ==
        std::vector<Hit>{{0, 0, path.size(), Hit::How::exact, Hit::Encoding::bytes, false}});
  CHECK(hits(set, path + ".old/lib").size() == 1);
  CHECK(hits(set, path + " x" + hash).size() == 2);
  CHECK(hits(set_of({path + "/lib", path}), path + "/lib:").size() == 2); // one for each needle
}

TEST_CASE("among needles with common prefixes, exactly those that occur are found") {
  // All windows of eight bytes are the same, and many needles are prefixes of others, as texts and as paths.
  const std::vector<std::string> starts = {"/versions/prefix-", "/opt/versions/prefix-",
                                           "/x/versions/prefix-"};
  std::mt19937 random(4);
  const auto pick = [&](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  const auto name = [&] {
    std::string text = starts[pick(starts.size())];
    for (std::size_t length = 1 + pick(5); length > 0; --length)
      text += "ab/1"[pick(text.back() == '/' ? 2 : 4)];
    return text;
  };
  std::vector<std::string> needles;
  for (int i = 0; i < 400; ++i)
    needles.push_back(name());
  const NeedleSet set = set_of(needles);
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += name() + (pick(8) == 0 ? "x" : "") + "\n";
  std::vector<Hit> expected;
  for (std::uint32_t needle = 0; needle < set.paths().size(); ++needle) {
    const std::string& path = set.paths()[needle];
    for (std::size_t at = text.find(path); at != std::string::npos; at = text.find(path, at + 1))
      if ((at == 0 || text[at - 1] == '\n') &&
          std::string_view("\n/").find(text[at + path.size()]) != std::string::npos)
        expected.push_back({needle, at, path.size(), Hit::How::exact, Hit::Encoding::bytes, false});
  }
  std::sort(expected.begin(), expected.end(), before);
  std::vector<Hit> found = hits(set, text);
  CHECK(expected.size() > 600); // several on many lines
  std::erase_if(found, [](const Hit& hit) { return hit.attached; });
  CHECK(found == expected);
  for (const bool big : {false, true}) {
    std::vector<Hit> wide = hits(set, utf16(text, big), {1000});
    std::erase_if(wide, [](const Hit& hit) { return hit.attached; });
    std::vector<Hit> same = expected;
    for (Hit& hit : same) {
      hit.offset = 2 * hit.offset + (big ? 1U : 0U);
      hit.length *= 2;
      hit.encoding = Hit::Encoding::utf16;
    }
    CHECK(wide == same);
  }
}

TEST_CASE("hashes with common prefixes are distinguished") {
  std::vector<std::string> paths;
  for (char c = '0'; c <= '9'; ++c)
    paths.push_back("/nix/store/" + hash.substr(0, 31) + c + "-gcc");
  const NeedleSet set = set_of(paths);
  for (std::uint32_t i = 0; i < paths.size(); ++i)
    CHECK(hits(set, "x" + paths[i].substr(11, 32)) ==
          std::vector<Hit>{{i, 1, 32, Hit::How::hash, Hit::Encoding::bytes, false}});
  CHECK(hits(set, hash).empty());
}

/// GCC 12 warns of an overlap in `"/" + std::string(...)` where there is none.
std::string path_of_length(std::size_t length) {
  std::string path(length, 'a');
  path.front() = '/';
  return path;
}

TEST_CASE("a path that cannot be searched for is refused by name") {
  for (const char* const path : {"", "opt/gcc", "/", "/a", "/ab", "/a/../b"}) {
    CAPTURE(path);
    const auto set = NeedleSet::make({"/opt/gcc-11", path});
    REQUIRE_FALSE(set);
    CHECK(set.error().message.find(std::string("'") + path + "'") != std::string::npos);
    CHECK_FALSE(set.error().hint.empty());
  }
  CHECK_FALSE(NeedleSet::make({path_of_length(NeedleSet::longest + 1)}));
  CHECK(NeedleSet::make({path_of_length(NeedleSet::longest)}));
  CHECK_FALSE(NeedleSet::make({std::string("/opt/\0gcc", 9)}));
}

TEST_CASE("the longest covering needle is found") {
  const NeedleSet set = set_of({"/opt", "/opt/gcc-11", "/opt/gcc-11"});
  CHECK(set.paths().size() == 2);
  CHECK(set.covering("/opt/gcc-11/lib") == 1);
  CHECK(set.covering("/opt/gcc-110") == 0);
  CHECK(set.covering("/opt") == 0);
  CHECK_FALSE(set.covering("/op"));
  CHECK_FALSE(set.covering("/"));
}

TEST_CASE("any division of a stream gives the same hits, and no exact one is missed") {
  std::mt19937 random(20);
  const auto pick = [&](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
  };
  const std::vector<std::string> needles = {"/opt/gcc-11", "/opt/gcc-11/lib64",
                                            "/usr",        "/nix/store/" + hash + "-gcc",
                                            "/a/b/c",      "/opt/" + std::string(3000, 'x')};
  const NeedleSet set = set_of(needles);
  const std::vector<std::string> pieces = {needles[0],
                                           needles[1],
                                           needles[2],
                                           needles[3],
                                           needles[4],
                                           needles[5],
                                           hash,
                                           utf16(needles[0], false),
                                           utf16(needles[4], true),
                                           "/opt/x/../gcc-11/",
                                           "//opt//",
                                           "/.",
                                           "..",
                                           "a",
                                           "-L",
                                           " ",
                                           ":",
                                           "\n",
                                           std::string(1, '\0'),
                                           "/",
                                           std::string(5000, '/'),
                                           std::string(4200, 'q'),
                                           std::string(40, 'b')};
  for (int round = 0; round < 60; ++round) {
    std::string bytes;
    std::vector<Hit> certain;
    while (bytes.size() < 40000) {
      const std::size_t which = pick(pieces.size());
      if (which < 5 && pick(2) == 0) { // set off, so that it must be found
        bytes += ' ';
        certain.push_back({static_cast<std::uint32_t>(which), bytes.size(), needles[which].size(),
                           Hit::How::exact, Hit::Encoding::bytes, false});
        bytes += needles[which] + ' ';
      } else {
        bytes += pieces[which];
      }
    }
    const std::vector<Hit> whole = hits(set, bytes, {4096});
    for (const Hit& hit : certain) {
      CAPTURE(hit);
      CHECK(std::find(whole.begin(), whole.end(), hit) != whole.end());
    }
    std::vector<std::size_t> cuts;
    for (int i = 0; i < 50; ++i)
      cuts.push_back(1 + pick(pick(2) == 0 ? 16 : 4096));
    CHECK(hits(set, bytes, cuts) == whole);
  }
}
