// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/search_path.hpp"

#include "toolchains/binary/draft.hpp"
#include "toolchains/binary/dynamic_edit.hpp"

#include <sys/stat.h>

namespace hostpin::setup {

using namespace binary;

Result<void> set_search_path(const std::string& file, const std::string& path, const std::string& loader) {
  DynamicEdit edit;
  edit.run_path = {path, true};
  if (!loader.empty())
    edit.interpreter = loader;
  const auto source = open_blob(file);
  auto done = source ? Result<void>() : Result<void>(tl::unexpected(source.error()));
  if (done) {
    Draft draft(file);
    done =
        draft.descriptor() < 0 ? failure(system_reason()) : write_edited(*source, edit, draft.descriptor());
    if (done && ::fchmod(draft.descriptor(), source->file()->status().st_mode & 0777U) != 0)
      done = failure(system_reason());
    if (done)
      return draft.publish();
  }
  return failure("cannot relocate " + file + ": " + done.error().message);
}

} // namespace hostpin::setup
