// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/gpu_note.hpp"

#include "toolchains/base/checksum.hpp"
#include "wrapper/hot/cache.hpp"
#include "wrapper/hot/system.hpp"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace hostpin::hot {

namespace {

/// Of the file that marks both lists as reported to this terminal or job, whose processes have the POSIX
/// session `job`. It is made in every call that is changed, so it has no text of them.
std::string marker_name(const nvcc::GpuChange& change, std::string_view directory, pid_t job) {
  auto key = checksum(directory, static_cast<std::uint64_t>(job));
  for (const auto& codes : {change.asked(), change.made()})
    key = checksum({reinterpret_cast<const char*>(codes.data()), codes.size_bytes()}, key);
  const auto digits = hexadecimal(checksum(change.word(), key));
  return concat({"/gpus-", {digits.data(), digits.size()}});
}

/// Whether the user has that file: another user's hides nothing.
bool is_marked(const std::string& name, const char* const* envp) {
  for (const std::string& directory : temporary_directories(envp)) {
    struct stat status {};
    if (!directory.empty() && lstat(concat({directory, name}).c_str(), &status) == 0 &&
        status.st_uid == geteuid())
      return true;
  }
  return false;
}

/// Returns whether no other call has made it at the same time.
bool mark(const std::string& name, const char* const* envp) {
  const std::string directory = temporary_cache(envp);
  if (directory.empty())
    return true;
  const std::string path = concat({directory, name});
  const auto make = [&] { return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600); };
  int descriptor = make();
  if (descriptor < 0 && errno == ENOENT && mkdir(directory.c_str(), 0700) == 0)
    descriptor = make();
  if (descriptor < 0)
    return errno != EEXIST;
  close(descriptor);
  return true;
}

} // namespace

void note_gpus(const nvcc::GpuChange& change, const plan::Plan& plan, std::string_view directory,
               const char* const* envp) {
  using Kind = nvcc::GpuChange::Kind;
  if (change.kind() == Kind::none || change.kind() == Kind::unread)
    return;
  // 0 if the first process of the job is outside this container, so that jobs cannot be distinguished
  if (const pid_t job = getsid(0); job > 0) {
    const std::string name = marker_name(change, directory, job);
    if (is_marked(name, envp) || !mark(name, envp))
      return;
  }
  const std::string text =
      change.kind() == Kind::replaced
          ? concat({"calls that name the GPUs ", change.asked_text(), " are compiled for those of ",
                    directory, ": ", change.made_text()})
          : concat({"calls that name the GPUs ", change.asked_text(), " keep them, although ", directory,
                    " is bound for ", nvcc::list_text({plan.gpus, plan.gpu_variants}), ": ",
                    change.reason()});
  note(text);
}

} // namespace hostpin::hot
