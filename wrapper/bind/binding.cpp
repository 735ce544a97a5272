// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/binding.hpp"

#include "toolchains/base/checksum.hpp"
#include "toolchains/base/trouble.hpp"
#include "wrapper/bind/file_identity.hpp"
#include "wrapper/bind/text.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

namespace hostpin {

namespace {

std::vector<std::string> watched(const Binding& binding, Scope scope) {
  std::vector<std::string> paths = binding.rests_on;
  if (scope == Scope::discovery)
    paths.insert(paths.end(), binding.looked.begin(), binding.looked.end());
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

std::vector<std::string_view> views(const std::vector<std::string>& words) {
  return {words.begin(), words.end()};
}

/// Nothing for a file that may be run and not read. One that cannot be read for another reason is thrown, as
/// by DiskFiles.
std::string content_digits(const std::string& path) {
  const auto sum = file_checksum(path.c_str());
  if (!sum && is_trouble(errno))
    throw std::system_error(errno, std::generic_category(), "cannot read " + path);
  if (!sum)
    return {};
  const auto digits = hexadecimal(*sum);
  return {digits.data(), digits.size()};
}

/// `by_content`: files are to be known again when they have another time.
std::string write(const Binding& binding, const std::vector<std::string>& paths, const PlanPlace& place,
                  const Files& files, bool by_content) {
  const std::string toolkit = to_string(binding.toolkit.version);
  const std::string host = label(binding.host.compiler);
  const auto identity = hexadecimal(checksum(binding.identity));
  const std::string link = fmt::format("{} ({})", binding.link.how, shell_words(binding.link.command));
  Plan plan;
  plan.toolkit = toolkit;
  plan.nvcc = binding.toolkit.nvcc;
  plan.nvcc_reads_ccbin_variable = binding.nvcc_reads_ccbin_variable;
  plan.nvcc_escapes_quotes = binding.nvcc_escapes_quotes;
  plan.home = place.home;
  plan.hostpin = place.hostpin;
  plan.untouched = binding.untouched;
  plan.named_as_is = binding.named_as_is;
  plan.named = binding.named;
  plan.newer_host = binding.newer_host;
  plan.view = binding.view;
  plan.host = views(binding.compile);
  plan.link = views(binding.link.command);
  plan.family = to_string(binding.host.compiler.family);
  plan.link_proof = binding.link_proof;
  plan.lto_check = binding.lto_check;
  plan.loader = binding.loader;
  plan.loader_cache = binding.loader_places.cache;
  plan.loader_library = binding.loader_places.library_name;
  plan.loader_platform = binding.loader_places.platform;
  plan.loader_directories = views(binding.loader_places.directories);
  plan.loader_capabilities = views(binding.loader_places.capabilities);
  plan.library = binding.library;
  // Holds the states of files, and a decision that is only to be named has none.
  if (!binding.identity.empty() && !paths.empty())
    plan.identity = std::string_view(identity.data(), identity.size());
  plan.host_label = host;
  plan.link_label = link;
  for (const RuntimeRule& rule : binding.runtimes)
    plan.runtimes.push_back({rule.feature, rule.rule, rule.reason});
  std::vector<std::string> contents(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    plan.files.push_back(file_identity(paths[i], files));
    if (by_content && plan.files.back().kind == PlanFile::Kind::file)
      plan.files.back().content = contents[i] = content_digits(paths[i]);
  }
  return write_plan(plan);
}

} // namespace

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

std::string plan_bytes(const Binding& binding, Scope scope, const PlanPlace& place, const Files& files) {
  // A plan in the cache is made again by itself, which costs nobody a question.
  const bool by_content = scope == Scope::decision && place.home.empty() && !binding.untouched;
  return write(binding, watched(binding, scope), place, files, by_content);
}

std::string decision_id(const Binding& binding, const PlanPlace& place, const Files& files) {
  const auto digits = hexadecimal(checksum(write(binding, {}, place, files, false)));
  return {digits.data(), digits.size()};
}

} // namespace hostpin
