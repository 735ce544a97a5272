// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/judge/judge.hpp"
#include "hooks/lto-check/judge/rules.hpp"
#include "hooks/lto-check/judge/text.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::lto;

namespace {

const StreamReleases no_releases;

Bitstream gcc(std::uint32_t major, std::uint32_t minor, bool slim) {
  return {LtoFormat::gcc_lto, major, minor, "GCC: (Debian " + std::to_string(major) + ") 0.0", slim, 0};
}
Bitstream llvm(std::uint32_t major, const std::string& suffix = ".0.0") {
  return {LtoFormat::llvm_bitcode, major, 0, "LLVM" + std::to_string(major) + suffix, true, 0};
}

Linker bfd_with_gcc(bool by_collect2 = false) {
  return {"/usr/bin/ld",
          LinkerFamily::bfd,
          {2, 40, 0},
          GccReader{12, 0, "GCC: (Debian) 12.2.0", by_collect2},
          {}};
}
Linker plain(LinkerFamily family) {
  return {"/usr/bin/ld", family, {2, 40, 0}, {}, {}};
}
Linker lld(int major) {
  return {"/usr/bin/ld.lld", LinkerFamily::lld, {major, 0, 0}, {}, LlvmReader{major, "lld"}};
}

std::string verdict(const Bitstream& stream, const Linker& linker, const LinkShape& shape = {}) {
  const LinkContext context{linker, shape, "g++", no_releases};
  const auto judgements = judge({"x.o", {}, {stream}, std::nullopt}, context);
  REQUIRE(judgements.size() == 1);
  const Judgement& judgement = judgements.front();
  // A mismatch has a reason and a fix, a stream that fits has none.
  const bool wrong = judgement.verdict != LtoVerdict::ok;
  CHECK(judgement.refused == wrong);
  CHECK(judgement.reason.empty() != wrong);
  CHECK(judgement.fix.empty() != wrong);
  return to_string(judgement.verdict);
}

const LinkShape shared{true, false, false, false};
const LinkShape relocatable{false, true, false, false};

} // namespace

TEST_CASE("a linker that cannot load its plugin takes nothing, needed or not") {
  Linker linker = plain(LinkerFamily::gold);
  linker.unloadable = "GLIBC_2.38 not found";
  CHECK(verdict(gcc(12, 0, true), linker) == "mismatch");
  CHECK(verdict(gcc(12, 0, false), linker) == "mismatch");
  CHECK(verdict(llvm(14), linker) == "mismatch");
  const LinkContext context{linker, {}, "g++", no_releases};
  Judgement judgement = judge({"x.a", {"m.o"}, {gcc(12, 0, true)}, std::nullopt}, context).front();
  CHECK(judgement.reason.find("GLIBC_2.38 not found") != std::string::npos);
  doubt(judgement, Need::unlikely, context);
  CHECK(judgement.refused);
}

TEST_CASE(
    "a member that is only read for its symbols stops the link if the reader does not know an attribute") {
  const Linker linker = lld(16);
  const LinkContext context{linker, {}, "clang++", no_releases};
  const auto doubted = [&](Glance glance) {
    Judgement judgement = judge({"x.a", {"m.o"}, {llvm(22)}, std::nullopt}, context).front();
    doubt(judgement, Need::unlikely, context, glance);
    return judgement;
  };
  CHECK(doubted(Glance::fails).refused);
  CHECK(doubted(Glance::fails).verdict == LtoVerdict::mismatch);
  CHECK(doubted(Glance::fails).reason.find("LLVM 16 does not know an attribute") != std::string::npos);
  CHECK_FALSE(doubted(Glance::passes).refused);
  CHECK(doubted(Glance::passes).reason.find("nothing in this link seems to need") != std::string::npos);
  for (const Glance glance : {Glance::chance, Glance::unexamined})
    CHECK(doubted(glance).reason.find("reads every member") != std::string::npos);
}

TEST_CASE("whether a reader accepts an attribute depends on the newest that it knows") {
  CHECK(glance_of(15, 84) == Glance::passes);
  CHECK(glance_of(15, 86) == Glance::fails); // `memory`, since 16
  CHECK(glance_of(16, 86) == Glance::passes);
  CHECK(glance_of(19, 102) == Glance::fails); // `captures`
  CHECK(glance_of(21, 102) == Glance::passes);
  CHECK(glance_of(14, 10) == Glance::chance); // there attributes alone do not decide
  CHECK(glance_of(99, 10) == Glance::chance);
  // For 20: what 19 knows, and what not even 21 does.
  CHECK(glance_of(20, 95) == Glance::passes);
  CHECK(glance_of(20, 96) == Glance::chance);
  CHECK(glance_of(20, 103) == Glance::chance);
  CHECK(glance_of(20, 104) == Glance::fails);
}

