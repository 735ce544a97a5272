// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/bitstream/modules.hpp"
#include "tests/unit/hooks/lto-check/bitstream/telling.hpp"
#include "tests/unit/toolchains/binary/builder.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::lto;
using namespace hostpin::binary;
using test::bitcode;
using test::bitcode_magic;
using test::block;
using test::identification;
using test::module_of;
using test::told;

TEST_CASE("producers are read by LLVM from the identification alone") {
  CHECK(*llvm_producer(bitcode_magic + identification("LLVM19.1.7")) == "LLVM19.1.7");
  CHECK(*llvm_producer(bitcode_magic + identification("LLVM99.1.7git")) == "LLVM99.1.7git");
  CHECK(*llvm_producer(bitcode_magic) == "");
  CHECK_FALSE(llvm_producer("text"));
  CHECK_FALSE(llvm_producer(""));
  const auto later = llvm_producer(bitcode_magic + identification("LLVM99.0.0", 1));
  REQUIRE_FALSE(later);
  CHECK(later.error().message.find("epoch") != std::string::npos);
}

TEST_CASE("releases are read from the names of LLVM's producers, and from no others") {
  const struct {
    std::string producer, version;
  } rows[] = {
      {"LLVM19.1.7", "19.1"},
      {"LLVM3.8.1", "3.8"},
      {"LLVM22.1.8git", "22.1"},
      {"LLVM18.0.0svn", "18.0"},
      {"LLVM20", "20.0"},
      {"LLVM21.1.2-rust-1.92.0-stable", "21.1"},
      {"LLVM", "-"},
      {"APPLE_1_1500.3.9.4_0", "-"},
      {"Intel.oneAPI.DPCPP.Compiler_2023.0.0", "-"},
      {"LLVM99999999999.0.0", "-"},
  };
  for (const auto& row : rows)
    CHECK(told(bitcode(row.producer)) == "llvm-bitcode " + row.version + " slim [" + row.producer + ']');
}

TEST_CASE("bitcode is read raw, wrapped and beside machine code") {
  const std::string code = bitcode("LLVM19.1.7");
  CHECK(told(code) == "llvm-bitcode 19.1 slim [LLVM19.1.7]");
  CHECK(told(test::wrapped(code)) == "llvm-bitcode 19.1 slim [LLVM19.1.7]");
  CHECK(told(test::wrapped(code) + "padding behind the wrapped part") ==
        "llvm-bitcode 19.1 slim [LLVM19.1.7]");
  CHECK(told(test::ObjectBuilder().add(".llvm.lto", code).build()) == "llvm-fat 19.1 fat [LLVM19.1.7]");
  CHECK(told(test::ObjectBuilder().add(".any", code, 0x6fff4c0c).build()) ==
        "llvm-fat 19.1 fat [LLVM19.1.7]");
}

TEST_CASE("embedded bitcode and its mark are no input") {
  CHECK(told(test::ObjectBuilder().add(".llvmbc", bitcode("LLVM19.1.7")).build()) == "none");
  CHECK(told(test::ObjectBuilder().add(".llvm.lto", std::string(1, '\0')).build()) == "none");
}

TEST_CASE("bitcode without an identification tells no version, as before LLVM 3.8") {
  CHECK(told(bitcode_magic + block(8, std::string(40, '\0'))) == "llvm-bitcode - slim []");
}

TEST_CASE("all modules count, as of split units and of sections that ld -r joined") {
  CHECK(told(bitcode("LLVM19.1.7") + module_of("LLVM19.1.7")) == "llvm-bitcode 19.1 slim [LLVM19.1.7]");
  CHECK(told(bitcode("LLVM19.1.7") + bitcode("LLVM16.0.6")) ==
        "llvm-bitcode 19.1 slim [LLVM19.1.7]; llvm-bitcode 16.0 slim [LLVM16.0.6]");
  CHECK(told(bitcode("LLVM19.1.7") + block(8, std::string(40, '\0'))) ==
        "llvm-bitcode 19.1 slim [LLVM19.1.7]; llvm-bitcode - slim []");
}

TEST_CASE("one word behind the last block is padding of an archiver") {
  CHECK(told(bitcode("LLVM19.1.7") + std::string(4, '\0')) == "llvm-bitcode 19.1 slim [LLVM19.1.7]");
}

TEST_CASE("damaged bitcode is told") {
  const std::string code = bitcode("LLVM19.1.7"), head = "!it is damaged: ";
  const std::string past_end = "a block of its bitcode reaches past its end";
  CHECK(told(bitcode_magic) == head + "its bitcode ends before any module");
  CHECK(told(bitcode_magic + identification("LLVM19.1.7")) == head + "its bitcode ends before any module");
  CHECK(told(bitcode_magic + "12345678") == head + "its bitcode contains something other than blocks");
  CHECK(told(code.substr(0, code.size() - 1)) ==
        head + "the size of its bitcode is not a multiple of four bytes");
  CHECK(told(bitcode_magic + identification("LLVM19.1.7").substr(0, 16)) == head + past_end);
  CHECK(told(bitcode_magic + block(13, std::string(8000, '\0'))) ==
        head + "the identification of its bitcode cannot be read");
  CHECK(told(bitcode_magic + block(13, std::string(8, '\xff')) + block(8, "1234"))
            .starts_with(head + "LLVM cannot read the identification of its bitcode: "));
  CHECK(told(test::wrapped(code).substr(0, 100)) == head + "the wrapper of its bitcode points past its end");
  CHECK(told(test::wrapped("text")) == head + "its bitcode does not begin with the magic number of bitcode");
  CHECK(told(test::wrapped(code).substr(0, 10)) == head + "the wrapper of its bitcode points past its end");
  CHECK(told(test::ObjectBuilder().add(".llvm.lto", "text").build()) ==
        head + "its bitcode does not begin with the magic number of bitcode");
}

TEST_CASE("the host half of a .cu file is known by its names, and full LTO by the module's flag") {
  const auto is_full = [](const std::string& flag, const std::string& names) {
    std::string module = flag, table = names;
    module.resize(40, '\0');
    table.resize(64, '\0');
    const std::string bytes =
        bitcode_magic + identification("LLVM17.0.6") + block(8, module) + block(23, table);
    const std::string wrapped_bytes = test::wrapped(bytes);
    const InputFile file(bytes), wrapped_file(wrapped_bytes);
    CHECK(is_full_host_half(Bytes(file)) == is_full_host_half(Bytes(wrapped_file)));
    return is_full_host_half(Bytes(file));
  };
  CHECK(is_full("EnableSplitLTOUnitThinLTO", "_Z1av__cudaRegisterFatBinaryfatbinData"));
  CHECK_FALSE(is_full("EnableSplitLTOUnit", "_Z1av__cudaRegisterFatBinaryfatbinData")); // ThinLTO
  CHECK_FALSE(is_full("ThinLTO", "_Z1avfatbinData"));                                   // somebody's own name
  CHECK_FALSE(is_full("ThinLTO", "_Z1av"));
  const InputFile none("BC\xC0\xDEgarbage!");
  CHECK_FALSE(is_full_host_half(Bytes(none)));
}
