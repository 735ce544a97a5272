// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/pack/tar.hpp"

#include <algorithm>
#include <string_view>

namespace hostpin::pack {

namespace {

// Offsets and widths of the fields in a ustar header (POSIX).
struct Field {
  std::size_t at;
  std::size_t width;
};
constexpr Field name_field{0, 100}, mode_field{100, 8}, uid_field{108, 8}, gid_field{116, 8},
    size_field{124, 12}, time_field{136, 12}, sum_field{148, 8}, target_field{157, 100}, magic_field{257, 8};
constexpr std::size_t kind_at = 156;
constexpr std::uint64_t largest_number = (std::uint64_t{1} << 33U) - 1; // eleven octal digits

void put(std::string& block, Field field, std::string_view text) {
  text = text.substr(0, field.width);
  std::copy(text.begin(), text.end(), block.begin() + static_cast<std::ptrdiff_t>(field.at));
}

void put_octal(std::string& block, Field field, std::uint64_t number) {
  for (std::size_t i = field.width - 1; i-- > 0; number /= 8)
    block[field.at + i] = static_cast<char>('0' + number % 8);
}

std::string block_of(const TarHead& head, char kind) {
  std::string block(tar_block, '\0');
  put(block, name_field, head.path);
  put_octal(block, mode_field, head.permissions);
  put_octal(block, uid_field, 0);
  put_octal(block, gid_field, 0);
  put_octal(block, size_field, std::min(head.size, largest_number));
  put_octal(block, time_field,
            std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(head.seconds, 0)), largest_number));
  block[kind_at] = kind;
  put(block, target_field, head.target);
  put(block, magic_field, std::string_view("ustar\00000", magic_field.width));
  put(block, sum_field, "        ");
  std::uint64_t sum = 0;
  for (const char c : block)
    sum += static_cast<unsigned char>(c);
  put_octal(block, {sum_field.at, sum_field.width - 1}, sum);
  block[sum_field.at + sum_field.width - 2] = '\0'; // then a blank, as tar always writes it
  return block;
}

/// `LENGTH keyword=value\n`, where the length counts itself.
std::string record(std::string_view keyword, std::string_view value) {
  const std::size_t rest = keyword.size() + value.size() + 3;
  std::size_t length = rest;
  while (length != rest + std::to_string(length).size())
    length = rest + std::to_string(length).size();
  std::string text = std::to_string(length);
  text += ' ';
  text += keyword;
  text += '=';
  text += value;
  text += '\n';
  return text;
}

std::string records_of(const TarHead& head) {
  std::string records;
  if (head.path.size() > name_field.width)
    records += record("path", head.path);
  if (head.target.size() > target_field.width)
    records += record("linkpath", head.target);
  if (head.size > largest_number)
    records += record("size", std::to_string(head.size));
  if (head.nanoseconds != 0 || head.seconds < 0 || head.seconds > static_cast<std::int64_t>(largest_number)) {
    const std::string fraction = std::to_string(1'000'000'000ULL + head.nanoseconds).substr(1);
    records += record("mtime", std::to_string(head.seconds) + '.' + fraction);
  }
  return records;
}

} // namespace

std::string tar_head(const TarHead& head) {
  std::string bytes;
  if (const std::string records = records_of(head); !records.empty()) {
    TarHead extension;
    extension.path = "PaxHeader";
    extension.permissions = 0644;
    extension.size = records.size();
    bytes += block_of(extension, 'x');
    bytes += records;
    bytes += tar_padding(records.size());
  }
  return bytes += block_of(head, static_cast<char>(head.kind));
}

std::string tar_padding(std::uint64_t size) {
  return std::string((tar_block - size % tar_block) % tar_block, '\0');
}

std::string tar_end() {
  return std::string(2 * tar_block, '\0');
}

} // namespace hostpin::pack
