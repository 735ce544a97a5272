// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/binary/builder.hpp"
#include "tests/unit/toolchains/fatbin/pieces.hpp"

#include <limits>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::fatbin;
using namespace hostpin::binary;
using namespace hostpin::test;

namespace {

/// A 64-bit ELF header for a GPU.
std::string cubin(char osabi, std::uint32_t flags, const std::string& note = {}) {
  ObjectBuilder builder;
  builder.kind(2).add(".text.kernel", "code");
  if (!note.empty())
    builder.add(".note.nv.tkinfo", note, 7);
  std::string bytes = builder.build();
  bytes[7] = osabi;
  put(bytes, 18, little(190, 2));
  put(bytes, 48, little(flags, 4));
  return bytes;
}

} // namespace

TEST_CASE("objects, programs and libraries have fatbins in their sections") {
  const std::string one = fatbin_of({{1, 80, lz4, 20, 99}, {2, 80}, {2, 90, specific}}),
                    two = fatbin_of({{8, 80}, {2, 80}});
  const std::string held =
      ", 8.0 PTX x1 in 1, 8.0 machine code x2 in 2, 8.0 LTO-IR x1 in 1, 9.0a machine code x1 in 1";
  const std::string linked =
      ", 8.0 PTX x1 in 1, 8.0 machine code x1 in 1, 8.0 relocatable machine code x1 in 1, "
      "8.0 relocatable LTO-IR x1 in 1, 9.0a machine code x1 in 1";
  const auto elf = [&](std::uint16_t kind) {
    return ObjectBuilder().kind(kind).add(".nv_fatbin", one).add("__nv_relfatbin", two);
  };
  CHECK(told(elf(1).build()) == "object" + held);
  CHECK(told(elf(2).build()) == "program" + linked);
  CHECK(told(elf(3).build()) == "shared library" + linked);
  CHECK(told(elf(3).add(".interp", "/lib/ld.so").build()) == "program" + linked);
  CHECK(told(one + two) == "fatbin" + held);
  CHECK(told(one + std::string(16, '\0') + two + std::string(40, '\0')) == "fatbin" + held);
  CHECK(told(ObjectBuilder().add(".text", one).build()) == "object");
  CHECK(told(ObjectBuilder().add(".nv_fatbin", one, 8).build()) == "object"); // its debug information alone
}

TEST_CASE("nothing is missing in the empty fatbin that nvcc's link adds where there was nothing to link") {
  const auto wrapper = [](unsigned version) {
    return little(0x466243b1, 4) + little(version, 4) + std::string(16, '\0');
  };
  const auto held = [](ObjectBuilder builder) {
    const std::string bytes = builder.build();
    const InputFile file(bytes);
    Holding holding;
    REQUIRE(read_device_code(Bytes(file), holding));
    return holding;
  };
  const std::string empty = fatbin_of({}), ptx = fatbin_of({{1, 80}});
  for (const std::uint16_t kind : std::vector<std::uint16_t>{1, 2, 3}) {
    const Holding alone = held(ObjectBuilder()
                                   .kind(kind)
                                   .add(".nv_fatbin", empty + ptx)
                                   .add(".nvFatBinSegment", wrapper(2) + wrapper(1)));
    CHECK(alone.fatbins == 2);
    CHECK(alone.idle == 1);
    CHECK(alone.linked == 0);
    CHECK(held(ObjectBuilder().kind(kind).add(".nvFatBinSegment", wrapper(2)).add(".nv_fatbin", empty))
              .is_idle());
    // One that another fatbin's link wrote, or that something was cut out of, lacks its code.
    for (const std::string& wrappers : {wrapper(1) + wrapper(1), wrapper(1) + wrapper(2), wrapper(2)}) {
      const Holding cut =
          held(ObjectBuilder().kind(kind).add(".nv_fatbin", empty + ptx).add(".nvFatBinSegment", wrappers));
      CHECK(cut.idle == 0);
    }
  }
  const Holding relinked = held(ObjectBuilder()
                                    .kind(2)
                                    .add(".nv_fatbin", empty)
                                    .add("__nv_relfatbin", ptx)
                                    .add(".nvFatBinSegment", wrapper(2) + wrapper(1)));
  CHECK(relinked.idle == 1); // the relocatable one
  CHECK(relinked.linked == 1);
  CHECK(held(ObjectBuilder().kind(2).add(".nv_fatbin", ptx).add("__nv_relfatbin", empty)).idle == 1);
}

