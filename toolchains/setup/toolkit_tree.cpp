// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/toolkit_tree.hpp"

#include "toolchains/base/writing.hpp"
#include "toolchains/setup/placement.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace hostpin::setup {

namespace {

// nvcc reads this beside itself. Debian's own profile leaves out the toolkit's include and library
// directories, because there they are the system's.
constexpr const char* profile = R"(TOP                = $(_HERE_)/..
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH              += $(TOP)/nvvm/bin:$(_HERE_):
LD_LIBRARY_PATH   += $(TOP)/lib64:
INCLUDES          += "-I$(TOP)/include" $(_SPACE_)
LIBRARIES         =+ $(_SPACE_) "-L$(TOP)/lib64/stubs" "-L$(TOP)/lib64"
CUDAFE_FLAGS      +=
PTXAS_FLAGS       +=
)";

} // namespace

Result<void> make_toolkit(const Context& context, std::span<const std::string> archives,
                          const std::string& work, const std::string& place) {
  static_cast<void>(place); // nothing in it names itself
  std::vector<std::string> libraries;
  for (const std::string& archive : archives)
    if (auto library = library_in(archive))
      libraries.push_back(*std::move(library));
  const auto placement = [&](const std::string& path) { return place_in_toolkit(path, libraries); };
  TRY(unpack_packages(archives, work, placement));
  for (const char* const needed :
       {"bin/nvcc", "bin/ptxas", "bin/fatbinary", "bin/cudafe++", "bin/nvlink", "nvvm/bin/cicc",
        "nvvm/libdevice", "include/cuda_runtime.h", "lib64/libcudart_static.a"})
    if (!context.files.status(work + '/' + needed))
      return failure(std::string("the packages of the toolkit have no ") + needed,
                     "name another release with --cuda, or NVIDIA's archives with --from redist");
  std::error_code error;
  std::filesystem::create_symlink("lib64", work + "/lib", error);
  if (error)
    return failure("cannot create " + work + "/lib: " + error.message());
  return replace_file(work + "/bin/nvcc.profile", profile, false);
}

} // namespace hostpin::setup
