// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/file_identity.hpp"

namespace hostpin {

PlanFile file_identity(const std::string& path, const Files& files) {
  const auto status = files.status(path);
  if (!status || status->kind == FileStatus::Kind::other)
    return {PlanFile::Kind::absent, 0, 0, path};
  if (status->kind == FileStatus::Kind::directory)
    return {PlanFile::Kind::directory, 0, status->modified, path};
  return {PlanFile::Kind::file, status->size, status->modified, path};
}

} // namespace hostpin