TEST_CASE("an archive that is refused because it has no index says how to write one") {
  const Linker linker = bfd_with_gcc();
  const LinkContext context{linker, {}, "g++", no_releases};
  Judgement judgement = judge({"x.a", {"m.o"}, {gcc(12, 0, true)}, std::nullopt}, context).front();
  CHECK_FALSE(judgement.refused);
  refuse_unindexed(judgement);
  CHECK(judgement.refused);
  CHECK(judgement.verdict == LtoVerdict::mismatch);
  CHECK(judgement.fix.find("gcc-ranlib") != std::string::npos);
}

TEST_CASE("GCC takes its own major and minor version only, slim or fat") {
  for (const bool slim : {true, false}) {
    CHECK(verdict(gcc(12, 0, slim), bfd_with_gcc()) == "ok");
    CHECK(verdict(gcc(12, 1, slim), bfd_with_gcc()) == "mismatch");
    CHECK(verdict(gcc(11, 3, slim), bfd_with_gcc()) == "mismatch");
    CHECK(verdict(gcc(13, 0, slim), bfd_with_gcc()) == "mismatch");
    CHECK(verdict(gcc(11, 3, slim), bfd_with_gcc(), relocatable) == "mismatch");
  }
  Bitstream unknown = gcc(12, 0, true);
  unknown.major.reset();
  CHECK(verdict(unknown, bfd_with_gcc()) == "risky");
}

TEST_CASE("without its plugin slim code is omitted, and fat code is machine code") {
  struct Row {
    LinkerFamily family;
    const LinkShape shape;
    const char* slim;
  };
  const Row rows[] = {
      {LinkerFamily::bfd, {}, "silent-loss"},      {LinkerFamily::bfd, shared, "silent-loss"},
      {LinkerFamily::gold, shared, "silent-loss"}, {LinkerFamily::lld, shared, "silent-loss"},
      {LinkerFamily::mold, shared, "mismatch"},    {LinkerFamily::bfd, relocatable, "ok"},
  };
  for (const Row& row : rows) {
    CAPTURE(to_string(row.family));
    CHECK(verdict(gcc(11, 3, true), plain(row.family), row.shape) == row.slim);
    CHECK(verdict(gcc(11, 3, false), plain(row.family), row.shape) == "ok");
  }
}

TEST_CASE("collect2 links the machine code before GCC compiles what it found") {
  CHECK(verdict(gcc(12, 0, false), bfd_with_gcc(true)) == "ok");
  CHECK(verdict(gcc(12, 0, true), bfd_with_gcc(true)) == "risky");
  CHECK(verdict(gcc(11, 3, true), bfd_with_gcc(true)) == "mismatch");
  CHECK(verdict(gcc(11, 3, false), bfd_with_gcc(true)) == "mismatch");
}

TEST_CASE("collect2 reads no archives") {
  const Linker linker = bfd_with_gcc(true);
  const auto of_member = [&](const Bitstream& stream, const LinkShape& shape) {
    const LinkContext context{linker, shape, "g++", no_releases};
    return to_string(judge({"x.a", {"m.o"}, {stream}, std::nullopt}, context).front().verdict);
  };
  CHECK(of_member(gcc(13, 1, false), {}) == std::string("ok"));
  CHECK(of_member(gcc(12, 0, true), {}) == std::string("silent-loss"));
  CHECK(of_member(gcc(12, 0, true), shared) == std::string("silent-loss"));
}

TEST_CASE("mold fails at a member for which it has no plugin, needed or not") {
  const auto doubted = [](const Linker& linker, const Bitstream& stream) {
    const LinkContext context{linker, {}, "g++", no_releases};
    Judgement judgement = judge({"x.a", {"m.o"}, {stream}, std::nullopt}, context).front();
    doubt(judgement, Need::unlikely, context);
    return judgement.refused;
  };
  Linker mold = plain(LinkerFamily::mold);
  mold.version = {1, 10, 1};
  CHECK(doubted(mold, llvm(14)));
  CHECK(doubted(mold, gcc(12, 0, true)));
  mold.version = {2, 40, 0}; // not tested
  CHECK_FALSE(doubted(mold, llvm(14)));
  CHECK_FALSE(doubted(plain(LinkerFamily::bfd), llvm(14)));
  Linker claims = plain(LinkerFamily::mold);
  claims.version = {1, 10, 1};
  claims.gcc = GccReader{12, 0, "GCC: (Debian) 12.2.0", false};
  CHECK(doubted(claims, llvm(14)));
  CHECK_FALSE(doubted(claims, gcc(13, 1, true)));
}

