// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "toolchains/loader/proof.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::loader;
using hostpin::test::ElfBuilder;

namespace {

/// Images are read from disk, so they are written there: an output in a directory of its own, and libraries.
class Scratch {
public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "hostpin-proof.XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(path + '/' + name).parent_path());
    std::ofstream(path + '/' + name) << content;
  }

  LinkToProve link() const {
    LinkToProve link;
    link.output = path + "/libx.so";
    link.loader = "/lib64/ld-linux-x86-64.so.2";
    link.places.directories = {path + "/system"};
    link.library = path + "/stdenv/libstdc++.so.6";
    link.inputs = [] { return std::vector<std::string>(); };
    return link;
  }

  std::string path;
};

const ElfBuilder elf(true, true);

std::string needing(const std::string& version) {
  return elf.build("libx.so", {}, {{"libstdc++.so.6", {version}}});
}

} // namespace

TEST_CASE("what is defined holds, and what is not found is not held against") {
  const Scratch scratch;
  scratch.write("libx.so", needing("V_1"));
  CHECK(prove(scratch.link()).outcome == Proof::Outcome::holds);
  scratch.write("system/libstdc++.so.6", elf.build("libstdc++.so.6", {"V_1"}));
  CHECK(prove(scratch.link()).outcome == Proof::Outcome::holds);
}

TEST_CASE("a shared library that the loader's defaults mislead is left to the program, with the cure") {
  const Scratch scratch;
  scratch.write("libx.so", needing("V_2"));
  scratch.write("system/libstdc++.so.6", elf.build("libstdc++.so.6", {"V_1"}));
  scratch.write("stdenv/libstdc++.so.6", elf.build("libstdc++.so.6", {"V_1", "V_2"}));
  const Proof proof = prove(scratch.link());
  CHECK(proof.outcome == Proof::Outcome::doubtful);
  CHECK(proof.message.find("V_2") != std::string::npos);
  CHECK(proof.message.find(scratch.path + "/system/libstdc++.so.6") != std::string::npos);
  CHECK(proof.hint.find("-Wl,-rpath," + scratch.path + "/stdenv") != std::string::npos);
  CHECK(proof.hint.find("link-proof") != std::string::npos);
}

TEST_CASE("no cure is promised that the right library would not be") {
  const Scratch scratch;
  scratch.write("libx.so", needing("V_3"));
  scratch.write("system/libstdc++.so.6", elf.build("libstdc++.so.6", {"V_1"}));
  scratch.write("stdenv/libstdc++.so.6", elf.build("libstdc++.so.6", {"V_1", "V_2"}));
  CHECK(prove(scratch.link()).hint.find("/stdenv") == std::string::npos);
}

TEST_CASE("a library that brings the need is named") {
  const Scratch scratch;
  scratch.write("libx.so", elf.build("libx.so", {}, {{"liba.so", {"A_1"}}}));
  scratch.write("system/liba.so", elf.build("liba.so", {"A_1"}, {{"libstdc++.so.6", {"V_2"}}}));
  scratch.write("system/libstdc++.so.6", elf.build("libstdc++.so.6", {"V_1"}));
  const Proof proof = prove(scratch.link());
  CHECK(proof.outcome == Proof::Outcome::doubtful);
  CHECK(proof.message.find("needed by " + scratch.path + "/system/liba.so") != std::string::npos);
  CHECK(proof.hint.find("liba.so was built for a newer libstdc++.so.6") != std::string::npos);
}

TEST_CASE("a need that LD_LIBRARY_PATH meets is met, before anything else is looked at") {
  const Scratch scratch;
  scratch.write("libx.so", needing("V_2"));
  scratch.write("system/libstdc++.so.6", elf.build("libstdc++.so.6", {"V_1"}));
  scratch.write("module/libstdc++.so.6", elf.build("libstdc++.so.6", {"V_1", "V_2"}));
  LinkToProve link = scratch.link();
  link.places.library_path = {scratch.path + "/module"};
  CHECK(prove(link).outcome == Proof::Outcome::holds);
}

TEST_CASE("what is no image, or cut short, is skipped with a reason") {
  const Scratch scratch;
  CHECK(prove(scratch.link()).outcome == Proof::Outcome::skipped);
  scratch.write("libx.so", "text");
  CHECK(prove(scratch.link()).outcome == Proof::Outcome::skipped);
  scratch.write("libx.so", needing("V_1").substr(0, 150));
  const Proof proof = prove(scratch.link());
  CHECK(proof.outcome == Proof::Outcome::skipped);
  CHECK_FALSE(proof.message.empty());
}

namespace {

/// A program, which needs a version of libstdc++ and asks for the loader of LinkToProve.
std::string program(const std::string& version, const std::string& run_path = {}) {
  return elf.build("", {}, {{"libstdc++.so.6", {version}}}, run_path, "/lib64/ld-linux-x86-64.so.2");
}

} // namespace

TEST_CASE("what another machine runs is judged by its sysroot as if it ran there") {
  const Scratch scratch;
  scratch.write("libx.so", program("V_2"));
  scratch.write("root/lib/libstdc++.so.6", elf.build("libstdc++.so.6", {"V_1"}));
  LinkToProve link = scratch.link();
  link.places.directories = {scratch.path + "/root/lib"};
  link.places.root = scratch.path + "/root";
  link.places.elsewhere = true;
  CHECK(prove(link).outcome == Proof::Outcome::disproved);
  // An absolute run path leads into the sysroot.
  scratch.write("libx.so", program("V_2", "/opt/lib"));
  CHECK(prove(link).outcome == Proof::Outcome::doubtful);
  std::filesystem::create_directories(scratch.path + "/root/opt/lib");
  CHECK(prove(link).outcome == Proof::Outcome::disproved);
  scratch.write("root/opt/lib/libstdc++.so.6", elf.build("libstdc++.so.6", {"V_1", "V_2"}));
  CHECK(prove(link).outcome == Proof::Outcome::holds);
}

TEST_CASE("an older library of the cross compiler is not that of the machine that runs it, so is doubtful") {
  const Scratch scratch;
  scratch.write("libx.so", program("V_2"));
  scratch.write("cross/libstdc++.so.6", elf.build("libstdc++.so.6", {"V_1"}));
  LinkToProve link = scratch.link();
  link.places.directories = {scratch.path + "/cross"};
  CHECK(prove(link).outcome == Proof::Outcome::disproved);
  link.places.elsewhere = true;
  const Proof proof = prove(link);
  CHECK(proof.outcome == Proof::Outcome::doubtful);
  CHECK(proof.message.find("is used instead of that of the machine that runs it") != std::string::npos);
  // What its own run path leads to goes with it.
  scratch.write("libx.so", program("V_2", "$ORIGIN/own"));
  scratch.write("own/libstdc++.so.6", elf.build("libstdc++.so.6", {"V_1"}));
  CHECK(prove(link).outcome == Proof::Outcome::disproved);
}

TEST_CASE("a target without any library is not silently taken as one that has them") {
  const Scratch scratch;
  scratch.write("libx.so", program("V_1"));
  LinkToProve link = scratch.link();
  link.places.directories = {};
  CHECK(prove(link).outcome == Proof::Outcome::holds);
  link.places.elsewhere = true;
  const Proof proof = prove(link);
  CHECK(proof.outcome == Proof::Outcome::doubtful);
  CHECK(proof.message.find("finds no libstdc++.so.6") != std::string::npos);
  CHECK(proof.message.find("the cross compiler's directories") != std::string::npos);
}
