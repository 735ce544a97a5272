// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/recorded.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/config/bound.hpp"

namespace hostpin {

namespace {

/// The variables that were computed when the binding was made.
std::vector<std::pair<std::string, std::string>> variables_of(const TomlValue* table) {
  std::vector<std::pair<std::string, std::string>> variables;
  if (table != nullptr)
    for (const TomlMember& member : table->members)
      if (member.value.kind == TomlValue::Kind::string)
        variables.emplace_back(member.key, member.value.text);
  return variables;
}

} // namespace

Result<Recorded> read_recorded(const Files& files, const std::string& directory) {
  const auto toml = read_bound(files, directory);
  if (!toml)
    return tl::unexpected(toml.error());
  const std::string path = directory + "/binding.toml";
  const BoundFields document{&*toml};
  const TomlValue* const request = document["request"].table;
  if (request == nullptr)
    return failure(path + " does not contain the request that it was made from",
                   "make it again: hostpin bind " + shell_word(directory));

  Recorded recorded;
  TomlReader reader(path, *request);
  recorded.request.toolkit = reader.string("toolkit");
  recorded.request.stdenv = reader.string("stdenv");
  // Where those names came from, so that the same decision has the same text.
  document["toolkit"]("origin", recorded.request.toolkit_by);
  document["stdenv"]("origin", recorded.request.stdenv_by);
  recorded.request.host = reader.string("host");
  recorded.request.host_by = reader.string("host-by").value_or("--host");
  recorded.request.allow_unsupported = reader.boolean("allow-unsupported").value_or(false);
  recorded.named = reader.boolean("named").value_or(false);
  recorded.view = reader.boolean("view").value_or(false);
  if (const TomlValue* const table = document["configuration"].table) {
    auto config = read_config(path, *table);
    if (!config)
      return tl::unexpected(config.error());
    recorded.request.config = *std::move(config);
  }
  const auto list = reader.string("capabilities");
  const bool exactly = reader.boolean("no-forward-compatibility").value_or(false);
  if (list)
    recorded.capabilities = BoundCapabilities{*list, !exactly, variables_of(document["capabilities"].table)};
  if (auto wrong = reader.finish())
    return tl::unexpected(std::move(*wrong));
  return recorded;
}

Result<Binding> read_binding(const Files& files, const std::string& directory, std::string_view plan) {
  const auto toml = read_bound(files, directory);
  if (!toml)
    return tl::unexpected(toml.error());
  auto tools = bound_tools(*toml, directory);
  if (!tools)
    return tl::unexpected(tools.error());
  const BoundFields document{&*toml};
  Binding binding;
  binding.plan = read_plan<std::string>(plan).value_or(OwnPlan{});
  binding.plan.files.clear(); // they point into its bytes
  binding.toolkit = std::move(tools->toolkit);
  binding.toolkit.version = parse_version(binding.plan.toolkit).value_or(Version{});
  binding.toolkit.nvcc = binding.plan.nvcc;
  binding.host.compiler = std::move(tools->host);
  document["host"]("chosen-because", binding.host_origin);
  for (const TomlMember& member : toml->members)
    if (member.key == "candidate")
      for (const TomlValue& item : member.value.items) {
        const BoundFields fields{&item};
        Judgement& candidate = binding.candidates.emplace_back();
        candidate.compiler = bound_compiler(fields);
        fields("reason", candidate.reason);
        fields("source", candidate.source);
      }
  binding.stdenv = std::move(tools->stdenv);
  binding.link.command = binding.plan.link;
  document["link"]("how", binding.link.how);
  document["link"]("notes", binding.notes);
  return binding;
}

} // namespace hostpin