TEST_CASE("LLVM takes its own bitcode and older, and at best some newer") {
  CHECK(verdict(llvm(13), lld(16)) == "ok");
  CHECK(verdict(llvm(16), lld(16)) == "ok");
  CHECK(verdict(llvm(17), lld(16)) == "risky");
  CHECK(verdict(llvm(19), lld(16)) == "mismatch");
  CHECK(verdict(llvm(19, ".1.7-rust-1.95.0-stable"), lld(19)) == "ok");
  CHECK(verdict(llvm(40), lld(30)) == "risky");
  Bitstream apple = llvm(16);
  apple.producer = "APPLE_1_1600.0.26.6_0";
  apple.major.reset();
  CHECK(verdict(apple, lld(16)) == "risky");
  CHECK(verdict(llvm(14), bfd_with_gcc()) == "mismatch");
  CHECK(verdict(llvm(14), plain(LinkerFamily::mold)) == "mismatch");
}

TEST_CASE("FatLTO is bitcode for lld under its option, else machine code") {
  Bitstream fat = llvm(19);
  fat.format = LtoFormat::llvm_fat;
  fat.slim = false;
  CHECK(verdict(fat, lld(16)) == "ok");
  CHECK(verdict(fat, lld(16), {false, false, true, false}) == "mismatch");
  CHECK(verdict(fat, lld(19), {false, false, true, false}) == "ok");
  CHECK(verdict(fat, bfd_with_gcc()) == "ok");
}

