// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/context.hpp"

#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

namespace hostpin {

Result<InstallTree> find_install_tree(const std::string& program, const Files& files) {
  const std::string prefix = std::filesystem::path(program).parent_path().parent_path().string();
  InstallTree tree{prefix, program, prefix + "/libexec/hostpin/nvcc", prefix + "/share/hostpin/data"};
  for (const std::string& part : {tree.driver, tree.data})
    if (!files.status(part))
      return failure(fmt::format("this installation of hostpin is incomplete: {} is missing", part),
                     "install it again: cmake --install BUILD --prefix PREFIX");
  return tree;
}

void report(const Error& error) {
  fmt::print(stderr, "hostpin: error: {}\n", error.message);
  if (!error.hint.empty())
    fmt::print(stderr, "hint: {}\n", error.hint);
}

void report_note(const std::string& text) {
  fmt::print(stderr, "hostpin: note: {}\n", text);
}

} // namespace hostpin
