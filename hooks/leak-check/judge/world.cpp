// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/judge/world.hpp"

namespace hostpin::leak {

std::string tree_of(const ScannedFile& file, const World& world) {
  std::string tree = file.file;
  if (!world.several_trees || file.path == file.file || !tree.ends_with('/' + file.path))
    return {};
  tree.resize(tree.size() - file.path.size());
  if (tree.size() > 1)
    tree.pop_back(); // the root directory keeps its slash
  return tree;
}

std::string on_disk(const std::string& path, const World& world) {
  return world.root == nullptr ? path : world.root->on_disk(path).value_or(std::string());
}

bool is_host_place(std::string_view path) {
  static const std::vector<std::string> places = {"/usr",    "/lib", "/lib32", "/lib64",
                                                  "/libx32", "/bin", "/sbin",  "/opt"};
  return is_below(path, places);
}

} // namespace hostpin::leak