TEST_CASE("the fix depends on the case") {
  const auto fix = [](const Bitstream& stream, const Linker& linker, const LinkShape& shape = {}) {
    return judge({"x.o", {}, {stream}, std::nullopt}, {linker, shape, "g++", no_releases}).front().fix;
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(has(fix(gcc(11, 3, false), bfd_with_gcc()), "strip -R '.gnu.lto_*'"));
  CHECK(has(fix(gcc(11, 3, false), bfd_with_gcc()), "-fno-lto"));
  // It would empty a slim object.
  CHECK_FALSE(has(fix(gcc(11, 3, true), bfd_with_gcc()), "strip"));
  CHECK(has(fix(gcc(11, 3, true), lld(14), shared), "-fuse-ld=bfd"));
  CHECK(has(fix(gcc(12, 0, true), bfd_with_gcc(true)), "without -fno-use-linker-plugin"));
  CHECK(has(fix(llvm(19), lld(16)), "lld 19 or newer"));
  CHECK(has(fix(llvm(19, ".1.7-rust-1.95.0-stable"), lld(16)), "rustc"));
  CHECK(has(fix(llvm(14), bfd_with_gcc()), "clang and -fuse-ld=lld"));
}

TEST_CASE("a fix for a link by nvcc spells options as nvcc takes them") {
  const auto fix = [](const Bitstream& stream, const Linker& linker, bool by_nvcc) {
    return judge({"x.o", {}, {stream}, std::nullopt}, {linker, {}, "g++", no_releases, by_nvcc}).front().fix;
  };
  CHECK(fix(gcc(11, 3, false), bfd_with_gcc(), false).find("link with -fno-lto,") != std::string::npos);
  CHECK(fix(gcc(11, 3, false), bfd_with_gcc(), true).find("link with -Xcompiler -fno-lto,") !=
        std::string::npos);
  CHECK(fix(llvm(19), lld(16), true).find("(-Xcompiler --ld-path=") == std::string::npos);
  CHECK(fix(llvm(14), bfd_with_gcc(), true).find("clang and -Xcompiler -fuse-ld=lld") != std::string::npos);
}

TEST_CASE("LTO code of .cu files is refused where several would be compiled as one") {
  const Linker linker = bfd_with_gcc();
  const auto judged = [&](Bitstream stream, const LinkContext& context) {
    stream.device_label = true;
    return judge({"x.o", {}, {stream}, std::nullopt}, context).front();
  };
  const LinkContext context{linker, {}, "g++", no_releases};
  Judgement judgement = judged(gcc(12, 0, true), context);
  CHECK(holds_device_label(judgement, context));
  CHECK_FALSE(
      holds_device_label(judge({"x.o", {}, {gcc(12, 0, true)}, std::nullopt}, context).front(), context));
  CHECK_FALSE(holds_device_label(judged(gcc(11, 3, true), context), context)); // refused for another reason
  const LinkContext relocating{linker, relocatable, "g++", no_releases};
  CHECK_FALSE(holds_device_label(judged(gcc(12, 0, true), relocating), relocating));
  const Linker without = plain(LinkerFamily::bfd);
  const LinkContext unread{without, {}, "g++", no_releases};
  CHECK_FALSE(holds_device_label(judged(gcc(12, 0, false), unread), unread));
  refuse_device_label(judgement, context);
  CHECK(judgement.refused);
  CHECK(judgement.reason.find("fatbinData") != std::string::npos);
  CHECK(judgement.fix.find("-Xcompiler -fno-lto") != std::string::npos);
  CHECK(judgement.fix.find("machine code") == std::string::npos); // a slim object has none
  const Linker newer = lld(19);
  const LinkContext by_llvm{newer, {}, "clang++", no_releases};
  Judgement full = judged(llvm(17), by_llvm);
  CHECK(holds_device_label(full, by_llvm));
  refuse_device_label(full, by_llvm);
  CHECK(full.fix.find("-Xcompiler -flto=thin") != std::string::npos);
}

TEST_CASE("each stream of an input is judged, and what cannot be read is reported too") {
  const Linker linker = bfd_with_gcc();
  const LinkContext context{linker, {}, "g++", no_releases};
  const auto mixed = judge({"r.o", {}, {gcc(12, 0, true), gcc(11, 3, true)}, Error{"torn", ""}}, context);
  REQUIRE(mixed.size() == 3);
  CHECK(mixed[0].verdict == LtoVerdict::ok);
  CHECK(mixed[1].verdict == LtoVerdict::mismatch);
  CHECK(mixed[2].verdict == LtoVerdict::unreadable);
  CHECK_FALSE(mixed[2].refused);
  const auto none = judge({"plain.o", {}, {}, std::nullopt}, context);
  REQUIRE(none.size() == 1);
  CHECK(none.front().verdict == LtoVerdict::none);
}

TEST_CASE("a member that the link may not need is a risk that stops nothing") {
  const Linker linker = bfd_with_gcc();
  const LinkContext context{linker, {}, "g++", no_releases};
  const LtoInput member{"lib.a", {"x.o"}, {gcc(11, 3, true)}, std::nullopt};
  Judgement certain = judge(member, context).front();
  doubt(certain, Need::certain, context);
  CHECK(certain.verdict == LtoVerdict::mismatch);
  CHECK(certain.refused);
  for (const Need need : {Need::unlikely, Need::unknown}) {
    Judgement doubted = judge(member, context).front();
    doubt(doubted, need, context);
    CHECK(doubted.verdict == LtoVerdict::risky);
    CHECK_FALSE(doubted.refused);
  }
}

TEST_CASE("a member that the index omits is refused, with the ar that would have listed it") {
  const Linker linker = bfd_with_gcc();
  Judgement judgement =
      judge({"lib.a", {"x.o"}, {gcc(12, 0, true)}, std::nullopt}, {linker, {}, "g++", no_releases}).front();
  CHECK(goes_by_plugin(judgement, linker));
  CHECK_FALSE(goes_by_plugin(judgement, plain(LinkerFamily::bfd)));
  refuse_unlisted(judgement, {});
  CHECK(judgement.verdict == LtoVerdict::mismatch);
  CHECK(judgement.refused);
  CHECK(judgement.fix.find("gcc-ar") != std::string::npos);
  LinkShape open_ended;
  open_ended.undefined = true;
  refuse_unlisted(judgement, open_ended);
  CHECK(judgement.verdict == LtoVerdict::silent_loss);
  judgement.stream->slim = false;
  CHECK_FALSE(goes_by_plugin(judgement, linker));
}

TEST_CASE("producers are named as in their streams") {
  Bitstream stream = gcc(12, 0, true);
  stream.producer = "GCC: (Debian 12.2.0-14+deb12u1) 12.2.0";
  CHECK(producer_name(stream, no_releases) == "GCC 12.2.0");
  stream.producer = "GCC: (GNU) 15.1.1 20250425 (Red Hat 15.1.1-1)";
  CHECK(producer_name(stream, no_releases) == "GCC 15.1.1");
  stream.producer = "";
  CHECK(producer_name(stream, no_releases) == "unknown GCC");
  CHECK(stream_version(stream) == "LTO 12.0");
  CHECK(producer_name(llvm(19, ".1.7-rust-1.95.0-stable"), no_releases) == "LLVM 19.1.7-rust-1.95.0-stable");
  CHECK(stream_version(llvm(19)) == "LLVM 19");
}
