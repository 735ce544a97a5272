// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/binding.hpp"

#include "toolchains/base/checksum.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/system_call.hpp"
#include "toolchains/config/bound.hpp"
#include "toolchains/gpus/spelling.hpp"
#include "wrapper/bind/run_path.hpp"
#include "wrapper/bind/text.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

namespace hostpin::bind {

namespace {

std::vector<std::string> watched(const Binding& binding, Scope scope) {
  std::vector<std::string> paths = binding.dependencies;
  if (scope == Scope::discovery)
    paths.insert(paths.end(), binding.looked.begin(), binding.looked.end());
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

/// Nothing for a file that can be executed but not read. If it cannot be read for another reason, throws as
/// DiskFiles does.
std::string content_digits(const std::string& path) {
  const auto sum = file_checksum(path.c_str());
  if (!sum && is_trouble(errno))
    throw std::system_error(errno, std::generic_category(), "cannot read " + path);
  if (!sum)
    return {};
  const auto digits = hexadecimal(*sum);
  return {digits.data(), digits.size()};
}

/// `by_content`: files can be recognized after their time changed.
std::string write(const Binding& binding, const std::vector<std::string>& paths, const PlanPlace& place,
                  const Files& files, bool by_content) {
  plan::OwnPlan plan = binding.plan;
  plan.toolkit = to_string(binding.toolkit.version);
  plan.nvcc = binding.toolkit.nvcc;
  plan.home = place.home;
  plan.hostpin = place.hostpin;
  plan.link = binding.link.command;
  plan.link_last = binding.link.last;
  plan.family = to_string(binding.host.compiler.family);
  plan.host_label = host_label(binding);
  plan.link_label = fmt::format("{} ({})", binding.link.how, shell_words(binding.link.command));
  // The identity contains states of files; a decision ID must not.
  const auto identity = hexadecimal(checksum(binding.identity));
  if (!binding.identity.empty() && !paths.empty())
    plan.identity.assign(identity.data(), identity.size());
  std::vector<std::string> contents(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    plan.files.push_back(file_identity(paths[i], files));
    if (by_content && plan.files.back().kind == plan::PlanFile::Kind::file)
      plan.files.back().content = contents[i] = content_digits(paths[i]);
  }
  return plan::write_plan(plan);
}

/// The variables that were computed when the binding was made.
std::vector<std::pair<std::string, std::string>> variables_of(const document::Value* table) {
  std::vector<std::pair<std::string, std::string>> variables;
  if (table != nullptr)
    for (const document::Member& member : table->members)
      if (member.value.kind == document::Value::Kind::string)
        variables.emplace_back(member.key, member.value.text);
  return variables;
}

/// Appends `key = "value"`, or nothing for an empty value.
void line(std::string& text, std::string_view key, std::string_view value) {
  if (!value.empty())
    text += fmt::format("{} = {}\n", key, toml_string(value));
}

/// Appends those fields of toolchains/config/bound.hpp that have a value.
struct BoundLines {
  std::string& text;

  void operator()(std::string_view key, std::string_view value) const { line(text, key, value); }
  void operator()(std::string_view key, const std::vector<std::string>& values) const {
    text += fmt::format("{} = {}\n", key, toml_array(values));
  }
  void operator()(std::string_view key, int number) const {
    if (number != 0)
      text += fmt::format("{} = {}\n", key, number);
  }
  void operator()(std::string_view key, const Version& version) const {
    line(text, key, to_full_string(version));
  }
  void operator()(std::string_view key, const std::optional<Version>& version) const {
    line(text, key, version ? to_string(*version) : "");
  }
  void operator()(std::string_view key, Family family) const { line(text, key, to_string(family)); }
};

void append_judgement(std::string& text, const Judgement& judgement) {
  line(text, "verdict", to_string(judgement.verdict));
  line(text, "reason", judgement.reason);
  line(text, "source", judgement.source);
}

void append_turned_down(std::string& text, const Binding& binding) {
  for (const Judgement& candidate : binding.candidates) {
    if (candidate.compiler.command == binding.host.compiler.command)
      continue;
    text += "\n[[candidate]]\n";
    compiler_fields(candidate.compiler, BoundLines{text});
    append_judgement(text, candidate);
  }
  for (const BrokenCompiler& broken : binding.broken) {
    text += fmt::format("\n[[candidate]]\ncommand = {}\n", toml_array(broken.command));
    line(text, "origin", broken.origin);
    line(text, "verdict", to_string(Verdict::broken));
    line(text, "reason", broken.reason);
  }
}

void append_capabilities(std::string& text, const Binding& binding) {
  if (!binding.capabilities)
    return;
  text += "\n[capabilities] # of GPUs, as variables that a build may follow\n";
  for (const auto& [name, value] : binding.capabilities->variables)
    line(text, name, value);
  const BoundCapabilities& bound = *binding.capabilities;
  text += "\n[gpus] # what a policy compares nvcc's options with\n";
  line(text, "policy", to_string(bound.policy));
  text +=
      fmt::format("arguments = {}\nvariants = {}\n", toml_array(bound.arguments), toml_array(bound.variants));
}

void append_target(std::string& text, const Binding& binding) {
  if (!binding.toolkit.target)
    return;
  text += "\n[target] # what programs are made for\n";
  target_fields(*binding.toolkit.target, BoundLines{text});
  line(text, "sysroot", binding.request.sysroot.value_or(""));
  if (!binding.emulator.empty())
    text += fmt::format("emulator = {}\n", toml_array(binding.emulator));
}

void append_request(std::string& text, const Binding& binding) {
  const Request& request = binding.request;
  text += "\n# The names that `hostpin bind --refresh` decides again from.\n[request]\n";
  line(text, "toolkit", request.toolkit.value_or(""));
  line(text, "stdenv", request.stdenv.value_or(""));
  line(text, "host", request.host.value_or(""));
  line(text, "host-by", request.host ? request.host_by : "");
  line(text, "target", request.target.value_or(""));
  line(text, "sysroot", request.sysroot.value_or(""));
  if (request.allow_unsupported)
    text += "allow-unsupported = true\n";
  if (binding.capabilities) {
    line(text, "capabilities", binding.capabilities->list);
    if (!binding.capabilities->forward_compatible)
      text += "no-forward-compatibility = true\n";
    if (const auto policy = binding.capabilities->named_policy)
      line(text, "gpu-policy", to_string(*policy));
  }
  if (binding.plan.named)
    text += "named = true\n";
  if (binding.plan.view)
    text += "view = true\n";
  line(text, "slices", binding.plan.slices);
  line(text, "policy", request.policy);
  if (!request.allowed_libraries.empty())
    text += fmt::format("allowed-libraries = {}\n", toml_array(request.allowed_libraries));
  line(text, "run-path", request.run_path);
}

/// Configured values that differ from the defaults; the toolkit and compilers are in the request.
void append_configuration(std::string& text, const Config& config) {
  text += "\n# The configuration until then, also for host compilers that calls name.\n[configuration]\n";
  const auto choice = [&](std::string_view key, bool is_set, std::string_view value) {
    line(text, key, is_set ? value : "");
  };
  line(text, "family", config.family ? to_string(*config.family) : "");
  if (!config.compilers.empty())
    text += fmt::format("compilers = {}\n", toml_array(config.compilers));
  choice("search", !config.searches_machine, "named");
  choice("named-host", config.named_as_is, "as-is");
  line(text, "link-proof", to_string(config.link_proof));
  choice("identity", !config.answers_identity, "off");
  text += "\n[configuration.lto]\n";
  line(text, "check", to_string(config.lto_check));
  choice("on-mismatch", config.lto_dropped, "drop");
  if (config.gpus != GpuPolicy::as_named)
    text += fmt::format("\n[configuration.gpus]\npolicy = \"{}\"\n", to_string(config.gpus));
  if (!config.runtime.empty())
    text += "\n[configuration.runtime]\n";
  for (const auto& [feature, rule] : config.runtime)
    line(text, feature, rule);
}

void append_files(std::string& text, const Binding& binding, const Files& files) {
  std::vector<std::string> paths = binding.dependencies;
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  for (const std::string& path : paths) {
    text += "\n[[file]]\n";
    line(text, "path", path);
    if (const auto status = files.status(path))
      text += fmt::format("size = {}\nmodified = {} # nanoseconds since the epoch\n", status->size,
                          status->modified);
  }
}

} // namespace

BoundCapabilities bound_capabilities(const std::string& list, bool forward_compatible,
                                     const gpus::GpuExpansion& expansion, const std::vector<gpus::Gpu>& gpus,
                                     const Version& toolkit, std::vector<std::string>& notes) {
  BoundCapabilities bound{list, forward_compatible, {}};
  bound.arguments = gpus::gencode_options(expansion);
  bound.variants = gpus::served_variants(expansion, gpus, toolkit);
  for (const gpus::Spelling& spelling : gpus::spellings()) {
    if (spelling.environment.empty())
      continue;
    auto value = spelling.value(expansion, gpus);
    if (value)
      bound.variables.emplace_back(spelling.environment, *std::move(value));
    else
      notes.push_back(std::string(spelling.environment) + " is not exported: " + value.error().message);
  }
  return bound;
}

plan::PlanFile file_identity(const std::string& path, const Files& files) {
  const auto status = files.status(path);
  if (!status || status->kind == FileStatus::Kind::other)
    return {plan::PlanFile::Kind::absent, 0, 0, path};
  if (status->kind == FileStatus::Kind::directory)
    return {plan::PlanFile::Kind::directory, 0, status->modified, path};
  return {plan::PlanFile::Kind::file, status->size, status->modified, path};
}

std::string release_name(const Compiler& compiler) {
  if (!compiler.product.empty())
    return fmt::format("{} {}", compiler.product, to_full_string(compiler.version));
  const char* const name = compiler.family == Family::gcc     ? "GCC"
                           : compiler.family == Family::clang ? "Clang"
                                                              : "?";
  return fmt::format("{} {}", name, to_full_string(compiler.version));
}

std::string label(const Compiler& compiler) {
  return fmt::format("{} ({})", release_name(compiler), shell_words(compiler.command));
}

std::string host_label(const Binding& binding) {
  Compiler compiler = binding.host.compiler;
  if (!binding.plan.host.empty())
    compiler.command = binding.plan.host;
  return label(compiler);
}

std::string plan_bytes(const Binding& binding, Scope scope, const PlanPlace& place, const Files& files) {
  // A plan in the cache is made again automatically, at no cost to the user.
  const bool by_content = scope == Scope::decision && place.home.empty() && !binding.plan.untouched;
  return write(binding, watched(binding, scope), place, files, by_content);
}

std::string decision_id(const Binding& binding, const PlanPlace& place, const Files& files) {
  const auto digits = hexadecimal(checksum(write(binding, {}, place, files, false)));
  return {digits.data(), digits.size()};
}

namespace {

std::string policy_words(std::string_view key, std::string_view text) {
  const auto& [first, second, third] = gpu_policy_names;
  return fmt::format(R"({} must be "{}", "{}" or "{}", not {})", document::quoted(key), first, second, third,
                     document::quoted(text));
}

} // namespace

Result<Recorded> read_recorded(const Files& files, const std::string& directory) {
  const auto toml = read_bound(files, directory);
  if (!toml)
    return tl::unexpected(toml.error());
  const std::string path = directory + "/binding.toml";
  const BoundFields document{&*toml};
  const document::Value* const request = document["request"].table;
  if (request == nullptr)
    return failure(path + " does not contain the request that it was made from",
                   "make it again: hostpin bind " + shell_word(directory));

  Recorded recorded;
  document::Reader reader(path, *request);
  recorded.request.toolkit = reader.string("toolkit");
  recorded.request.stdenv = reader.string("stdenv");
  // Where those names came from, so that the same decision has the same text.
  document["toolkit"]("origin", recorded.request.toolkit_by);
  document["stdenv"]("origin", recorded.request.stdenv_by);
  recorded.request.host = reader.string("host");
  recorded.request.host_by = reader.string("host-by").value_or("--host");
  recorded.request.target = reader.string("target");
  recorded.request.sysroot = reader.string("sysroot");
  recorded.request.allow_unsupported = reader.boolean("allow-unsupported").value_or(false);
  recorded.named = reader.boolean("named").value_or(false);
  recorded.view = reader.boolean("view").value_or(false);
  recorded.slices = reader.string("slices").value_or("");
  recorded.request.policy = reader.string("policy").value_or("");
  recorded.request.allowed_libraries = reader.strings("allowed-libraries");
  recorded.request.run_path = reader.string("run-path").value_or("");
  if (const document::Value* const table = document["configuration"].table) {
    auto config = read_config(path, *table);
    if (!config)
      return tl::unexpected(config.error());
    recorded.request.config = *std::move(config);
  }
  const auto list = reader.string("capabilities");
  const bool exactly = reader.boolean("no-forward-compatibility").value_or(false);
  const auto policy = reader.string("gpu-policy");
  if (policy && !gpu_policy(*policy))
    reader.refuse("gpu-policy", policy_words("gpu-policy", *policy));
  if (list) {
    recorded.capabilities = BoundCapabilities{*list, !exactly, variables_of(document["capabilities"].table)};
    recorded.capabilities->named_policy = gpu_policy(policy.value_or(""));
    const BoundFields gpus = document["gpus"];
    std::string effective;
    gpus("policy", effective);
    if (!effective.empty() && !gpu_policy(effective)) {
      document::Reader gpus_reader(path, *gpus.table);
      gpus_reader.refuse("policy", policy_words("policy", effective));
      reader.adopt(gpus_reader.finish());
    }
    recorded.capabilities->policy = gpu_policy(effective).value_or(GpuPolicy::as_named);
    gpus("arguments", recorded.capabilities->arguments);
    gpus("variants", recorded.capabilities->variants);
  }
  TRY(reader.finish());
  return recorded;
}

Result<Binding> read_binding(const Files& files, const std::string& directory, std::string_view plan) {
  TRY_ASSIGN(const auto toml, read_bound(files, directory));
  TRY_ASSIGN(auto tools, bound_tools(toml, directory));
  const BoundFields document{&toml};
  Binding binding;
  binding.plan = plan::read_plan<std::string>(plan).value_or(plan::OwnPlan{});
  binding.plan.files.clear(); // they point into its bytes
  binding.toolkit = std::move(tools.toolkit);
  binding.toolkit.version = parse_version(binding.plan.toolkit).value_or(Version{});
  binding.toolkit.nvcc = binding.plan.nvcc;
  binding.host.compiler = std::move(tools.host);
  document["host"]("chosen-because", binding.host_origin);
  for (const document::Member& member : toml.members)
    if (member.key == "candidate")
      for (const document::Value& item : member.value.items) {
        const BoundFields fields{&item};
        Judgement& candidate = binding.candidates.emplace_back();
        candidate.compiler = bound_compiler(fields);
        fields("reason", candidate.reason);
        fields("source", candidate.source);
      }
  binding.stdenv = std::move(tools.stdenv);
  binding.loader = std::move(tools.loader);
  binding.link.command = binding.plan.link;
  binding.link.last = binding.plan.link_last;
  document["target"]("emulator", binding.emulator);
  document["link"]("how", binding.link.how);
  document["link"]("notes", binding.notes);
  return binding;
}

std::string binding_toml(const Binding& binding, const Files& files) {
  std::string text = "# One resolved decision, written by hostpin and read by people and tools; the programs "
                     "next to it follow\n"
                     "# `plan`, which has the same content.\nformat = 1\n\n[toolkit]\n";
  line(text, "version", to_string(binding.toolkit.version));
  toolkit_fields(binding.toolkit, BoundLines{text});

  append_target(text, binding);

  text += "\n[host] # compiles\n";
  compiler_fields(binding.host.compiler, BoundLines{text});
  append_judgement(text, binding.host);
  if (binding.plan.host != binding.host.compiler.command)
    text += fmt::format("called-as = {}\n", toml_array(binding.plan.host));
  line(text, "chosen-because", binding.host_origin);
  line(text, "asked-each-time-because", binding.identity_because);

  text += "\n[stdenv] # what everything else is built with\n";
  compiler_fields(binding.stdenv, BoundLines{text});
  text += "\n[stdenv.libstdcxx]\n";
  library_fields(binding.stdenv.library, BoundLines{text});
  if (!binding.loader.path.empty()) {
    text += "\n[stdenv.loader] # of programs that another machine runs: nothing of it was run here\n";
    loader_fields(binding.loader, BoundLines{text});
  }

  text += fmt::format("\n[link]\ncommand = {}\n", toml_array(binding.link.command));
  if (!binding.link.last.empty())
    text += fmt::format("last = {}\n", toml_array(binding.link.last));
  line(text, "how", binding.link.how);
  if (!binding.plan.driver_directories.empty())
    text += fmt::format("driver-path = {}\n", toml_array(binding.plan.driver_directories));
  if (!binding.plan.run_path.empty())
    text += fmt::format("run-path = {}\n", toml_array(binding.plan.run_path));
  if (!binding.notes.empty())
    text += fmt::format("notes = {}\n", toml_array(binding.notes));

  for (const plan::RuntimeRule& rule : binding.plan.runtimes) {
    text += "\n[[runtime]]\n";
    line(text, "feature", rule.feature);
    line(text, "rule", plan::to_string(rule.rule));
    line(text, "reason", rule.reason);
  }
  append_capabilities(text, binding);
  append_turned_down(text, binding);
  append_request(text, binding);
  append_configuration(text, binding.config);
  append_files(text, binding, files);
  return text;
}

} // namespace hostpin::bind
