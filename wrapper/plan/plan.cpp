// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/plan/plan.hpp"

#include "toolchains/base/checksum.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace hostpin::plan {

namespace {

struct KindName {
  std::string_view key;
  PlanFile::Kind kind;
};
constexpr KindName kind_names[] = {{"file", PlanFile::Kind::file},
                                   {"directory", PlanFile::Kind::directory},
                                   {"absent", PlanFile::Kind::absent}};

template <typename Number>
bool take_number(std::string_view& text, Number& number) {
  const auto word = take_word(text);
  if (!word)
    return false;
  const char* const end = word->data() + word->size();
  const auto [next, error] = std::from_chars(word->data(), end, number);
  return error == std::errc() && next == end;
}

bool read_file(PlanFile::Kind kind, std::string_view value, std::vector<PlanFile>& files) {
  PlanFile file;
  file.kind = kind;
  if (kind == PlanFile::Kind::file && !take_number(value, file.size))
    return false;
  if (kind != PlanFile::Kind::absent && !take_number(value, file.modified))
    return false;
  if (value.empty())
    return false;
  file.path = value;
  files.push_back(file);
  return true;
}

// Layout: magic NUL, checksum of all that follows its NUL as 16 hex digits NUL, then `key=value` NUL for each
// field; `content` and `touched` are of the file before them. Any change of the keys or of what one means
// needs a new magic: a reader of another release then refuses the whole file, and a decision is made again.
constexpr std::string_view magic("hostpin plan 7\0", 15);
constexpr std::size_t checksum_digits = 16;
constexpr std::size_t header_size = magic.size() + checksum_digits + 1;

/// Calls `visit(key, member)` for each field but `files`, in the order of the file.
template <typename AnyPlan, typename Visit>
void each_field(AnyPlan& plan, const Visit& visit) {
  visit("toolkit", plan.toolkit);
  visit("nvcc", plan.nvcc);
  visit("home", plan.home);
  visit("family", plan.family);
  visit("host-label", plan.host_label);
  visit("link-label", plan.link_label);
  visit("link-proof", plan.link_proof);
  visit("lto-check", plan.lto_check);
  visit("loader", plan.loader);
  visit("loader-cache", plan.loader_cache);
  visit("loader-library", plan.loader_library);
  visit("loader-platform", plan.loader_platform);
  visit("loader-root", plan.loader_root);
  visit("loader-elsewhere", plan.loader_elsewhere);
  visit("library", plan.library);
  visit("policy", plan.policy);
  visit("policy-versions", plan.policy_versions);
  visit("policy-libraries", plan.policy_libraries);
  visit("hostpin", plan.hostpin);
  visit("identity", plan.identity);
  visit("nvcc-reads-ccbin-variable", plan.nvcc_reads_ccbin_variable);
  visit("nvcc-escapes-quotes", plan.nvcc_escapes_quotes);
  visit("untouched", plan.untouched);
  visit("named-as-is", plan.named_as_is);
  visit("named", plan.named);
  visit("newer-host", plan.newer_host);
  visit("view", plan.view);
  visit("tree", plan.tree);
  visit("host", plan.host);
  visit("link", plan.link);
  visit("link-last", plan.link_last);
  visit("host-link-last", plan.host_link_last);
  visit("loader-directory", plan.loader_directories);
  visit("loader-capability", plan.loader_capabilities);
  visit("driver-directory", plan.driver_directories);
  visit("run-path", plan.run_path);
  visit("runtime", plan.runtimes);
  visit("slices", plan.slices);
  visit("target-directory", plan.target_directory);
  visit("gpu", plan.gpus);
  visit("gpu-variant", plan.gpu_variants);
}

struct RuleName {
  std::string_view name;
  PlanRule rule;
};
constexpr RuleName rule_names[] = {{"cross", PlanRule::cross},
                                   {"refuse", PlanRule::refuse},
                                   {"one-compiler", PlanRule::one_compiler},
                                   {"drop", PlanRule::drop}};

template <typename Text>
bool take(std::string_view value, std::vector<PlanRuntimeOf<Text>>& runtimes) {
  const auto feature = take_word(value);
  const auto rule = take_word(value);
  const auto* const row = std::find_if(std::begin(rule_names), std::end(rule_names),
                                       [&](const RuleName& each) { return each.name == rule; });
  if (!feature || row == std::end(rule_names))
    return false;
  runtimes.push_back({Text(*feature), row->rule, Text(value)});
  return true;
}

template <typename Text>
bool take(std::string_view value, std::vector<Text>& list) {
  list.emplace_back(value);
  return true;
}

bool take(std::string_view value, auto& member) {
  using Member = std::remove_reference_t<decltype(member)>;
  std::optional<Member> known;
  if constexpr (std::is_same_v<Member, CheckPolicy>)
    known = check_policy(value);
  else if constexpr (!std::is_same_v<Member, bool>)
    known = value;
  else if (value == "0" || value == "1")
    known = value == "1";
  member = known.value_or(member);
  return known.has_value();
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

template <typename Text>
bool read_field(std::string_view key, std::string_view value, PlanOf<Text>& plan) {
  if (const FileField file = read_file_field(key, value, plan.files); file != FileField::not_a_file)
    return file == FileField::taken;
  if (key == "content" || key == "touched")
    return !plan.files.empty() && read_file_detail(key, value, plan.files.back());
  bool taken = false;
  each_field(plan, [&](std::string_view name, auto& member) {
    if (name == key)
      taken = take(value, member);
  });
  return taken;
}

/// Removes the leading fields that are in the order of `write_plan`, in one pass of all names, where
/// `read_field` takes a pass for each field. False if a value is rejected.
template <typename Text>
bool read_in_order(std::string_view& fields, PlanOf<Text>& plan) {
  bool taken = true;
  each_field(plan, [&](std::string_view name, auto& member) {
    while (taken && fields.starts_with(name) && fields.substr(name.size()).starts_with('='))
      taken =
          next_field(fields, [&](std::string_view, std::string_view value) { return take(value, member); });
  });
  return taken;
}

template <typename Text>
bool read_fields(std::string_view fields, PlanOf<Text>& plan) {
  if (!read_in_order(fields, plan))
    return false;
  while (!fields.empty())
    if (!next_field(fields, [&](std::string_view key, std::string_view value) {
          return read_field(key, value, plan);
        }))
      return false;
  return true;
}

template <typename Item>
void append(std::string& bytes, std::string_view key, const std::vector<Item>& list) {
  for (const Item& item : list)
    if constexpr (requires { item.rule; })
      append_field(bytes, key,
                   std::string(item.feature)
                       .append(1, ' ')
                       .append(to_string(item.rule))
                       .append(1, ' ')
                       .append(item.reason));
    else
      append_field(bytes, key, item);
}

template <typename Member>
void append(std::string& bytes, std::string_view key, const Member& member) {
  if constexpr (std::is_same_v<Member, CheckPolicy>)
    append_field(bytes, key, to_string(member));
  else if constexpr (!std::is_same_v<Member, bool>)
    member.empty() ? void() : append_field(bytes, key, member);
  else if (member)
    append_field(bytes, key, "1");
}

} // namespace

std::optional<std::string_view> take_word(std::string_view& text) {
  const auto space = text.find(' ');
  if (space == std::string_view::npos)
    return std::nullopt;
  const std::string_view word = text.substr(0, space);
  text.remove_prefix(space + 1);
  return word;
}

void append_field(std::string& bytes, std::string_view key, std::string_view value) {
  bytes.append(key).append(1, '=').append(value).append(1, '\0');
}

void append_file_field(std::string& bytes, const PlanFile& file) {
  for (const KindName& row : kind_names) {
    if (row.kind != file.kind)
      continue;
    std::string value;
    if (file.kind == PlanFile::Kind::file)
      value += std::to_string(file.size) + ' ';
    if (file.kind != PlanFile::Kind::absent)
      value += std::to_string(file.modified) + ' ';
    append_field(bytes, row.key, value.append(file.path));
  }
}

FileField read_file_field(std::string_view key, std::string_view value, std::vector<PlanFile>& files) {
  for (const KindName& row : kind_names)
    if (row.key == key)
      return read_file(row.kind, value, files) ? FileField::taken : FileField::damaged;
  return FileField::not_a_file;
}

std::string_view to_string(PlanRule rule) {
  for (const RuleName& row : rule_names)
    if (row.rule == rule)
      return row.name;
  return {};
}

template <typename Text>
std::optional<PlanOf<Text>> read_plan(std::string_view bytes) {
  if (bytes.size() <= header_size || !bytes.starts_with(magic) || bytes.back() != '\0')
    return std::nullopt;
  const std::string_view fields = bytes.substr(header_size);
  const auto expected = hexadecimal(checksum(fields));
  if (bytes.substr(magic.size(), checksum_digits) != std::string_view(expected.data(), expected.size()) ||
      bytes[header_size - 1] != '\0')
    return std::nullopt;

  PlanOf<Text> plan;
  plan.files.reserve(64);
  if (!read_fields(fields, plan))
    return std::nullopt;
  if (plan.nvcc.empty() || (!plan.untouched && (plan.host.empty() || plan.link.empty())))
    return std::nullopt;
  return plan;
}

template <typename Text>
std::string write_plan(const PlanOf<Text>& plan) {
  std::string fields;
  each_field(plan, [&](std::string_view key, const auto& member) { append(fields, key, member); });
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

template std::optional<Plan> read_plan(std::string_view);
template std::optional<OwnPlan> read_plan(std::string_view);
template std::string write_plan(const Plan&);
template std::string write_plan(const OwnPlan&);

std::string decision_digest(Plan plan) {
  constexpr std::uint64_t seeds[] = {0x6F626A65, 0x63740000};
  plan.home = plan.hostpin = plan.identity = plan.slices = {};
  plan.loader = plan.loader_cache = plan.loader_library = plan.loader_platform = plan.loader_root = {};
  plan.policy = plan.policy_versions = plan.policy_libraries = {};
  plan.loader_elsewhere = false;
  plan.loader_directories.clear();
  plan.loader_capabilities.clear();
  plan.driver_directories.clear();
  plan.run_path.clear();
  for (PlanFile& file : plan.files) {
    file.content = {};
    file.touched.reset();
  }
  const std::string bytes = write_plan(plan);
  std::string digits;
  for (const std::uint64_t seed : seeds) {
    const auto half = hexadecimal(checksum(bytes, seed));
    digits.append(half.data(), half.size());
  }
  return digits;
}

} // namespace hostpin::plan
