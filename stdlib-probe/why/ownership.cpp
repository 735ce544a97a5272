// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/ownership.hpp"

namespace hostpin {

Ownership::Ownership(const Files& files, const std::vector<std::string>& system,
                     const std::vector<std::string>& own)
    : files_(files) {
  const auto add = [&](const std::vector<std::string>& directories, bool is_own) {
    for (const std::string& directory : directories)
      if (auto path = files.real_path(directory))
        // A compiler ignores a -I that repeats one of its own directories.
        directories_.try_emplace(path->ends_with('/') ? *path : *path + '/', is_own);
  };
  add(system, false);
  add(own, true);
}

const Ownership::Known& Ownership::known(const std::string& file) const {
  const auto [found, fresh] = known_.try_emplace(file);
  Known& answer = found->second;
  if (!fresh)
    return answer;
  answer.real = files_.real_path(file).value_or(file);
  std::size_t longest = 0;
  for (const auto& [directory, own] : directories_)
    if (answer.real.starts_with(directory) && directory.size() > longest) {
      longest = directory.size();
      answer.own = own;
    }
  return answer;
}

bool Ownership::is_own(const std::string& file) const {
  return !file.empty() && known(file).own;
}

const std::string& Ownership::real(const std::string& file) const {
  return known(file).real;
}

} // namespace hostpin