TEST_CASE("fatbins among other bytes are found where they begin and end as fatbins do") {
  const auto found = [](const std::string& bytes) {
    const InputFile file(bytes);
    Holding holding;
    read_embedded(Bytes(file), holding);
    std::string text;
    for (const auto& [held, amount] : holding.codes)
      text += to_string(held) + " x" + std::to_string(amount.entries) + "; ";
    return text;
  };
  const std::string one = fatbin_of({{2, 80}, {1, 80}}), other = fatbin_of({{2, 80}, {2, 90, specific}});
  CHECK(found("x" + one + "and" + other + "x") == "8.0 PTX x1; 8.0 machine code x2; 9.0a machine code x1; ");
  for (const std::size_t at :
       {65500U, 65528U, 65533U, 65536U, 131072U}) // around the ends of what is read at once
    CHECK(found(std::string(at, 'x') + one) == "8.0 PTX x1; 8.0 machine code x1; ");
  CHECK(found(one.substr(0, one.size() - 1)).empty());
  CHECK(found(one.substr(0, 16) + std::string(one.size(), '\xff')).empty());
  CHECK(found(fatbin_of({}) + one.substr(0, 15)).empty());
  CHECK(found("").empty());
}

TEST_CASE("a cubin has its capability in its ELF header, and in CUDA 13 its variant in a note") {
  CHECK(told(cubin('\x33', 0x500550)) == "cubin, 8.0 machine code x1 in 1");
  CHECK(told(cubin('\x33', 0x5a055a)) == "cubin, 9.0 machine code x1 in 1");
  CHECK(told(cubin('\x33', 0x5a0d5a)) == "cubin, 9.0a machine code x1 in 1");
  CHECK(told(cubin('\x41', 0x6005a04)) == "cubin, 9.0 machine code x1 in 1");
  CHECK(told(cubin('\x41', 0x6006402, "ptxas -arch sm_100f -m 64")) == "cubin, 10.0f machine code x1 in 1");
  CHECK(told(cubin('\x41', 0x6005a04, "ptxas -arch sm_90a -m 64")) == "cubin, 9.0a machine code x1 in 1");
  CHECK(told(cubin('\x41', 0x6005a04, "ptxas -arch sm_100a")) == "cubin, 9.0 machine code x1 in 1");
  CHECK(told(cubin('\x41', 0x6005a04, "ptxas -arch sm_")) == "cubin, 9.0 machine code x1 in 1");
}

TEST_CASE("PTX has its capability in directives, which only comments precede") {
  const std::string directives = ".version 8.4\n.target sm_90a\n.address_size 64\n.entry k() { ret; }\n";
  const char* const held = "PTX, 9.0a PTX x1 in 1";
  CHECK(told(directives) == held);
  CHECK(told("//\n// Generated by NVIDIA NVVM Compiler\n//\n\n" + directives) == held);
  CHECK(told("/* a licence\n.version 1.0 */\r\n" + directives) == held);
  CHECK(told(".version 8.4\n.target sm_80, debug\n.global .u32 x;") == "PTX, 8.0 PTX x1 in 1");
  CHECK(told(".version 8.4\n.target sm_100f\n.func f() {}") == "PTX, 10.0f PTX x1 in 1");
  CHECK(told(".version 8.4\n.target sm_80\n.address_size 64\n") == "PTX, 8.0 PTX without functions x1 in 1");
  for (const char* other :
       {"", ".version 8.4\n", ".version 8.4\n.target cpu\n", ".versions 8.4\n.target sm_80\n",
        "// only a comment", "/* never closed", ".target sm_80\n.version 8.4\n", "int main() {}\n", "\n\n\n"})
    CHECK(told(other) == "file");
}

TEST_CASE("the capability of raw LTO-IR is not known") {
  CHECK(told(std::string("\xED\x43\x4E\x7F\x01\x41 more", 11)) == "LTO-IR, unnamed LTO-IR x1 in 1");
}

TEST_CASE("the names of sources are returned if compilers stored them") {
  const std::string bytes =
      fatbin_of({{2, 80, 0, 0, 0, "a.cu"}, {1, 80, 0, 0, 0, "a.cu"}, {2, 90, 0, 0, 0, "b.cu"}});
  const InputFile file(bytes);
  Holding holding;
  REQUIRE(read_device_code(Bytes(file), holding));
  CHECK(holding.sources == std::set<std::string>{"a.cu", "b.cu"});
}

namespace {

bool is_damaged(const std::string& bytes) {
  return told(bytes).starts_with("!");
}

} // namespace

TEST_CASE("a fatbin that is truncated anywhere is damaged, never a smaller one") {
  const std::string fatbin = fatbin_of({{1, 80, lz4, 20, 99}, {2, 80, 0, 0, 0, "a.cu"}});
  for (std::size_t size = 2; size < fatbin.size(); ++size) {
    CAPTURE(size);
    CHECK(is_damaged(fatbin.substr(0, size)));
  }
  // The headers of sections come last, so that no cut object has all of them.
  const std::string object = ObjectBuilder().add(".nv_fatbin", fatbin).build();
  for (std::size_t size = 2; size < object.size(); ++size) {
    CAPTURE(size);
    CHECK(is_damaged(object.substr(0, size)));
  }
}

