// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hostpin::test {

struct Member {
  std::string name;
  char type; ///< of the ustar format
  std::string target;
};

/// A tar of the ustar format; files contain `text`.
inline std::string tar(const std::vector<Member>& members) {
  constexpr std::size_t block = 512, checksum = 148;
  std::string bytes;
  for (const Member& member : members) {
    const std::string content = member.type == '0' ? "text" : "";
    std::string header(block, '\0');
    const auto put = [&header](std::size_t at, const std::string& text) {
      header.replace(at, text.size(), text);
    };
    put(0, member.name);
    put(100, "0000755");
    put(124, "0000000000" + std::to_string(content.size()));
    put(136, "14524770400");
    put(checksum, std::string(8, ' '));
    put(156, std::string(1, member.type));
    put(157, member.target);
    put(257, std::string("ustar\0"
                         "00",
                         8));
    unsigned sum = 0;
    for (const char byte : header)
      sum += static_cast<unsigned char>(byte);
    std::string digits;
    for (unsigned i = 0; i < 6; ++i, sum /= 8)
      digits.insert(digits.begin(), static_cast<char>('0' + sum % 8));
    put(checksum, digits);
    bytes += header + content + std::string(content.empty() ? 0 : block - content.size(), '\0');
  }
  return bytes + std::string(2 * block, '\0');
}

/// An ar of members with their content, as a .deb is.
struct ArMember {
  std::string name, content;
};

inline std::string ar(const std::vector<ArMember>& members) {
  constexpr std::size_t name_size = 16, size_field = 10;
  std::string bytes = "!<arch>\n";
  for (const ArMember& member : members) {
    std::string name = member.name, size = std::to_string(member.content.size());
    name.resize(name_size, ' ');
    size.resize(size_field, ' ');
    bytes += name + "0           0     0     100644  " + size + "`\n" + member.content +
             (member.content.size() % 2 != 0 ? "\n" : "");
  }
  return bytes;
}

} // namespace hostpin::test
