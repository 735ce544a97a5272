// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/binding.hpp"

#include "toolchains/base/checksum.hpp"
#include "toolchains/base/system_call.hpp"
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
  OwnPlan plan = binding.plan;
  plan.toolkit = to_string(binding.toolkit.version);
  plan.nvcc = binding.toolkit.nvcc;
  plan.home = place.home;
  plan.hostpin = place.hostpin;
  plan.link = binding.link.command;
  plan.family = to_string(binding.host.compiler.family);
  plan.host_label = label(binding.host.compiler);
  plan.link_label = fmt::format("{} ({})", binding.link.how, shell_words(binding.link.command));
  // The identity contains states of files; a decision ID must not.
  const auto identity = hexadecimal(checksum(binding.identity));
  if (!binding.identity.empty() && !paths.empty())
    plan.identity.assign(identity.data(), identity.size());
  std::vector<std::string> contents(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    plan.files.push_back(file_identity(paths[i], files));
    if (by_content && plan.files.back().kind == PlanFile::Kind::file)
      plan.files.back().content = contents[i] = content_digits(paths[i]);
  }
  return write_plan(plan);
}

} // namespace

PlanFile file_identity(const std::string& path, const Files& files) {
  const auto status = files.status(path);
  if (!status || status->kind == FileStatus::Kind::other)
    return {PlanFile::Kind::absent, 0, 0, path};
  if (status->kind == FileStatus::Kind::directory)
    return {PlanFile::Kind::directory, 0, status->modified, path};
  return {PlanFile::Kind::file, status->size, status->modified, path};
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

std::string plan_bytes(const Binding& binding, Scope scope, const PlanPlace& place, const Files& files) {
  // A plan in the cache is made again automatically, at no cost to the user.
  const bool by_content = scope == Scope::decision && place.home.empty() && !binding.plan.untouched;
  return write(binding, watched(binding, scope), place, files, by_content);
}

std::string decision_id(const Binding& binding, const PlanPlace& place, const Files& files) {
  const auto digits = hexadecimal(checksum(write(binding, {}, place, files, false)));
  return {digits.data(), digits.size()};
}

} // namespace hostpin