TEST_CASE("sizes that lead outside, or overflow, are damage") {
  const std::string good = fatbin_of({{2, 80}, {2, 90}});
  const auto with = [&](std::size_t at, std::uint64_t value, std::size_t size) {
    std::string bad = good;
    put(bad, at, little(value, size));
    return bad;
  };
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t value : {most, most - 15, most - 16, most / 2, std::uint64_t{1} << 32U}) {
    CHECK(is_damaged(with(8, value, 8)));      // of all entries
    CHECK(is_damaged(with(16 + 8, value, 8))); // of a payload
    CHECK(is_damaged(with(16 + 88 + 8, value, 8)));
  }
  for (const std::uint64_t value : {0U, 31U, 0xffffffffU})
    CHECK(is_damaged(with(16 + 4, value, 4)));
  CHECK(is_damaged(with(4, 2, 2)));
  CHECK(is_damaged(with(6, 15, 2)));
  CHECK(is_damaged(good + "something else"));
  CHECK(is_damaged(good + std::string(8192, '\0')));
}

TEST_CASE("sums of sizes in damaged headers do not overflow") {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::string bytes = fatbin_of({{2, 80, zstd, 9, most}, {2, 80, zstd, 9, most}, {2, 90, lz4, 9, 7}});
  const InputFile file(bytes);
  Holding holding;
  REQUIRE(read_device_code(Bytes(file), holding));
  CHECK(holding.unpacked() == most);
  Holding twice = holding;
  twice.add(holding);
  CHECK(twice.unpacked() == most);
  CHECK(twice.bytes() == 2 * holding.bytes());
}

TEST_CASE("names of sources outside their header are ignored") {
  for (const std::uint32_t at : {0x41U, 0x48U, 0xffffffffU, 0x7fffffffU}) {
    std::string bytes = fatbin_of({{2, 80, 0, 0, 0, "name.cu!"}});
    put(bytes, 16 + 0x20, little(at, 4));
    const InputFile file(bytes);
    Holding holding;
    REQUIRE(read_device_code(Bytes(file), holding));
    CHECK(holding.sources.empty());
  }
}

TEST_CASE("the number of entries is bounded, whatever capabilities a file declares") {
  std::string bytes;
  for (unsigned architecture = 10; architecture < 3010; architecture += 3)
    bytes += fatbin_of({{2, architecture}, {1, architecture + 1}, {8, architecture + 2}});
  const InputFile file(bytes);
  Holding holding;
  const auto kind = read_device_code(Bytes(file), holding);
  REQUIRE_FALSE(kind);
  CHECK(kind.error().what == "it has more kinds of device code, or names of sources, than any real file");
  CHECK(holding.codes.size() == Holding::most_codes);
  Holding sum;
  sum.add(holding);
  CHECK(sum.overflown);
  CHECK(sum.codes.size() == Holding::most_codes);
}

TEST_CASE("names of sources are stored up to a number of bytes") {
  Holding holding;
  const std::size_t size = 4096;
  for (std::size_t i = 0; i < Holding::most_source_bytes / size + 1; ++i)
    holding.add_source(std::to_string(i) + std::string(size, 'x'));
  CHECK(holding.overflown);
  CHECK(holding.sources.size() * size < Holding::most_source_bytes);
  Holding same;
  for (int i = 0; i < 100000; ++i)
    same.add_source("a.cu");
  CHECK_FALSE(same.overflown);
}

TEST_CASE("a fatbin counts once for each kind of code in it, and as idle while nothing in it runs") {
  Holding holding;
  const DeviceCodeHead sm_80{.code = DeviceCode::cubin, .architecture = 80};
  holding.begin_fatbin();
  holding.add(sm_80, CodeUse::none);
  CHECK(holding.idle == 1);
  holding.add(sm_80, CodeUse::link);
  CHECK(holding.idle == 1);
  CHECK_FALSE(holding.is_idle());
  holding.add(sm_80);
  holding.add(sm_80);
  holding.begin_fatbin();
  holding.add(sm_80);
  CHECK(holding.idle == 0);
  CHECK(holding.fatbins == 2);
  CHECK(holding.machine_code.at({8, 0}).fatbins == 2);
  const HeldAmount& amount = holding.codes.at({{8, 0}, DeviceCode::cubin});
  CHECK(amount.fatbins == 2);
  CHECK(amount.entries == 3);
  holding.begin_fatbin();
  CHECK(holding.idle == 0); // it holds nothing, and was made for something
  CHECK(holding.fatbins == 3);
}
