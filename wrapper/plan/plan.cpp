// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/plan/plan.hpp"

#include "toolchains/base/checksum.hpp"
#include "wrapper/plan/fields.hpp"

#include <charconv>
#include <cstddef>

namespace hostpin {

namespace {

// Layout: magic NUL, checksum of all that follows its NUL as 16 hex digits NUL, then `key=value` NUL for each
// field; `content` and `touched` are of the file before them. A new key with an old meaning left unchanged
// needs a new magic: readers refuse what they do not know.
constexpr std::string_view magic("hostpin plan 3\0", 15);
constexpr std::size_t checksum_digits = 16;
constexpr std::size_t header_size = magic.size() + checksum_digits + 1;

struct TextField {
  std::string_view key;
  std::string_view Plan::*member;
};
constexpr TextField text_fields[] = {
    {"toolkit", &Plan::toolkit},
    {"nvcc", &Plan::nvcc},
    {"home", &Plan::home},
    {"family", &Plan::family},
    {"host-label", &Plan::host_label},
    {"link-label", &Plan::link_label},
    {"link-proof", &Plan::link_proof},
    {"lto-check", &Plan::lto_check},
    {"loader", &Plan::loader},
    {"loader-cache", &Plan::loader_cache},
    {"loader-library", &Plan::loader_library},
    {"loader-platform", &Plan::loader_platform},
    {"library", &Plan::library},
    {"hostpin", &Plan::hostpin},
    {"identity", &Plan::identity},
};

struct ListField {
  std::string_view key;
  std::vector<std::string_view> Plan::*member;
};
constexpr ListField list_fields[] = {{"host", &Plan::host},
                                     {"link", &Plan::link},
                                     {"loader-directory", &Plan::loader_directories},
                                     {"loader-capability", &Plan::loader_capabilities}};

struct FlagField {
  std::string_view key;
  bool Plan::*member;
};
constexpr FlagField flag_fields[] = {
    {"nvcc-reads-ccbin-variable", &Plan::nvcc_reads_ccbin_variable},
    {"nvcc-escapes-quotes", &Plan::nvcc_escapes_quotes},
    {"untouched", &Plan::untouched},
    {"named-as-is", &Plan::named_as_is},
    {"named", &Plan::named},
    {"newer-host", &Plan::newer_host},
    {"view", &Plan::view},
};

struct RuleName {
  std::string_view name;
  PlanRuntime::Rule rule;
};
constexpr RuleName rule_names[] = {{"cross", PlanRuntime::Rule::cross},
                                   {"refuse", PlanRuntime::Rule::refuse},
                                   {"one-compiler", PlanRuntime::Rule::one_compiler},
                                   {"drop", PlanRuntime::Rule::drop}};

bool read_runtime(std::string_view value, Plan& plan) {
  const auto feature = take_word(value);
  const auto rule = take_word(value);
  if (!feature || !rule)
    return false;
  for (const RuleName& row : rule_names)
    if (row.name == *rule) {
      plan.runtimes.push_back({*feature, row.rule, value});
      return true;
    }
  return false;
}

/// What else is known of the file in the field before.
bool read_file_detail(std::string_view key, std::string_view value, PlanFile& file) {
  if (key == "content") {
    file.content = value;
    return value.size() == checksum_digits;
  }
  const char* const end = value.data() + value.size();
  const auto [next, error] = std::from_chars(value.data(), end, file.touched.emplace());
  return error == std::errc() && next == end;
}

bool read_field(std::string_view key, std::string_view value, Plan& plan) {
  if (const FileField file = read_file_field(key, value, plan.files); file != FileField::not_a_file)
    return file == FileField::taken;
  if (key == "content" || key == "touched")
    return !plan.files.empty() && read_file_detail(key, value, plan.files.back());
  for (const ListField& row : list_fields)
    if (row.key == key) {
      (plan.*row.member).push_back(value);
      return true;
    }
  for (const TextField& row : text_fields)
    if (row.key == key) {
      plan.*row.member = value;
      return true;
    }
  for (const FlagField& row : flag_fields)
    if (row.key == key) {
      plan.*row.member = value == "1";
      return value == "0" || value == "1";
    }
  return key == "runtime" && read_runtime(value, plan);
}

void append_runtime(std::string& bytes, const PlanRuntime& runtime) {
  std::string value(runtime.feature);
  value.append(1, ' ').append(to_string(runtime.rule)).append(1, ' ').append(runtime.reason);
  append_field(bytes, "runtime", value);
}

} // namespace

std::string_view to_string(PlanRuntime::Rule rule) {
  for (const RuleName& row : rule_names)
    if (row.rule == rule)
      return row.name;
  return {};
}

std::optional<Plan> read_plan(std::string_view bytes) {
  if (bytes.size() <= header_size || !bytes.starts_with(magic) || bytes.back() != '\0')
    return std::nullopt;
  std::string_view fields = bytes.substr(header_size);
  const auto expected = hexadecimal(checksum(fields));
  if (bytes.substr(magic.size(), checksum_digits) != std::string_view(expected.data(), expected.size()) ||
      bytes[header_size - 1] != '\0')
    return std::nullopt;

  Plan plan;
  plan.files.reserve(64);
  while (!fields.empty())
    if (!next_field(fields, [&](std::string_view key, std::string_view value) {
          return read_field(key, value, plan);
        }))
      return std::nullopt;
  if (plan.nvcc.empty() || (!plan.untouched && (plan.host.empty() || plan.link.empty())))
    return std::nullopt;
  return plan;
}

std::string write_plan(const Plan& plan) {
  std::string fields;
  for (const TextField& row : text_fields)
    if (!(plan.*row.member).empty())
      append_field(fields, row.key, plan.*row.member);
  for (const FlagField& row : flag_fields)
    if (plan.*row.member)
      append_field(fields, row.key, "1");
  for (const ListField& row : list_fields)
    for (const std::string_view item : plan.*row.member)
      append_field(fields, row.key, item);
  for (const PlanRuntime& runtime : plan.runtimes)
    append_runtime(fields, runtime);
  for (const PlanFile& file : plan.files) {
    append_file_field(fields, file);
    if (!file.content.empty())
      append_field(fields, "content", file.content);
    if (file.touched)
      append_field(fields, "touched", std::to_string(*file.touched));
  }

  const auto digits = hexadecimal(checksum(fields));
  std::string bytes(magic);
  bytes.append(digits.data(), digits.size()).append(1, '\0').append(fields);
  return bytes;
}

} // namespace hostpin
