// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/table/files_map.hpp"
#include "toolchains/table/policies.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

std::vector<ManylinuxPolicy> shipped() {
  auto policies = load_policies(DiskFiles(), HOSTPIN_DATA);
  if (!policies)
    FAIL(policies.error().message);
  return policies.value_or(std::vector<ManylinuxPolicy>());
}

SystemNeeds needs(std::initializer_list<std::string_view> versions) {
  SystemNeeds result;
  for (const std::string_view version : versions)
    CHECK(result.add(version));
  return result;
}

} // namespace

TEST_CASE("a tag's policy is found by both of its names, and one between two is the older") {
  const auto policies = shipped();
  REQUIRE(policies.size() == 18);
  const auto named = [&](std::string_view tag) {
    const ManylinuxPolicy* const policy = policy_of_tag(policies, tag);
    return policy == nullptr ? std::string("none") : policy->name;
  };
  CHECK(named("manylinux2014_x86_64") == "manylinux_2_17");
  CHECK(named("manylinux1_i686") == "manylinux_2_5");
  CHECK(named("manylinux_2_28_aarch64") == "manylinux_2_28");
  CHECK(named("manylinux_2_33_x86_64") == "manylinux_2_31");
  CHECK(named("manylinux_2_99_x86_64") == policies.back().name);
  for (const char* const other : {"linux_x86_64", "any", "musllinux_1_2_x86_64", "manylinux_2_28",
                                  "manylinux_2", "manylinux_2_1_x86_64"})
    CHECK(named(other) == "none");
}

TEST_CASE("a policy covers the versions up to its own") {
  const auto policies = shipped();
  const ManylinuxPolicy& policy = *policy_of_tag(policies, "manylinux_2_28_x86_64");
  CHECK(policy.covers(needs({"GLIBC_2.28", "GLIBC_2.2.5", "GLIBCXX_3.4.24", "CXXABI_1.3.11", "GCC_7.0.0"})));
  CHECK_FALSE(policy.covers(needs({"GLIBC_2.29"})));
  CHECK_FALSE(policy.covers(needs({"GLIBCXX_3.4.25"})));
  CHECK_FALSE(policy.covers(needs({"CXXABI_1.3.12"})));
  CHECK_FALSE(policy.covers(needs({"GCC_12.0.0"})));
  CHECK_FALSE(policy.covers(needs({"GLIBC_ABI_DT_RELR"})));
  CHECK(lowest_policy(policies, needs({"GLIBC_2.27", "GLIBCXX_3.4.29"}))->name == "manylinux_2_34");
  CHECK(lowest_policy(policies, {})->name == "manylinux_2_5");
  CHECK(lowest_policy(policies, needs({"GLIBCXX_3.4.36"})) == nullptr);
}

TEST_CASE("versions of no system are in no policy") {
  SystemNeeds none;
  CHECK_FALSE(none.add("GLIBC_PRIVATE"));
  CHECK_FALSE(none.add("FOO_1.0"));
  CHECK(none == SystemNeeds{});
}

TEST_CASE("libraries of a policy are those of all before it too") {
  const auto policies = shipped();
  CHECK_FALSE(policies.front().libraries.contains("libexpat.so.1"));
  CHECK(policies.back().libraries.contains("libexpat.so.1"));
  CHECK(policies.back().libraries.contains("libstdc++.so.6"));
  CHECK_FALSE(policies.back().libraries.contains("libcudart.so.13"));
}

TEST_CASE("a row that does not ascend, or has no version, is an error with its position") {
  const auto error = [](const std::string& rows) {
    const auto read = load_policies(FilesMap({{"d/policies.toml", rows}}), "d");
    return read ? std::string("none") : read.error().message;
  };
  const std::string row = "[[policy]]\nname = \"a\"\nglibc = \"2.17\"\nglibcxx = \"3.4\"\ncxxabi = "
                          "\"1.3\"\ngcc = \"4\"\nsource = \"s\"\n";
  CHECK(error(row) == "none");
  std::string older = row;
  older.replace(older.find("2.17"), 4, "2.16");
  CHECK(error(row + older).starts_with("d/policies.toml:10:"));
  std::string wrong = row;
  wrong.replace(wrong.find("2.17"), 4, "new!");
  CHECK(error(wrong).find("not a version") != std::string::npos);
  CHECK(error(row + "more = 1\n").find("more") != std::string::npos);
}
