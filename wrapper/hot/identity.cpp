// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/identity.hpp"

#include "toolchains/base/checksum.hpp"
#include "wrapper/hot/system.hpp"
#include "wrapper/identity/identity.hpp"
#include "wrapper/identity/question.hpp"
#include "wrapper/identity/surroundings.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace hostpin::hot {

namespace {

constexpr std::size_t record_limit = 65536;

std::string record_path(const Loaded& loaded) {
  const std::string_view cxx = loaded.cxx;
  return concat({cxx.substr(0, cxx.rfind('/')), "/identity"});
}

/// Whether LIBRARY_PATH leads GCC's driver to no other specs file.
bool no_other_specs(const Identity& identity, const char* const* envp) {
  const auto library_path = variable(envp, "LIBRARY_PATH");
  const auto paths = specs_files(identity, library_path.value_or(std::string_view()));
  return paths && std::all_of(paths->begin(), paths->end(), [](const std::string& path) {
           return access(path.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
         });
}

bool is_same(const PlanFile& a, const PlanFile& b) {
  return a.modified == b.modified && a.size == b.size && a.kind == b.kind && a.path == b.path;
}

/// The plan's other dependencies were checked a moment ago.
bool is_current(const Identity& identity, const Plan& plan) {
  return std::all_of(identity.files.begin(), identity.files.end(), [&](const PlanFile& file) {
    return std::any_of(plan.files.begin(), plan.files.end(),
                       [&](const PlanFile& looked_at) { return is_same(looked_at, file); }) ||
           first_change({&file, 1}) == nullptr;
  });
}

/// The exit code; nothing if nothing was written, so that the compiler can still be run.
std::optional<int> print(std::string_view text) {
  const std::string_view left = write_all(STDOUT_FILENO, text);
  if (left.empty())
    return 0;
  if (left.size() == text.size())
    return std::nullopt;
  complain(
      concat({"cannot write the complete answer to nvcc's query for its host compiler: ", strerror(errno)}));
  return exit_broken;
}

} // namespace

std::optional<int> answer_identity(const Loaded& loaded, std::span<const char* const> arguments,
                                   char* const* envp) {
  const std::string_view name = asked_file(arguments);
  if (name.empty() || loaded.plan.identity.empty() ||
      variable(envp, "HOSTPIN_IDENTITY").value_or("on") != "on")
    return std::nullopt;
  const auto bytes = read_whole(record_path(loaded), record_limit, false);
  if (!bytes)
    return std::nullopt;
  const auto digest = hexadecimal(checksum(*bytes));
  if (loaded.plan.identity != std::string_view(digest.data(), digest.size()))
    return std::nullopt;
  const auto identity = read_identity(*bytes);
  if (!identity || !disturbing_variable(*identity, envp).empty() || !no_other_specs(*identity, envp) ||
      !is_current(*identity, loaded.plan))
    return std::nullopt;
  const auto question = read_whole(std::string(name), identity->question.size(), false);
  if (!question || *question != identity->question)
    return std::nullopt;
  return print(answer_for(*identity, name));
}

} // namespace hostpin::hot
