// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/table/policies.hpp"

#include "toolchains/table/toml.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace hostpin {

namespace {

struct Kind {
  std::string_view prefix;
  Version SystemNeeds::*version;
};
constexpr std::array kinds = {Kind{"GLIBC_", &SystemNeeds::glibc}, Kind{"GLIBCXX_", &SystemNeeds::glibcxx},
                              Kind{"CXXABI_", &SystemNeeds::cxxabi}, Kind{"GCC_", &SystemNeeds::gcc}};

/// Versions without a number, by the release that introduced them.
struct Named {
  std::string_view name;
  SystemNeeds needs;
};
const std::array named = {
    Named{"GLIBC_ABI_DT_RELR", {{2, 36}, {}, {}, {}}},       // glibc 2.36, NEWS
    Named{"CXXABI_TM_1", {{}, {}, {1, 3, 5}, {}}},           // GCC 4.7
    Named{"CXXABI_FLOAT128", {{}, {}, {1, 3, 8}, {}}},       // GCC 4.9
    Named{"CXXABI_LDBL_1.3", {{}, {}, {1, 3}, {}}},          // GCC 4.1
    Named{"GLIBCXX_LDBL_3.4", {{}, {3, 4}, {}, {}}},         // GCC 4.1
    Named{"GLIBC_ABI_GNU2_TLS", {{2, 42}, {}, {}, {}}},      // glibc 2.42, NEWS
    Named{"GLIBC_ABI_DT_X86_64_PLT", {{2, 42}, {}, {}, {}}}, // likewise
};

ManylinuxPolicy policy_row(TomlReader& row, const std::vector<ManylinuxPolicy>& before) {
  ManylinuxPolicy policy;
  policy.name = row.required("name");
  policy.legacy = row.string("legacy").value_or("");
  for (const auto& [key, version] :
       {std::pair("glibc", &SystemNeeds::glibc), std::pair("glibcxx", &SystemNeeds::glibcxx),
        std::pair("cxxabi", &SystemNeeds::cxxabi), std::pair("gcc", &SystemNeeds::gcc)}) {
    const std::string text = row.required(key);
    const auto read = parse_version(text);
    if (!read && !text.empty())
      row.refuse(key, quoted(text) + " is not a version such as \"2.28\"");
    policy.newest.*version = read.value_or(Version{});
    if (!before.empty() && policy.newest.*version < before.back().newest.*version)
      row.refuse(key, "rows ascend, and " + quoted(text) + " is older than the row before");
  }
  if (!before.empty())
    policy.libraries = before.back().libraries;
  for (std::string& library : row.strings("libraries"))
    policy.libraries.insert(std::move(library));
  policy.source = row.required("source");
  return policy;
}

/// The number after `prefix`, and what follows it.
std::optional<int> take_number(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return std::nullopt;
  text.remove_prefix(prefix.size());
  int number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || number < 0)
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return number;
}

} // namespace

bool SystemNeeds::add(std::string_view version) {
  const auto* const without_number =
      std::find_if(named.begin(), named.end(), [&](const Named& one) { return one.name == version; });
  if (without_number != named.end()) {
    add(without_number->needs);
    return true;
  }
  for (const Kind& kind : kinds)
    if (version.starts_with(kind.prefix)) {
      const auto read = parse_version(version.substr(kind.prefix.size()));
      if (read)
        this->*kind.version = std::max(this->*kind.version, *read);
      return read.has_value();
    }
  return false;
}

void SystemNeeds::add(const SystemNeeds& other) {
  for (const Kind& kind : kinds)
    this->*kind.version = std::max(this->*kind.version, other.*kind.version);
}

bool ManylinuxPolicy::covers(const SystemNeeds& needs) const {
  return std::all_of(kinds.begin(), kinds.end(),
                     [&](const Kind& kind) { return needs.*kind.version <= newest.*kind.version; });
}

Result<std::vector<ManylinuxPolicy>> load_policies(const Files& files, const std::string& directory) {
  const std::string path = directory + "/policies.toml";
  const Result<TomlValue> content = read_toml(files, path);
  if (!content)
    return tl::unexpected(content.error());
  TomlReader document(path, *content);
  std::vector<ManylinuxPolicy> policies;
  auto error = read_rows(document, "policy", "see the comment at the top of the file", policies,
                         [&](TomlReader& row) { return policy_row(row, policies); });
  if (!error)
    error = document.finish("policies.toml has [[policy]] rows only");
  if (error)
    return tl::unexpected(*std::move(error));
  return policies;
}

const ManylinuxPolicy* policy_of_tag(const std::vector<ManylinuxPolicy>& policies, std::string_view tag) {
  for (const ManylinuxPolicy& policy : policies)
    if (!policy.legacy.empty() && tag.starts_with(policy.legacy + '_'))
      return &policy;
  const auto major = take_number(tag, "manylinux_");
  const auto minor = major ? take_number(tag, "_") : std::nullopt;
  if (!minor || !tag.starts_with('_'))
    return nullptr;
  const Version glibc{*major, *minor, 0};
  const ManylinuxPolicy* found = nullptr;
  for (const ManylinuxPolicy& policy : policies)
    if (policy.newest.glibc <= glibc)
      found = &policy;
  return found;
}

const ManylinuxPolicy* lowest_policy(const std::vector<ManylinuxPolicy>& policies, const SystemNeeds& needs) {
  const auto found = std::find_if(policies.begin(), policies.end(),
                                  [&](const ManylinuxPolicy& policy) { return policy.covers(needs); });
  return found == policies.end() ? nullptr : &*found;
}

} // namespace hostpin
