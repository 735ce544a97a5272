// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/shipped_data.hpp"
#include "tests/unit/toolchains/table/files_map.hpp"
#include "toolchains/table/policies.hpp"

#include <algorithm>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

std::vector<ManylinuxPolicy> shipped(std::string_view architecture = "x86_64") {
  auto policies = load_policies(DiskFiles(), hostpin::test::shipped_data(), architecture);
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

TEST_CASE("a tag's policy is found by both of its names, and one between two has its own glibc") {
  const auto policies = shipped();
  REQUIRE(policies.size() == 18);
  const auto named = [&](std::string_view tag) {
    const auto policy = policy_of_tag(policies, tag);
    return policy ? policy->name : std::string("none");
  };
  CHECK(named("manylinux2014_x86_64") == "manylinux_2_17");
  CHECK(named("manylinux1_i686") == "manylinux_2_5");
  CHECK(named("manylinux_2_28_aarch64") == "manylinux_2_28");
  CHECK(named("manylinux_2_33_x86_64") == "manylinux_2_33");
  CHECK(named("manylinux_2_99_x86_64") == "manylinux_2_99");
  for (const char* const other : {"linux_x86_64", "any", "musllinux_1_2_x86_64", "manylinux_2_28",
                                  "manylinux_2", "manylinux_2_1_x86_64"})
    CHECK(named(other) == "none");
}

TEST_CASE("a tag between two policies promises its glibc, and the libraries of the older") {
  const auto policies = shipped();
  const ManylinuxPolicy between = *policy_of_tag(policies, "manylinux_2_25_x86_64");
  CHECK(between.covers(needs({"GLIBC_2.25", "GLIBCXX_3.4.22"})));
  CHECK_FALSE(between.covers(needs({"GLIBC_2.26"})));
  CHECK_FALSE(between.covers(needs({"GLIBCXX_3.4.23"})));
  CHECK(between.libraries == policy_of_tag(policies, "manylinux_2_24_x86_64")->libraries);
  CHECK(policy_of_tag(policies, "manylinux_2_44_x86_64")->covers(needs({"GLIBC_2.44"})));
  const auto arm = shipped("aarch64");
  CHECK(policy_of_tag(arm, "manylinux_2_18_aarch64")->newest == arm.front().newest);
}

TEST_CASE("a policy covers the versions up to its own") {
  const auto policies = shipped();
  const ManylinuxPolicy policy = *policy_of_tag(policies, "manylinux_2_28_x86_64");
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

TEST_CASE("an architecture has its own versions, and policies that lack it are left out") {
  const auto arm = shipped("aarch64");
  REQUIRE(arm.size() == 16);
  CHECK(arm.front().name == "manylinux_2_17");
  CHECK(arm.front().covers(needs({"GLIBC_2.18"}))); // RHEL 7 for aarch64 has it
  CHECK_FALSE(shipped()[2].covers(needs({"GLIBC_2.18"})));
  CHECK(policy_of_tag(arm, "manylinux_2_34_aarch64")->covers(needs({"GCC_11.0"})));
  CHECK_FALSE(policy_of_tag(shipped(), "manylinux_2_34_x86_64")->covers(needs({"GCC_11.0"})));
  CHECK(shipped("ppc64le").empty());
  CHECK(architecture_of_tag("manylinux_2_17_x86_64") == "x86_64");
  CHECK(architecture_of_tag("manylinux2014_aarch64") == "aarch64");
  CHECK(architecture_of_tag("linux_ppc64le") == "ppc64le");
  CHECK(architecture_of_tag("any") == "any");
}

TEST_CASE("a policy is named by its name, its older one, and with the architecture") {
  const auto policies = shipped();
  for (const char* const name :
       {"manylinux_2_17", "manylinux2014", "manylinux_2_17_x86_64", "manylinux2014_x86_64"})
    CHECK(policy_named(policies, name)->name == "manylinux_2_17");
  for (const char* const other : {"manylinux_2_33", "manylinux_2_17_aarch64", "linux_x86_64", ""})
    CHECK(policy_named(policies, other).error().hint.find("manylinux_2_28") != std::string::npos);
  CHECK_FALSE(policy_named({}, "manylinux_2_17").has_value());
}

TEST_CASE("the versions of a policy include those without a number") {
  const auto has = [](const ManylinuxPolicy& policy, std::string_view version) {
    const auto versions = policy.versions();
    return std::find(versions.begin(), versions.end(), version) != versions.end();
  };
  const auto policies = shipped();
  const ManylinuxPolicy old = *policy_named(policies, "manylinux_2_28"),
                        newer = *policy_named(policies, "manylinux_2_36");
  for (const char* const version :
       {"GLIBC_2.28", "GLIBCXX_3.4.24", "CXXABI_1.3.11", "GCC_7.0", "CXXABI_TM_1"})
    CHECK(has(old, version));
  CHECK_FALSE(has(old, "GLIBC_ABI_DT_RELR"));
  CHECK(has(newer, "GLIBC_ABI_DT_RELR"));
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
    const auto read = load_policies(FilesMap({{"d/policies.toml", rows}}), "d", "x86_64");
    return read ? std::string("none") : read.error().message;
  };
  const std::string row =
      "[[policy]]\nname = \"a\"\nsource = \"s\"\n[policy.x86_64]\nglibc = \"2.17\"\nglibcxx = "
      "\"3.4\"\ncxxabi = \"1.3\"\ngcc = \"4\"\n";
  CHECK(error(row) == "none");
  std::string older = row;
  older.replace(older.find("2.17"), 4, "2.16");
  CHECK(error(row + older).starts_with("d/policies.toml:12:"));
  std::string wrong = row;
  wrong.replace(wrong.find("2.17"), 4, "new!");
  CHECK(error(wrong).find("not a version") != std::string::npos);
  CHECK(error(row + "more = 1\n").find("more") != std::string::npos);
}
