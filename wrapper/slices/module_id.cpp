// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/slices/module_id.hpp"

#include <algorithm>
#include <array>

namespace hostpin::slices {

std::optional<std::string> fixed_module_id(std::string_view id, pid_t process, std::string_view digest) {
  constexpr std::size_t digits = 8;
  const std::string ending = '_' + std::to_string(process);
  if (!id.ends_with(ending))
    return std::nullopt;
  id.remove_suffix(ending.size());
  const std::string_view checksum = id.substr(id.size() - std::min(id.size(), digits + 1));
  if (checksum.size() != digits + 1 || checksum.front() != '_' ||
      checksum.find_first_not_of("0123456789abcdef", 1) != std::string_view::npos)
    return std::nullopt;
  std::string fixed(id.substr(0, id.size() - digits));
  fixed.append(digest.substr(0, digits)).append(1, '_').append(digest.substr(digits, digits));
  return fixed;
}

std::vector<std::string> without_gpus(const std::vector<std::string>& arguments) {
  constexpr std::array<std::string_view, 3> names{"compute_", "sm_", "lto_"};
  constexpr std::array<std::string_view, 2> options{"-gencode", "--generate-code"};
  std::vector<std::string> rest;
  for (const std::string& argument : arguments) {
    bool names_gpu = false;
    for (const std::string_view name : names)
      names_gpu |= argument.find(name) != std::string::npos;
    for (const std::string_view option : options)
      names_gpu |= argument == option;
    if (!names_gpu)
      rest.push_back(argument);
  }
  return rest;
}

} // namespace hostpin::slices
