// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/system.hpp"

#include "toolchains/base/checksum.hpp"
#include "toolchains/base/error_code.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/system_call.hpp"

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hostpin::hot {

namespace {

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

bool has_time(const plan::PlanFile& file, const timespec& time) {
  return nanoseconds(time) == file.modified || (file.touched && nanoseconds(time) == *file.touched);
}

bool unchanged(const plan::PlanFile& file) {
  struct stat status {};
  const bool exists = stat(file.path.data(), &status) == 0;
  switch (file.kind) {
  case plan::PlanFile::Kind::absent:
    return !exists && !is_trouble(errno);
  case plan::PlanFile::Kind::directory:
    return exists && S_ISDIR(status.st_mode) && nanoseconds(status.st_mtim) == file.modified;
  case plan::PlanFile::Kind::file:
    return exists && S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) == file.size &&
           has_time(file, status.st_mtim);
  }
  return false;
}

/// Shortens the text if the file was truncated meanwhile. On failure errno has the reason.
bool fill(int descriptor, std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t count = read(descriptor, text.data() + at, text.size() - at);
    if (count > 0)
      at += static_cast<std::size_t>(count);
    else if (count == 0)
      text.resize(at);
    else if (errno != EINTR)
      return false;
  }
  return true;
}

std::string read_pipe(int descriptor) {
  std::string text;
  char buffer[16384];
  for (;;) {
    const ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count > 0)
      text.append(buffer, static_cast<std::size_t>(count));
    else if (count == 0 || errno != EINTR)
      return text;
  }
}

} // namespace

std::string concat(std::initializer_list<std::string_view> parts) {
  std::size_t size = 0;
  for (const std::string_view part : parts)
    size += part.size();
  std::string text;
  text.reserve(size);
  for (const std::string_view part : parts)
    text.append(part);
  return text;
}

void complain(std::string_view message, std::string_view hint, ErrorKind kind) {
  write_all(STDERR_FILENO, concat({error_prefix, with_code(message, kind), "\n"}));
  if (!hint.empty())
    write_all(STDERR_FILENO, concat({"hint: ", hint, "\n"}));
}

void note(std::string_view message) {
  write_all(STDERR_FILENO, concat({"hostpin: note: ", message, "\n"}));
}

std::string_view write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0) {
      errno = EIO; // write() accepted nothing and gave no error
      return text;
    } else if (errno != EINTR) {
      return text;
    }
  }
  return text;
}

std::optional<std::string_view> variable(const char* const* envp, std::string_view name) {
  for (; *envp != nullptr; ++envp)
    if (std::strncmp(*envp, name.data(), name.size()) == 0 && (*envp)[name.size()] == '=') {
      const std::string_view value(*envp + name.size() + 1);
      return value.empty() ? std::nullopt : std::optional(value);
    }
  return std::nullopt;
}

std::string current_directory() {
  char buffer[PATH_MAX];
  return getcwd(buffer, sizeof buffer) != nullptr ? buffer : "";
}

std::optional<std::string> read_whole(const std::string& path, std::size_t limit, bool owned) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0)
    return std::nullopt;
  struct stat status {};
  std::optional<std::string> text;
  const uid_t user = geteuid();
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<std::size_t>(status.st_size) > limit)
    errno = EINVAL;
  else if (owned &&
           ((status.st_uid != user && status.st_uid != 0) || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0))
    errno = EPERM;
  else {
    text.emplace(static_cast<std::size_t>(status.st_size), '\0');
    if (!fill(descriptor, *text))
      text.reset();
  }
  const int reason = errno;
  close(descriptor);
  errno = reason;
  return text;
}

std::string read_endless(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0)
    return {};
  std::string text = read_pipe(descriptor);
  close(descriptor);
  return text;
}

void replace_private(const std::string& directory, const std::string& path, std::string_view content) {
  constexpr mode_t owner = 0700; // like the rest of the cache
  mkdir(directory.c_str(), owner);
  std::string draft = concat({path, ".XXXXXX"});
  const int descriptor = mkostemp(draft.data(), O_CLOEXEC);
  if (descriptor < 0)
    return;
  const bool whole = write_all(descriptor, content).empty();
  close(descriptor);
  if (!whole || rename(draft.c_str(), path.c_str()) != 0)
    unlink(draft.c_str());
}

std::string change_of(const plan::PlanFile& file) {
  struct stat status {};
  if (stat(file.path.data(), &status) == 0)
    return file.kind == plan::PlanFile::Kind::absent ? "has appeared" : "has changed";
  if (is_trouble(errno))
    return concat({"cannot be examined: ", strerror(errno)});
  return file.kind == plan::PlanFile::Kind::absent ? "could not be examined" : "is gone";
}

const plan::PlanFile* first_change(std::span<const plan::PlanFile> files) {
  for (const plan::PlanFile& file : files)
    if (!unchanged(file))
      return &file;
  return nullptr;
}

bool has_home(const plan::Plan& plan) {
  return plan.home.empty() || access(concat({plan.home, "/c++"}).c_str(), X_OK) == 0;
}

std::string nvcc_in_tree(const plan::Plan& plan, std::string_view directory) {
  const std::string_view room = plan.home.empty() ? directory : plan.home;
  if (plan.view)
    return concat({directory_of(room), "/bin/nvcc"});
  return plan.tree && !room.empty() ? concat({room, "/", plan::tree_room, "/bin/nvcc"}) : std::string();
}

const plan::PlanFile* first_new_content(std::span<plan::PlanFile> files) {
  for (plan::PlanFile& file : files) {
    if (unchanged(file))
      continue;
    struct stat status {};
    if (file.content.empty() || stat(file.path.data(), &status) != 0 || !S_ISREG(status.st_mode) ||
        static_cast<std::uint64_t>(status.st_size) != file.size)
      return &file;
    const auto sum = file_checksum(file.path.data());
    const auto digits = hexadecimal(sum.value_or(0));
    if (!sum || std::string_view(digits.data(), digits.size()) != file.content)
      return &file;
    file.touched = nanoseconds(status.st_mtim);
  }
  return nullptr;
}

Captured capture(const std::vector<std::string>& argv, char* const* envp) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return {127, {}};
  std::vector<char*> words;
  words.reserve(argv.size() + 1);
  for (const std::string& word : argv)
    words.push_back(const_cast<char*>(word.c_str())); // posix_spawn does not write through it
  words.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  pid_t child = 0;
  // Without the second action the plan would go to the launcher's own output.
  int failed = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (failed == 0)
    failed = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  if (failed == 0)
    failed = posix_spawn(&child, words[0], &actions, nullptr, words.data(), envp);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failed != 0) {
    close(ends[0]);
    errno = failed;
    return {127, {}};
  }
  Captured captured;
  captured.output = read_pipe(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) // ECHILD: the parent ignores SIGCHLD; the checksum of the output decides
      return captured;
  captured.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return captured;
}

int become(const std::vector<const char*>& argv, char* const* envp) {
  return become(argv[0], argv, envp);
}

int become(const char* program, const std::vector<const char*>& argv, char* const* envp) {
  execve(program, const_cast<char* const*>(argv.data()), envp);
  const int reason = errno;
  complain(concat({"cannot run ", program, ": ", strerror(reason)}),
           reason == E2BIG ? "put the arguments into an options file" : "");
  return exit_broken;
}

} // namespace hostpin::hot
