// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/obtain.hpp"

#include "toolchains/base/checksum.hpp"
#include "toolchains/base/own_path.hpp"
#include "toolchains/base/path_text.hpp"
#include "wrapper/hot/cache.hpp"
#include "wrapper/hot/system.hpp"

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace hostpin::hot {

namespace {

bool relative(std::string_view path) {
  return !path.empty() && path.front() != '/' && path.find('/') != std::string_view::npos;
}

/// True if only the owner of the program can write the plan that it reads, as in a toolchain that another
/// user installed for all.
bool belongs_to_program(const std::string& plan, const std::string& program) {
  struct stat of_program {};
  struct stat of_plan {};
  return stat(program.c_str(), &of_program) == 0 && stat(plan.c_str(), &of_plan) == 0 &&
         of_program.st_uid == of_plan.st_uid && (of_plan.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Runs the hostpin command, which makes (or remakes) a plan and prints it.
Obtained ask(std::string_view command, std::vector<std::string> arguments, const Self& self,
             char* const* envp) {
  if (variable(envp, "HOSTPIN_PROBING")) {
    complain(concat({self.path, " was run by a program that hostpin is probing"}),
             concat({"a wrapper script around hostpin's programs must call a bound directory's: ",
                     bind_command(command, {example_directory})}));
    return {nullptr, exit_broken};
  }
  arguments.insert(arguments.begin(), {std::string(command), "bind"});
  Captured made = capture(arguments, envp);
  if (made.exit_code == 127) {
    if (const auto copy = copied_program(self); copy && command == installed_command(self)) {
      complain(copy->message, copy->hint);
      return {nullptr, exit_broken};
    }
    complain(concat({"cannot run ", command, ", which makes the decision for this call: ", strerror(errno)}),
             "reinstall hostpin");
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

/// Writes a plan with the new times of files whose bytes are the same, so that the next call need not read
/// them; does nothing if that is not permitted, or another process is writing there.
void store_times(const std::string& path, const Loaded& loaded, const std::string& locked) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || status.st_uid != geteuid())
    return;
  const int lock = open(locked.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::string draft = concat({path, ".XXXXXX"});
  if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0 &&
      read_whole(path, plan_limit, false) == *loaded.bytes) {
    const int descriptor = mkostemp(draft.data(), O_CLOEXEC);
    if (descriptor >= 0) {
      const bool whole = write_all(descriptor, plan::write_plan(loaded.plan)).empty() &&
                         fchmod(descriptor, status.st_mode & 07777) == 0;
      if (close(descriptor) != 0 || !whole || rename(draft.c_str(), path.c_str()) != 0)
        unlink(draft.c_str());
    }
  }
  if (lock >= 0)
    close(lock);
}

/// Whether a directory can be written to, or could be created.
bool can_be_written(std::string directory) {
  while (access(directory.c_str(), W_OK | X_OK) != 0) {
    if (errno != ENOENT || directory.size() <= 1)
      return false;
    directory = directory_of(directory);
  }
  return true;
}

/// A plan in the cache, if it exists and is current.
std::unique_ptr<Loaded> stored_plan(const std::string& path, const Self& self) {
  auto bytes = read_whole(path, plan_limit, true);
  auto loaded = bytes ? parse(std::move(*bytes), self.directory) : nullptr;
  const bool current =
      loaded != nullptr && first_change(loaded->plan.files) == nullptr && has_home(loaded->plan);
  return current ? std::move(loaded) : nullptr;
}

} // namespace

std::string installed_command(const Self& self) {
  return concat({directory_of(directory_of(self.directory)), "/bin/hostpin"});
}

std::string bound_by_user(const Self& self) {
  const bool in_view = access(concat({self.directory, "/links"}).c_str(), F_OK) == 0;
  return in_view ? directory_of(self.directory) : self.directory;
}

std::string bound_for(const Self& self, bool in_cache, std::string_view path) {
  return concat({in_cache ? std::string(example_directory) : bound_by_user(self), "-", base_name(path)});
}

std::string bind_command(std::string_view hostpin, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {std::string(hostpin), "bind"});
  return shell_words(arguments);
}

std::optional<Advice> copied_program(const Self& self) {
  if (self.directory.ends_with("/libexec/hostpin"))
    return std::nullopt;
  return Advice{
      concat({self.path, " is a copy of a hostpin program: there is no plan next to it, and it is not in "
                         "an installation"}),
      concat({"copy bound directories with their symbolic links (cp -a), or make one in the new location: ",
              bind_command("hostpin", {example_directory})})};
}

std::unique_ptr<Loaded> parse(std::string bytes, std::string_view directory) {
  auto loaded = std::make_unique<Loaded>();
  loaded->bytes = std::make_unique<std::string>(std::move(bytes));
  auto plan = plan::read_plan(*loaded->bytes);
  if (!plan)
    return nullptr;
  loaded->plan = std::move(*plan);
  const std::string_view home = loaded->plan.home.empty() ? directory : loaded->plan.home;
  loaded->cxx = concat({home, "/c++"});
  return loaded;
}

Self find_self(const char* argv0) {
  Self self;
  self.path = own_path();
  self.directory = directory_of(self.path);
  const std::string_view called = argv0 != nullptr ? base_name(argv0) : std::string_view();
  self.name = called == "nvcc" || called == "c++" ? called : base_name(self.path);
  return self;
}

Self self_of(const char* program) {
  Self self;
  char buffer[PATH_MAX];
  self.path = realpath(program, buffer) != nullptr ? buffer : program;
  self.directory = directory_of(self.path);
  const std::string_view called = base_name(program);
  self.name = called == "nvcc" || called == "c++" ? called : base_name(self.path);
  return self;
}

bool is_ours(const Self& self) {
  return (self.name == "nvcc" || self.name == "c++") &&
         (self.directory.ends_with("/libexec/hostpin") ||
          access(concat({self.directory, "/plan"}).c_str(), F_OK) == 0);
}

Bound bound_plan(const Self& self) {
  const std::string path = concat({self.directory, "/plan"});
  auto bytes = read_whole(path, plan_limit, true);
  if (!bytes && errno == EPERM) {
    if (!belongs_to_program(path, self.path))
      return {nullptr, nullptr,
              concat({path, ", which determines what is executed, can be written by others, or belongs to "
                            "another user than the programs next to it"}),
              concat({"if you trust it: chmod go-w ", shell_word(path),
                      "; else bind again: ", bind_command("hostpin", {bound_by_user(self)})})};
    bytes = read_whole(path, plan_limit, false);
  }
  if (!bytes && (errno == ENOENT || errno == ENOTDIR))
    return {};
  if (!bytes)
    return {nullptr, nullptr, concat({"cannot read ", path, ": ", strerror(errno)}), {}};
  auto loaded = parse(std::move(*bytes), self.directory);
  if (!loaded)
    return {nullptr, nullptr, concat({path, " is damaged or from another hostpin release"}),
            concat({"make it again: ", bind_command("hostpin", {bound_by_user(self)})})};
  const plan::PlanFile* change = first_change(loaded->plan.files);
  const bool looked_into = change != nullptr && loaded->plan.home.empty();
  if (looked_into)
    change = first_new_content(loaded->plan.files);
  if (change == nullptr)
    return {std::move(loaded), nullptr, {}, {}, looked_into};
  const std::string directory = bound_by_user(self);
  std::string message =
      concat({"the binding in ", directory, " depends on ", change->path, ", which ", change_of(*change)});
  std::string hint = concat(
      {"check the change and bind again: ", bind_command(loaded->plan.hostpin, {"--refresh", directory})});
  return {std::move(loaded), change, std::move(message), std::move(hint)};
}

Obtained obtain_bound(const Self& self, char* const* envp) {
  Bound bound = bound_plan(self);
  if (bound.change != nullptr && !bound.loaded->plan.home.empty())
    // a directory in the cache: decide again without a message
    return ask(bound.loaded->plan.hostpin, {"--plan", "--refresh", std::string(bound.loaded->plan.home)},
               self, envp);
  if (bound.touched)
    store_times(concat({self.directory, "/plan"}), *bound.loaded, bound_by_user(self));
  if (bound.message.empty())
    return {std::move(bound.loaded), 0};
  complain(bound.message, bound.hint);
  return {nullptr, exit_broken};
}

Obtained obtain_cached(const Self& self, const Loaded* base, const Naming& naming, char* const* envp) {
  const auto cxx = variable(envp, "CXX");
  const bool depends_on_place = relative(naming.value) || (cxx && relative(*cxx));
  const std::string here = depends_on_place ? current_directory() : std::string();
  std::string built_on = base != nullptr ? *base->bytes : std::string();
  // It also depends on the original request and the configuration, which the plan does not contain.
  if (base != nullptr)
    built_on.append(read_whole(concat({self.directory, "/binding.toml"}), plan_limit, false).value_or(""));
  const std::string command = base != nullptr ? std::string(base->plan.hostpin) : installed_command(self);
  const std::string key = cache_key(envp, self.directory, built_on, naming, here);
  std::vector<std::string> arguments{"--plan"};

  const auto cache = cache_directory(envp);
  const std::string directory = concat({cache.value_or(""), "/index"});
  const std::string unused = cache ? unused_because(directory, *cache) : no_cache_because(envp);
  if (unused.empty()) {
    const std::string index = concat({directory, "/", key});
    if (auto loaded = stored_plan(index, self))
      return {std::move(loaded), 0};
    arguments.insert(arguments.end(), {"--index", index});
  } else {
    arguments.insert(arguments.end(), {"--unstored", unused});
  }
  // Without a writable cache, all calls below one nvcc would decide again. A call of a bound nvcc that names
  // a host compiler needs programs in a directory, so the temporary one is laid out as a cache for it, and
  // named even if the cache seems to be writable: without either that call is refused.
  const bool needs_programs = base != nullptr && !naming.value.empty();
  if (needs_programs || !unused.empty() || !can_be_written(directory))
    if (const std::string temporary = temporary_cache(envp, needs_programs); !temporary.empty()) {
      const auto digits = hexadecimal(checksum(directory)); // another cache may be writable
      const std::string spare =
          concat({temporary, needs_programs ? "/index/" : "/", key, {digits.data(), digits.size()}});
      if (auto loaded = stored_plan(spare, self))
        return {std::move(loaded), 0};
      arguments.insert(arguments.end(), {"--spare", spare});
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
  if (!naming.caller.empty())
    arguments.insert(arguments.end(), {"--called-by", std::string(naming.caller)});
  if (naming.noted)
    arguments.emplace_back("--noted");
  if (base == nullptr && access(concat({self.directory, "/binding.toml"}).c_str(), F_OK) == 0) {
    const std::string bound = bound_by_user(self);
    complain(concat({bound, " was bound, but its plan is gone: ", self.directory, "/plan"}),
             concat({"bind it again: ", bind_command(command, {"--refresh", bound})}));
    return {nullptr, exit_broken};
  }
  return ask(command, std::move(arguments), self, envp);
}

} // namespace hostpin::hot
