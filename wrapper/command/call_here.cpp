// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/call_here.hpp"

#include "toolchains/base/check_policy.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/config/bound.hpp"
#include "toolchains/gpus/item.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/hot/build_directory.hpp"
#include "wrapper/hot/lto.hpp"
#include "wrapper/hot/system.hpp"
#include "wrapper/view/view.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace hostpin {

namespace {

/// The first program of that name on PATH, as a shell finds it; empty when there is none.
std::string on_path(const Context& context, const std::string& name) {
  return executable(name, context.environment).value_or("");
}

bool names_anything(const Request& request) {
  return request.toolkit || request.stdenv || request.host || request.allow_unsupported;
}

/// Records one of hostpin's programs, and its bound directory.
void reach(CallHere& here, const Context& context, const std::string& program, std::string origin) {
  here.self = hot::self_of(program.c_str());
  here.program = program;
  here.origin = std::move(origin);
  if (context.files.status(here.self.directory + "/plan") ||
      context.files.status(here.self.directory + "/binding.toml"))
    here.directory =
        base_name(here.self.directory) == view_room && context.files.status(here.self.directory + "/links")
            ? directory_of(here.self.directory)
            : here.self.directory;
}

bool is_foreign_nvcc(const Context& context, const std::string& program) {
  const auto status = context.files.status(program);
  return program.find('/') != std::string::npos && base_name(program) == "nvcc" && status &&
         status->kind == FileStatus::Kind::regular && status->executable;
}

/// In CMake's order except for the first two: a user who types `nvcc` gets the one on PATH.
void find_program(CallHere& here, const Context& context, bool by_names) {
  const std::string plain = on_path(context, "nvcc");
  const std::string cuda = context.environment["CUDACXX"].value_or("");
  const std::string cmake = cuda.find('/') == std::string::npos ? on_path(context, cuda) : cuda;
  const auto is_ours = [](const std::string& path) {
    return !path.empty() && hot::is_ours(hot::self_of(path.c_str()));
  };
  reach(here, context, context.tree.driver, "not bound: it decides by this environment");
  if (!by_names && is_ours(plain))
    reach(here, context, plain,
          here.self.path == hot::self_of(plain.c_str()).path ? here.origin : "first on PATH");
  else if (!by_names && is_ours(cmake))
    reach(here, context, cmake,
          here.self.path == hot::self_of(cmake.c_str()).path ? here.origin : "$CUDACXX");
  const auto differs = [&](const std::string& path) {
    return !path.empty() && hot::self_of(path.c_str()).directory != here.self.directory;
  };
  if (differs(plain))
    here.notes.push_back(is_ours(plain)
                             ? fmt::format("nvcc on PATH is {}, which these names do not change", plain)
                             : fmt::format("nvcc on PATH is {}, which is not hostpin's", plain));
  if (!cmake.empty() && differs(cmake))
    here.notes.push_back(
        is_ours(cmake)
            ? fmt::format("CMake takes $CUDACXX: {} explain -- {}", context.program, shell_word(cmake))
            : fmt::format("CMake takes $CUDACXX: {}, which is not hostpin's", cmake));
}

/// An unbound call below a build directory uses the decision that the directory was configured with.
void follow_build_directory(CallHere& here, const Context& context) {
  const auto cache = cache_of(context);
  auto record = cache ? hot::find_build_record(*cache, hot::current_directory()) : std::nullopt;
  if (!record || !context.files.status(record->home + "/binding.toml"))
    return;
  here.self = hot::self_of((record->home + "/nvcc").c_str());
  here.build = std::move(record->build);
  here.origin = fmt::format("not bound: it keeps what {} was configured with", here.build);
}

/// Reads the binding of that directory; if a call could not start, stores the refusal.
Result<void> read_bound(CallHere& here, const Context& context) {
  if (here.directory.empty() && here.build.empty())
    return {};
  hot::Bound bound = hot::bound_plan(here.self);
  if (bound.change != nullptr && !here.build.empty())
    bound = {}; // a call remakes a binding in the cache from the same request
  else if (!bound.message.empty())
    here.refusal = Error{std::move(bound.message), std::move(bound.hint)};
  else if (bound.loaded == nullptr)
    here.refusal =
        Error{fmt::format("{} was bound, but its plan is gone: {}/plan", here.directory, here.self.directory),
              "bind it again: " + context.program + " bind --refresh " + shell_word(here.directory)};
  else
    here.bound = std::move(bound.loaded);
  auto recorded = read_recorded(context.files, here.self.directory);
  if (!recorded)
    return tl::unexpected(recorded.error());
  here.request = std::move(recorded->request);
  return {};
}

/// nvcc and c++ check it before anything else, also for calls that link nothing.
std::optional<Error> unknown_policy(const Environment& environment) {
  const auto wish = environment["HOSTPIN_LTO"];
  if (!wish || check_policy(*wish))
    return std::nullopt;
  return Error{"HOSTPIN_LTO is " + visible(*wish, 200), std::string(hot::lto_policy_hint)};
}

} // namespace

Result<CallHere> call_here(const Context& context, const Request& given,
                           const std::optional<std::string>& bound, const std::string& program) {
  CallHere here;
  here.request = given;
  if (bound) {
    const std::string room = bound_room(context.files, *bound);
    if (auto recorded = read_recorded(context.files, room); !recorded)
      return tl::unexpected(recorded.error());
    reach(here, context, room == *bound ? room + "/nvcc" : *bound + "/bin/nvcc", "--bound");
    here.program = std::filesystem::absolute(here.program).lexically_normal().string();
  } else if (program.find('/') != std::string::npos && hot::is_ours(hot::self_of(program.c_str()))) {
    reach(here, context, std::filesystem::absolute(program).lexically_normal().string(), "as named");
  } else if (is_foreign_nvcc(context, program)) {
    if (names_anything(given))
      return failure(program +
                         " is not hostpin's nvcc, so that options that name a toolkit or compiler have no "
                         "effect on it",
                     "leave them out, or explain a call of nvcc");
    here.program = std::filesystem::absolute(program).lexically_normal().string();
    here.self = hot::self_of(program.c_str());
    here.origin = "not hostpin's: it runs as it is";
    here.foreign = true;
    return here;
  } else {
    find_program(here, context, names_anything(given));
    if (program.find('/') != std::string::npos)
      here.notes.push_back(program + " is not hostpin's; this is what hostpin's nvcc does");
  }
  if (here.directory.empty() && !names_anything(given))
    follow_build_directory(here, context);
  if (auto read = read_bound(here, context); !read)
    here.refusal = here.refusal ? here.refusal : read.error();
  if (!here.refusal)
    here.refusal = unknown_policy(context.environment);
  return here;
}

Result<Binding> binding_of(const Context& context, const CallHere& here) {
  if (here.bound == nullptr)
    return tl::unexpected(here.refusal.value_or(Error{here.program + " is not bound", {}}));
  return read_binding(context.files, here.self.directory, *here.bound->bytes);
}

} // namespace hostpin
