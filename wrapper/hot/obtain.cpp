// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/obtain.hpp"

#include "toolchains/base/path_text.hpp"
#include "wrapper/hot/system.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace hostpin::hot {

namespace {

constexpr std::size_t plan_limit = std::size_t{1} << 20; // a plan is a few KB; a megabyte is not one

bool relative(std::string_view path) {
  return !path.empty() && path.front() != '/' && path.find('/') != std::string_view::npos;
}

std::unique_ptr<Loaded> parse(std::string bytes, std::string_view beside) {
  auto loaded = std::make_unique<Loaded>();
  loaded->bytes = std::make_unique<std::string>(std::move(bytes));
  auto plan = read_plan(*loaded->bytes);
  if (!plan)
    return nullptr;
  loaded->plan = std::move(*plan);
  const std::string_view home = loaded->plan.home.empty() ? beside : loaded->plan.home;
  loaded->cxx = concat({home, "/c++"});
  return loaded;
}

/// Whoever may write the plan may write the program that reads it, and nobody else may: a toolchain that
/// another user installed for all.
bool belongs_to_program(const std::string& plan, const std::string& program) {
  struct stat ours {};
  struct stat its {};
  return stat(program.c_str(), &ours) == 0 && stat(plan.c_str(), &its) == 0 && ours.st_uid == its.st_uid &&
         (its.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Nobody else may put files or directories there; what is not there yet is going to be made so.
bool is_private(const std::string& directory) {
  struct stat status {};
  if (stat(directory.c_str(), &status) != 0)
    return true;
  if ((status.st_uid == geteuid() || status.st_uid == 0) && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0)
    return true;
  note(concat({"the cache directory ", directory,
               " is not used: it belongs to somebody else, or others may write to it"}));
  return false;
}

/// Has the hostpin command make (or remake) a plan and print it.
Obtained ask(std::string_view command, std::vector<std::string> arguments, const Self& self,
             char* const* envp) {
  if (variable(envp, "HOSTPIN_PROBING")) {
    complain(concat({self.path, " was run by a program that hostpin is asking who it is"}),
             "a wrapper script around hostpin's programs must call a bound directory's: hostpin bind DIR");
    return {nullptr, exit_broken};
  }
  arguments.insert(arguments.begin(), {std::string(command), "bind"});
  Captured made = capture(arguments, envp);
  if (made.exit_code == 127) {
    complain(concat({"cannot run ", command, ", which decides what is not decided yet: ", strerror(errno)}),
             "reinstall hostpin, or make a self-contained toolchain with `hostpin bind DIR`");
    return {nullptr, exit_broken};
  }
  if (made.exit_code != 0)
    return {nullptr, made.exit_code};
  auto loaded = parse(std::move(made.output), self.directory);
  if (!loaded) {
    complain(concat({command, " printed no plan that this release understands"}),
             "reinstall hostpin: its programs are of different releases");
    return {nullptr, exit_broken};
  }
  return {std::move(loaded), 0};
}

/// The directory that a user bound: of a toolkit view the one around ours.
std::string bound_by_user(const Self& self) {
  const bool in_view = access(concat({self.directory, "/links"}).c_str(), F_OK) == 0;
  return in_view ? directory_of(self.directory) : self.directory;
}

std::string command_beside(const Self& self) {
  // <prefix>/libexec/hostpin/nvcc belongs to <prefix>/bin/hostpin.
  return concat({directory_of(directory_of(self.directory)), "/bin/hostpin"});
}

} // namespace

Self find_self(const char* argv0) {
  Self self;
  self.path = own_path();
  self.directory = directory_of(self.path);
  const std::string_view called = argv0 != nullptr ? base_name(argv0) : std::string_view();
  self.name = called == "nvcc" || called == "c++" ? called : base_name(self.path);
  return self;
}

Obtained obtain_bound(const Self& self, char* const* envp) {
  const std::string path = concat({self.directory, "/plan"});
  auto bytes = read_whole(path, plan_limit, true);
  if (!bytes && errno == EPERM) {
    if (!belongs_to_program(path, self.path)) {
      complain(
          concat({path, ", which says what is executed, can be written by others, or belongs to somebody "
                        "else than the programs beside it"}),
          concat({"if you trust it: chmod go-w ", path, "; else bind anew: hostpin bind ",
                  bound_by_user(self)}));
      return {nullptr, exit_broken};
    }
    bytes = read_whole(path, plan_limit, false);
  }
  if (!bytes && (errno == ENOENT || errno == ENOTDIR))
    return {nullptr, 0};
  if (!bytes) {
    complain(concat({"cannot read ", path, ": ", strerror(errno)}));
    return {nullptr, exit_broken};
  }
  auto loaded = parse(std::move(*bytes), self.directory);
  if (!loaded) {
    complain(concat({path, " is damaged or of another hostpin release"}),
             concat({"make it anew: hostpin bind ", bound_by_user(self)}));
    return {nullptr, exit_broken};
  }
  const PlanFile* const change = first_change(loaded->plan.files);
  if (change == nullptr)
    return {std::move(loaded), 0};
  if (!loaded->plan.home.empty()) // ours, in the cache: decide again without troubling anybody
    return ask(loaded->plan.hostpin, {"--refresh", std::string(loaded->plan.home)}, self, envp);
  const std::string directory = bound_by_user(self);
  complain(concat({"the binding in ", directory, " rests on ", change->path, ", which ", change_of(*change)}),
           concat({"check the change and bind anew: ", loaded->plan.hostpin, " bind --refresh ", directory}));
  return {nullptr, exit_broken};
}

Obtained obtain_cached(const Self& self, const Loaded* base, const Naming& naming, char* const* envp) {
  const auto cxx = variable(envp, "CXX");
  const bool depends_on_place = relative(naming.value) || (cxx && relative(*cxx));
  const std::string here = depends_on_place ? current_directory() : std::string();
  const std::string_view built_on = base != nullptr ? std::string_view(*base->bytes) : std::string_view();
  const std::string command = base != nullptr ? std::string(base->plan.hostpin) : command_beside(self);
  const std::string key = cache_key(envp, self.directory, built_on, naming, here);
  std::vector<std::string> arguments{"--plan"};

  if (const auto cache = cache_directory(envp);
      cache && is_private(*cache) && is_private(concat({*cache, "/index"}))) {
    const std::string index = concat({*cache, "/index/", key});
    if (auto bytes = read_whole(index, plan_limit, true))
      if (auto loaded = parse(std::move(*bytes), self.directory))
        if (first_change(loaded->plan.files) == nullptr)
          return {std::move(loaded), 0};
    arguments.insert(arguments.end(), {"--index", index});
  }
  if (base != nullptr)
    arguments.insert(arguments.end(), {"--base", self.directory});
  if (!naming.value.empty())
    arguments.insert(arguments.end(),
                     {"--named", std::string(naming.value), "--named-by", std::string(naming.by)});
  if (naming.allow_unsupported)
    arguments.emplace_back("--allow-unsupported");
  if (naming.informational)
    arguments.emplace_back("--informational");
  if (base == nullptr && access(concat({self.directory, "/binding.toml"}).c_str(), F_OK) == 0) {
    const std::string directory = bound_by_user(self);
    complain(concat({directory, " was bound, but the file that says what to run is gone: ", self.directory,
                     "/plan"}),
             concat({"bind it anew: hostpin bind --refresh ", directory}));
    return {nullptr, exit_broken};
  }
  return ask(command, std::move(arguments), self, envp);
}

} // namespace hostpin::hot
