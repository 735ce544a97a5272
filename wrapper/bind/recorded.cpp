// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/recorded.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/table/toml.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hostpin {

namespace {

const TomlValue* table_of(const TomlValue& toml, std::string_view name) {
  const auto found = std::find_if(toml.members.begin(), toml.members.end(),
                                  [&](const TomlMember& member) { return member.key == name; });
  const bool is_table = found != toml.members.end() && found->value.kind == TomlValue::Kind::table;
  return is_table ? &found->value : nullptr;
}

/// The variables that were worked out when the binding was made.
std::vector<std::pair<std::string, std::string>> variables_of(const TomlValue& toml) {
  std::vector<std::pair<std::string, std::string>> variables;
  if (const TomlValue* const table = table_of(toml, "capabilities"))
    for (const TomlMember& member : table->members)
      if (member.value.kind == TomlValue::Kind::string)
        variables.emplace_back(member.key, member.value.text);
  return variables;
}

/// A table's strings by their keys; what is not there is empty.
class Strings {
public:
  explicit Strings(const TomlValue* table) : table_(table) {}

  std::string operator[](std::string_view key) const {
    const TomlValue* const value = find(key, TomlValue::Kind::string);
    return value != nullptr ? value->text : std::string();
  }

  std::vector<std::string> list(std::string_view key) const {
    std::vector<std::string> texts;
    if (const TomlValue* const value = find(key, TomlValue::Kind::array))
      for (const TomlValue& item : value->items)
        texts.push_back(item.text);
    return texts;
  }

private:
  const TomlValue* find(std::string_view key, TomlValue::Kind kind) const {
    if (table_ != nullptr)
      for (const TomlMember& member : table_->members)
        if (member.key == key && member.value.kind == kind)
          return &member.value;
    return nullptr;
  }

  const TomlValue* table_;
};

Compiler compiler_of(const TomlValue* table) {
  const Strings recorded(table);
  Compiler compiler;
  compiler.command = recorded.list("command");
  compiler.origin = recorded["origin"];
  const std::string family = recorded["family"];
  for (const Family known : {Family::gcc, Family::clang})
    if (family == to_string(known))
      compiler.family = known;
  compiler.product = recorded["product"];
  compiler.version = parse_version(recorded["version"]).value_or(Version{});
  compiler.target = recorded["target"];
  compiler.glibc = parse_version(recorded["glibc"]);
  if (const TomlValue* const library = table != nullptr ? table_of(*table, "libstdcxx") : nullptr) {
    const Strings its(library);
    compiler.library.kind = its["kind"];
    compiler.library.path = its["path"];
    compiler.library.glibcxx = its["glibcxx"];
    compiler.library.cxxabi = its["cxxabi"];
  }
  return compiler;
}

} // namespace

Result<Recorded> read_recorded(const Files& files, const std::string& directory) {
  const std::string path = directory + "/binding.toml";
  const auto toml = read_toml(files, path);
  if (!toml) {
    // bind makes no directory of its own out of one that holds other files.
    const bool is_others = files.status(directory) && !files.status(path);
    return failure(fmt::format("{} is not a bound directory: {}", directory, toml.error().message),
                   "make one: hostpin bind " + shell_word(is_others ? directory + "/toolchain" : directory));
  }
  const TomlValue* const request = table_of(*toml, "request");
  if (request == nullptr)
    return failure(path + " does not say what it was made from",
                   "make it anew: hostpin bind " + shell_word(directory));

  Recorded recorded;
  TomlReader reader(path, *request);
  recorded.request.toolkit = reader.string("toolkit");
  recorded.request.stdenv = reader.string("stdenv");
  // Who named them then, so that the same decision has the same words.
  if (const std::string by = Strings(table_of(*toml, "toolkit"))["origin"]; !by.empty())
    recorded.request.toolkit_by = by;
  if (const std::string by = Strings(table_of(*toml, "stdenv"))["origin"]; !by.empty())
    recorded.request.stdenv_by = by;
  recorded.request.host = reader.string("host");
  recorded.request.host_by = reader.string("host-by").value_or("--host");
  recorded.request.allow_unsupported = reader.boolean("allow-unsupported").value_or(false);
  recorded.named = reader.boolean("named").value_or(false);
  recorded.view = reader.boolean("view").value_or(false);
  if (const TomlValue* const table = table_of(*toml, "configuration")) {
    auto config = read_config(path, *table);
    if (!config)
      return tl::unexpected(config.error());
    recorded.request.config = *std::move(config);
  }
  const auto list = reader.string("capabilities");
  const bool exactly = reader.boolean("no-forward-compatibility").value_or(false);
  if (list)
    recorded.capabilities = BoundCapabilities{*list, !exactly, variables_of(*toml)};
  if (auto wrong = reader.finish())
    return tl::unexpected(std::move(*wrong));
  return recorded;
}

Result<Binding> read_binding(const Files& files, const std::string& directory, const Plan& plan) {
  const auto toml = read_toml(files, directory + "/binding.toml");
  if (!toml)
    return tl::unexpected(toml.error());
  const auto words = [](const std::vector<std::string_view>& views) {
    return std::vector<std::string>(views.begin(), views.end());
  };
  Binding binding;
  const Strings toolkit(table_of(*toml, "toolkit"));
  const Strings host(table_of(*toml, "host"));
  const Strings link(table_of(*toml, "link"));
  binding.toolkit.version = parse_version(plan.toolkit).value_or(Version{});
  binding.toolkit.nvcc = plan.nvcc;
  binding.toolkit.root = toolkit["root"];
  binding.toolkit.origin = toolkit["origin"];
  binding.nvcc_reads_ccbin_variable = plan.nvcc_reads_ccbin_variable;
  binding.nvcc_escapes_quotes = plan.nvcc_escapes_quotes;
  binding.host.compiler = compiler_of(table_of(*toml, "host"));
  binding.host_origin = host["chosen-because"];
  for (const TomlMember& member : toml->members)
    if (member.key == "candidate")
      for (const TomlValue& item : member.value.items) {
        const Strings its(&item);
        binding.candidates.push_back(
            {compiler_of(&item), Verdict::unknown, its["reason"], its["source"], false});
      }
  binding.compile = words(plan.host);
  binding.stdenv = compiler_of(table_of(*toml, "stdenv"));
  binding.link = {words(plan.link), link["how"], {}};
  binding.notes = link.list("notes");
  for (const PlanRuntime& rule : plan.runtimes)
    binding.runtimes.push_back({std::string(rule.feature), rule.rule, std::string(rule.reason)});
  binding.library = plan.library;
  binding.loader = plan.loader;
  binding.link_proof = plan.link_proof;
  binding.lto_check = plan.lto_check;
  binding.named_as_is = plan.named_as_is;
  binding.named = plan.named;
  binding.view = plan.view;
  return binding;
}

} // namespace hostpin
