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

/// Whether no call of this session has had that text.
bool is_new(const std::string& text, const char* const* envp) {
  const std::string directory = temporary_cache(envp);
  if (directory.empty())
    return true;
  const auto digits = hexadecimal(checksum(text, static_cast<std::uint64_t>(getsid(0))));
  const std::string path = concat({directory, "/gpus-", {digits.data(), digits.size()}});
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
  if (change.kind() == Kind::none)
    return;
  const std::string text =
      change.kind() == Kind::replaced
          ? concat({"calls that name the GPUs ", change.asked_text(), " are compiled for those of ",
                    directory, ": ", change.made_text()})
          : concat({"calls that name the GPUs ", change.asked_text(), " keep them, although ", directory,
                    " is bound for ", nvcc::list_text({plan.gpus, plan.gpu_variants}), ": ",
                    change.reason()});
  if (is_new(text, envp))
    note(text);
}

} // namespace hostpin::hot
