// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hostpin::test {

/// A private directory of a test's own that is gone afterwards. Throws where none
/// can be made.
class Tree {
public:
  explicit Tree(const char* name = "hostpin-test")
      : root_((std::filesystem::temp_directory_path() / name).string() + ".XXXXXX") {
    if (::mkdtemp(root_.data()) == nullptr)
      throw std::runtime_error("cannot make a directory for the test");
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  ~Tree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  const std::string& root() const { return root_; }
  std::string path(const std::string& name) const { return root_ + '/' + name; }

  std::string write(const std::string& name, std::string_view bytes) const {
    const std::string file = path(name);
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }

private:
  std::string root_;
};

} // namespace hostpin::test
