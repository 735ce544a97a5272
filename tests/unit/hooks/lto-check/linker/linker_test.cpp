// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/linker.hpp"
#include "tests/unit/toolchains/base/fakes.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "toolchains/binary/machine.hpp"
#include "toolchains/library/link_search.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::lto;
using hostpin::test::ElfBuilder;
using hostpin::test::FakeFiles;
using hostpin::test::FakeProcesses;

namespace {

/// A mold that loads no plugin and complains with the word after -m.
class Mold final : public Processes {
public:
  std::vector<Outcome> run(std::span<const Command> commands) const override {
    std::vector<Outcome> outcomes(commands.size());
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const auto& argv = commands[i].argv;
      outcomes[i].end = Outcome::End::exited;
      if (argv.at(1) == "--version")
        outcomes[i].output = "mold 1.10.1 (compatible with GNU ld)\n";
      else
        outcomes[i].errors = "mold: could not open plugin file: " + argv.at(2) + '\n';
    }
    return outcomes;
  }
};

} // namespace

TEST_CASE("linkers are recognized by the first lines of their --version") {
  struct Row {
    const char* text;
    LinkerFamily family;
    Version version;
  };
  const Row rows[] = {
      {"GNU ld (GNU Binutils for Debian) 2.40\nCopyright", LinkerFamily::bfd, {2, 40, 0}},
      {"GNU ld version 2.35.2-24.el9", LinkerFamily::bfd, {2, 35, 2}},
      {"GNU ld (GNU Binutils) 2.45.50.20250805", LinkerFamily::bfd, {2, 45, 50}},
      {"GNU gold (GNU Binutils for Debian 2.40) 1.16\n", LinkerFamily::gold, {1, 16, 0}},
      {"Debian LLD 14.0.6 (compatible with GNU linkers)\n", LinkerFamily::lld, {14, 0, 6}},
      {"LLD 19.1.7 (compatible with GNU linkers)\n", LinkerFamily::lld, {19, 1, 7}},
      {"mold 2.4.0 (compatible with GNU ld)\n", LinkerFamily::mold, {2, 4, 0}},
      {"mold 1.10.1 (9f8; compatible with GNU ld and GNU gold)\n", LinkerFamily::mold, {1, 10, 1}},
      {"nvlink: NVIDIA (R) Cuda linker\nCopyright (c) 2005-2024 NVIDIA Corporation\nBuilt on x\nCuda "
       "compilation "
       "tools, release 12.4, V12.4.131\n",
       LinkerFamily::nvlink,
       {12, 4, 0}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto name = linker_name(row.text);
    REQUIRE(name);
    CHECK(name->family == row.family);
    CHECK(name->version == row.version);
  }
  CHECK_FALSE(linker_name("ls (GNU coreutils) 9.1"));
  CHECK_FALSE(linker_name(""));
}

TEST_CASE("GNU ld prints its own directories, below the sysroot") {
  FakeProcesses processes;
  processes.answer("/b/ld --verbose -m elf_i386",
                   "GNU ld\nSEARCH_DIR(\"=/usr/local/lib\"); SEARCH_DIR(\"/opt/lib\");\nSECTIONS {}\n");
  FakeFiles files;
  files.program("/b/ld");
  const Environment environment;
  const LinkTools tools{environment, files, processes, "", "/"};
  cmdline::LinkerCommand words;
  words.emulation = "elf_i386";
  words.sysroot = "/root";
  using Strings = std::vector<std::string>;
  CHECK(own_directories("/b/ld", words, tools) == Strings{"/root/usr/local/lib", "/opt/lib"});
  words.no_own_directories = true;
  CHECK(own_directories("/b/ld", words, tools).empty());
}

TEST_CASE("mold loads a plugin for the machine that the link names, else for this one") {
  const Mold processes;
  const FakeFiles files;
  const Environment environment;
  const LinkTools tools{environment, files, processes, "", "/"};
  cmdline::LinkerCommand words;
  words.plugins = {"/p/liblto_plugin.so"};
  CHECK(learn_linker("/b/mold", words, {}, tools)->unloadable == emulation_of(binary::own_triple()));
  words.emulation = "elf_i386";
  CHECK(learn_linker("/b/mold", words, {}, tools)->unloadable == "elf_i386");
}

TEST_CASE("the release of an LLVM plugin is that of the LLVM that it loads") {
  CHECK(llvm_of_soname("libLLVM.so.19.1") == 19);
  CHECK(llvm_of_soname("libLLVM-14.so.1") == 14);
  CHECK(llvm_of_soname("libLTO.so.19") == 0);
  FakeFiles files;
  files.file("/usr/lib/LLVMgold.so",
             ElfBuilder(true, true).build("LLVMgold.so", {}, {{"libLLVM-16.so.1", {"LLVM_16"}}}));
  files.file("/opt/llvm-18/lib/LLVMgold.so", ElfBuilder(true, true).build("LLVMgold.so", {}));
  files.file("/opt/mine/LLVMgold.so", ElfBuilder(true, true).build("LLVMgold.so", {}));
  files.file("/opt/torn/LLVMgold.so", "\x7f"
                                      "ELF");
  CHECK(learn_llvm_plugin("/usr/lib/LLVMgold.so", files)->major == 16);
  CHECK(learn_llvm_plugin("/opt/llvm-18/lib/LLVMgold.so", files)->major == 18);
  CHECK_FALSE(learn_llvm_plugin("/opt/mine/LLVMgold.so", files));
  CHECK_FALSE(learn_llvm_plugin("/opt/torn/LLVMgold.so", files));
  CHECK_FALSE(learn_llvm_plugin("/none", files));
}

TEST_CASE("lld reads by its own LLVM, whatever plugins its command names") {
  FakeProcesses processes;
  processes.answer("/l/ld.lld --version", "LLD 16.0.6 (compatible with GNU linkers)\n");
  processes.answer("/l/odd --version", "odd 1.0\n");
  FakeFiles files;
  files.program("/l/ld.lld");
  const Environment environment;
  const LinkTools tools{environment, files, processes, "", "/here"};
  cmdline::LinkerCommand words;
  words.program = "/l/collect2";
  words.plugins = {"/p/liblto_plugin.so"};
  const auto linker = learn_linker("/l/ld.lld", words, {}, tools);
  REQUIRE(linker);
  CHECK(linker->llvm->major == 16);
  CHECK_FALSE(linker->gcc);
  const auto unknown = learn_linker("/l/odd", {}, {}, tools);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message.find("odd 1.0") != std::string::npos);
  CHECK_FALSE(learn_linker("/l/none", {}, {}, tools));
}
