// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/table/policies.hpp"

#include "toolchains/document/reader.hpp"

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
    Named{"GLIBC_ABI_GNU2_TLS", {{2, 43}, {}, {}, {}}},      // in no policy before
    Named{"GLIBC_ABI_DT_X86_64_PLT", {{2, 43}, {}, {}, {}}}, // likewise
};

SystemNeeds needs_row(document::Reader& column) {
  SystemNeeds newest;
  for (const auto& [key, version] :
       {std::pair("glibc", &SystemNeeds::glibc), std::pair("glibcxx", &SystemNeeds::glibcxx),
        std::pair("cxxabi", &SystemNeeds::cxxabi), std::pair("gcc", &SystemNeeds::gcc)}) {
    const std::string text = column.required(key);
    const auto read = parse_version(text);
    if (!read && !text.empty())
      column.refuse(key, document::quoted(text) + " is not a version such as \"2.28\"");
    newest.*version = read.value_or(Version{});
  }
  return newest;
}

bool ascends(const SystemNeeds& before, const SystemNeeds& after) {
  return std::all_of(kinds.begin(), kinds.end(),
                     [&](const Kind& kind) { return before.*kind.version <= after.*kind.version; });
}

/// A row, with the column of an architecture; nothing in `newest` if it has none.
struct Row {
  ManylinuxPolicy policy;
  bool has_column = false;
};

Row policy_row(document::Reader& row, const std::vector<Row>& before, std::string_view architecture) {
  Row read;
  ManylinuxPolicy& policy = read.policy;
  policy.name = row.required("name");
  policy.legacy = row.string("legacy").value_or("");
  policy.architecture = architecture;
  for (const std::string_view each : policy_architectures) {
    const document::Value* const table = row.table(each);
    if (table == nullptr)
      continue;
    document::Reader column(row.path(), *table);
    const SystemNeeds newest = needs_row(column);
    row.adopt(column.finish("an architecture has glibc, glibcxx, cxxabi and gcc"));
    if (each != architecture)
      continue;
    policy.newest = newest;
    read.has_column = true;
    if (!before.empty() && !ascends(before.back().policy.newest, newest))
      row.refuse(each, "rows ascend, and a version here is older than in the row before");
  }
  if (!before.empty())
    policy.libraries = before.back().policy.libraries;
  for (std::string& library : row.strings("libraries"))
    policy.libraries.insert(std::move(library));
  policy.source = row.required("source");
  return read;
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

/// The glibc of `manylinux_2_28_x86_64`; nothing for other names.
std::optional<Version> glibc_of(std::string_view tag) {
  const auto major = take_number(tag, "manylinux_");
  const auto minor = major ? take_number(tag, "_") : std::nullopt;
  return minor && tag.starts_with('_') ? std::optional(Version{*major, *minor, 0}) : std::nullopt;
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

std::vector<std::string> ManylinuxPolicy::versions() const {
  std::vector<std::string> all;
  for (const Kind& kind : kinds)
    all.push_back(std::string(kind.prefix) + to_string(newest.*kind.version));
  for (const Named& one : named)
    if (covers(one.needs))
      all.emplace_back(one.name);
  return all;
}

Result<std::vector<ManylinuxPolicy>> load_policies(const Files& files, const std::string& directory,
                                                   std::string_view architecture) {
  std::vector<Row> rows;
  TRY(document::read_tables(files, directory + "/policies.toml", "policies.toml has [[policy]] rows only",
                            [&](document::Reader& document) {
                              document.rows(
                                  "policy", "see the comment at the top of the file", rows,
                                  [&](document::Reader& row) { return policy_row(row, rows, architecture); });
                            }));
  std::vector<ManylinuxPolicy> policies;
  for (Row& row : rows)
    if (row.has_column)
      policies.push_back(std::move(row.policy));
  return policies;
}

std::string architecture_of_tag(std::string_view tag) {
  for (const std::string_view each : policy_architectures)
    if (tag.ends_with(each))
      return std::string(each);
  return std::string(tag.substr(tag.rfind('_') + 1));
}

Result<ManylinuxPolicy> policy_named(const std::vector<ManylinuxPolicy>& policies, std::string_view name) {
  std::string known;
  for (const ManylinuxPolicy& policy : policies) {
    for (const std::string& own : {policy.name, policy.legacy})
      if (!own.empty() && (name == own || name == std::string(own).append("_").append(policy.architecture)))
        return policy;
    known += (known.empty() ? "" : ", ") + policy.name;
  }
  return failure("there is no policy " + document::quoted(name) +
                     (policies.empty() ? std::string(" for this architecture")
                                       : " for " + policies.front().architecture),
                 known.empty() ? "policies.toml has x86_64 and aarch64" : "policies are " + known);
}

std::optional<ManylinuxPolicy> policy_of_tag(const std::vector<ManylinuxPolicy>& policies,
                                             std::string_view tag) {
  for (const ManylinuxPolicy& policy : policies)
    if (!policy.legacy.empty() && tag.starts_with(policy.legacy + '_'))
      return policy;
  const auto glibc = glibc_of(tag);
  if (!glibc)
    return std::nullopt;
  const ManylinuxPolicy* before = nullptr;
  for (const ManylinuxPolicy& policy : policies)
    if (glibc_of(policy.name + '_') <= glibc)
      before = &policy;
  if (before == nullptr || glibc_of(before->name + '_') == glibc)
    return before == nullptr ? std::nullopt : std::optional(*before);
  ManylinuxPolicy between = *before;
  between.name = "manylinux_" + std::to_string(glibc->major) + '_' + std::to_string(glibc->minor);
  between.legacy.clear();
  between.newest.glibc = std::max(between.newest.glibc, *glibc); // RHEL 7 for aarch64 has more than its name
  return between;
}

const ManylinuxPolicy* lowest_policy(const std::vector<ManylinuxPolicy>& policies, const SystemNeeds& needs) {
  const auto found = std::find_if(policies.begin(), policies.end(),
                                  [&](const ManylinuxPolicy& policy) { return policy.covers(needs); });
  return found == policies.end() ? nullptr : &*found;
}

} // namespace hostpin
