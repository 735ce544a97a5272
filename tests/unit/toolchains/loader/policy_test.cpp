// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "toolchains/loader/policy.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::loader;
using hostpin::test::ElfBuilder;
using hostpin::test::Tree;

namespace {

constexpr LinkPolicy tested_policy = {"manylinux_2_28_x86_64",
                                      "GLIBC_2.28 GLIBCXX_3.4.24 CXXABI_1.3.11 GCC_7.0 CXXABI_TM_1",
                                      "libc.so.6 libstdc++.so.6 libcudart.so.13 libcuda.so*"};

binary::Image image_needing(const std::string& library, std::vector<std::string> versions) {
  binary::Image image;
  image.needed = {library};
  image.version_needs = {{library, std::move(versions)}};
  return image;
}

std::vector<std::string> excess_of(const std::vector<std::string>& versions) {
  std::vector<std::string> names;
  for (const ExcessNeed& need : excess_needs(image_needing("libc.so.6", versions), tested_policy,
                                             [](const std::string&) { return true; }))
    names.push_back(need.version.empty() ? need.library : need.version);
  return names;
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("versions up to the policy's are allowed, by number and not by text") {
  CHECK(excess_of({"GLIBC_2.2.5", "GLIBC_2.28", "GLIBCXX_3.4.9", "CXXABI_1.3", "GCC_7.0.0"}).empty());
  CHECK(excess_of({"GLIBC_2.29", "GLIBCXX_3.4.25", "CXXABI_1.3.12", "GCC_12.0.0"}).size() == 4);
  CHECK(excess_of({"GLIBC_2.3", "GLIBC_2.100"}) == Names{"GLIBC_2.100"});
  CHECK(excess_of({"GLIBC_2.28.1"}).size() == 1);
  CHECK(excess_of({"GLIBC_99999999999999999999"}).size() == 1);
}

TEST_CASE("versions without a number are allowed if they are listed, and other kinds are not restricted") {
  CHECK(excess_of({"CXXABI_TM_1"}).empty());
  CHECK(excess_of({"CXXABI_FLOAT128", "GLIBC_PRIVATE", "GLIBC_ABI_DT_RELR"}).size() == 3);
  CHECK(excess_of({"libcudart.so.13", "OPENSSL_3.0.0", "Base", ""}).empty());
  CHECK(excess_of({"GLIBC_2.", "GLIBC_.28", "GLIBC_"}).size() == 3);
}

TEST_CASE("libraries that the system would serve have to be the policy's") {
  const auto of = [](const std::string& library, bool is_of_system) {
    return excess_needs(image_needing(library, {}), tested_policy,
                        [&](const std::string&) { return is_of_system; });
  };
  CHECK(of("libcudart.so.13", true).empty());
  CHECK(of("libcuda.so.1", true).empty());
  CHECK(of("libpython3.12.so.1.0", true) == std::vector<ExcessNeed>{{"libpython3.12.so.1.0", {}}});
  CHECK(of("libown.so", false).empty());
  CHECK(of("libcudart.so.12", true).size() == 1);
}

namespace {

const ElfBuilder builder(true, true);

std::vector<std::string> no_lines(const std::string&, const std::string&) {
  return {};
}

Proof policy_proof_of(const Tree& tree, const std::string& content, bool finds_libraries = true,
                      const SymbolLines& lines = no_lines) {
  LinkToProve link;
  link.output = tree.write("libx.so", content);
  link.places.directories = {tree.path("system")};
  link.inputs = [] { return std::vector<std::string>(); };
  return prove_policy(link, tested_policy, finds_libraries, lines);
}

} // namespace

TEST_CASE("a shared library beyond the policy is disproved, and a program is not") {
  const Tree tree;
  CHECK(policy_proof_of(tree, builder.build("libx.so", {}, {{"libc.so.6", {"GLIBC_2.28"}}})).outcome ==
        Proof::Outcome::holds);
  const Proof proof = policy_proof_of(tree, builder.build("libx.so", {}, {{"libc.so.6", {"GLIBC_2.34"}}}));
  CHECK(proof.outcome == Proof::Outcome::disproved);
  CHECK(proof.message.find("manylinux_2_28_x86_64") != std::string::npos);
  CHECK(proof.message.find("GLIBC_2.34 of libc.so.6, where the newest is GLIBC_2.28") != std::string::npos);
  CHECK(proof.hint.find("--sysroot") != std::string::npos);
  CHECK(policy_proof_of(tree, builder.build("x", {}, {{"libc.so.6", {"GLIBC_2.34"}}}, {}, "/lib64/ld.so"))
            .outcome == Proof::Outcome::doubtful);
  CHECK(policy_proof_of(tree, "text").outcome == Proof::Outcome::skipped);
}

TEST_CASE("the hint names the component with the program that finds source lines, if it is not installed") {
  const Tree tree;
  const std::string needs = builder.build("libx.so", {}, {{"libc.so.6", {"GLIBC_2.34"}}});
  CHECK(policy_proof_of(tree, needs).hint.ends_with("compile with -g to see the source lines"));
  CHECK(policy_proof_of(tree, needs, true, {})
            .hint.ends_with("install hostpin's component checks to see the source lines"));
}

TEST_CASE("a library that the loader of newer systems refuses is disproved") {
  const Tree tree;
  std::string bytes = builder.build("libx.so", {}, {{"libc.so.6", {"GLIBC_2.28"}}});
  bytes[64 + 2 * 56 + 4] = 7; // of PT_GNU_STACK: read, write, execute
  const Proof proof = policy_proof_of(tree, bytes);
  CHECK(proof.outcome == Proof::Outcome::disproved);
  CHECK(proof.message.find("requests an executable stack") != std::string::npos);
}

TEST_CASE("a library of the system is told from one that a wheel brings by where the loader finds it") {
  const Tree tree;
  const std::string needs = builder.build("libx.so", {}, {{"libfoo.so.1", {"FOO_1"}}});
  CHECK(policy_proof_of(tree, needs).outcome == Proof::Outcome::holds); // not found: to come with the wheel
  tree.write("system/libfoo.so.1", builder.build("libfoo.so.1", {"FOO_1"}));
  const Proof proof = policy_proof_of(tree, needs);
  CHECK(proof.outcome == Proof::Outcome::disproved);
  CHECK(proof.hint.find("--allow-library libfoo.so.1") != std::string::npos);
  CHECK(policy_proof_of(tree, needs, false).outcome == Proof::Outcome::holds);
  const std::string own = builder.build("libx.so", {}, {{"libfoo.so.1", {"FOO_1"}}}, tree.path("own"));
  tree.write("own/libfoo.so.1", builder.build("libfoo.so.1", {"FOO_1"}));
  CHECK(policy_proof_of(tree, own).outcome == Proof::Outcome::holds);
}
