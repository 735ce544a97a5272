// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/judge/world.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

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

bool is_of_driver(std::string_view name) {
  constexpr std::array<std::string_view, 5> starts = {"libcuda.so", "libnvidia-", "libnvcuvid.so",
                                                      "libnvoptix.so", "libGLX_nvidia.so"};
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return name.starts_with(start); });
}

std::string run_path_to(const std::string& library, const std::string& file) {
  const std::filesystem::path to = std::filesystem::path(library).parent_path();
  const std::string way = to.lexically_relative(std::filesystem::path(file).parent_path()).string();
  return way == "." ? "$ORIGIN" : "$ORIGIN/" + way;
}

bool is_host_place(std::string_view path) {
  static const std::vector<std::string> places = {"/usr",    "/lib", "/lib32", "/lib64",
                                                  "/libx32", "/bin", "/sbin",  "/opt"};
  return is_below(path, places);
}

} // namespace hostpin::leak
