// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Written here and not by libarchive, so that the readers are tested against another implementation, and
// damage can be placed exactly.
#include "tests/unit/toolchains/archive/packing.hpp"

#include <algorithm>
#include <array>
#include <bzlib.h>
#include <cstdint>
#include <cstdio>
#include <lzma.h>
#include <stdexcept>
#include <zlib.h>
#include <zstd.h>

namespace hostpin::test {

namespace {

std::string deflated(const std::string& bytes, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string xz(const std::string& bytes) {
  std::string packed(lzma_stream_buffer_bound(bytes.size()), '\0');
  std::size_t size = 0;
  lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(bytes.data()),
                          bytes.size(), reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size());
  packed.resize(size);
  return packed;
}

std::string zstd(const std::string& bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3));
  return packed;
}

std::string bzip2(const std::string& bytes) {
  unsigned size = static_cast<unsigned>(bytes.size() + bytes.size() / 100 + 600);
  std::string packed(size, '\0');
  std::string copy = bytes;
  BZ2_bzBuffToBuffCompress(packed.data(), &size, copy.data(), static_cast<unsigned>(copy.size()), 9, 0, 0);
  packed.resize(size);
  return packed;
}

std::string filtered(const std::string& filter, const std::string& bytes) {
  if (filter == "none")
    return bytes;
  if (filter == "gzip")
    return deflated(bytes, 15 + 16);
  if (filter == "xz")
    return xz(bytes);
  if (filter == "zstd")
    return zstd(bytes);
  if (filter == "bzip2")
    return bzip2(bytes);
  throw std::runtime_error("no filter " + filter);
}

bool is_link(const std::string& name) {
  return name.ends_with('@');
}

std::string tar(const Packed& members) {
  std::string archive;
  for (const auto& [name, content] : members) {
    std::string header(512, '\0');
    const auto put = [&](std::size_t at, const std::string& text) {
      std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(at));
    };
    std::array<char, 16> size{};
    std::snprintf(size.data(), size.size(), "%011zo", is_link(name) ? 0 : content.size());
    put(0, is_link(name) ? name.substr(0, name.size() - 1) : name);
    put(100, "0000644");
    put(108, "0000000");
    put(116, "0000000");
    put(124, size.data());
    put(136, "00000000000");
    put(148, "        ");
    put(156, is_link(name) ? "2" : "0");
    put(157, is_link(name) ? content : "");
    put(257, "ustar");
    put(263, "00");
    unsigned sum = 0;
    for (const char c : header)
      sum += static_cast<unsigned char>(c);
    std::snprintf(size.data(), size.size(), "%06o", sum);
    put(148, std::string(size.data()) + '\0');
    archive += header;
    if (!is_link(name))
      archive += content + std::string((512 - content.size() % 512) % 512, '\0');
  }
  return archive + std::string(1024, '\0');
}

std::string number(std::uint64_t value, std::size_t size);

std::string zip(const Packed& members, bool store) {
  std::string archive, directory;
  for (const auto& [name, content] : members) {
    const std::string packed = store ? content : deflated(content, -15);
    const std::uint64_t crc =
        crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
    const std::string fields = number(20, 2) + number(0, 2) + number(store ? 0 : 8, 2) + number(0, 4) +
                               number(crc, 4) + number(packed.size(), 4) + number(content.size(), 4) +
                               number(name.size(), 2) + number(0, 2);
    directory +=
        std::string("PK\1\2") + number(20, 2) + fields + number(0, 10) + number(archive.size(), 4) + name;
    archive += std::string("PK\3\4") + fields + name + packed;
  }
  return archive + directory + "PK\5\6" + number(0, 4) + number(members.size(), 2) +
         number(members.size(), 2) + number(directory.size(), 4) + number(archive.size(), 4) + number(0, 2);
}

std::string number(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i)
    bytes += static_cast<char>(i < 8 ? value >> (8 * i) & 255U : 0);
  return bytes;
}

std::string ar_member(const std::string& name, const std::string& bytes) {
  std::array<char, 61> header{};
  std::snprintf(header.data(), header.size(), "%-16s%-12d%-6d%-6d%-8s%-10zu`\n", name.c_str(), 0, 0, 0, "644",
                bytes.size());
  return header.data() + bytes + (bytes.size() % 2 != 0 ? "\n" : "");
}

} // namespace

std::string packed(const std::string& format, const std::string& filter, const Packed& members) {
  if (format == "ustar")
    return filtered(filter, tar(members));
  if (format == "zip" || format == "stored zip")
    return filtered(filter, zip(members, format != "zip"));
  if (format == "raw")
    return filtered(filter, members.at(0).second);
  throw std::runtime_error("no format " + format);
}

std::string xz_of(const std::string& bytes, const std::string& kind, std::uint32_t dictionary,
                  std::uint32_t literal_bits) {
  lzma_options_lzma options{};
  lzma_lzma_preset(&options, 0);
  options.dict_size = dictionary;
  options.lc = literal_bits;
  const std::array<lzma_filter, 2> filters = {lzma_filter{LZMA_FILTER_LZMA2, &options},
                                              lzma_filter{LZMA_VLI_UNKNOWN, nullptr}};
  lzma_stream stream = LZMA_STREAM_INIT;
  if ((kind == "xz" ? lzma_stream_encoder(&stream, filters.data(), LZMA_CHECK_CRC32)
                    : lzma_alone_encoder(&stream, &options)) != LZMA_OK)
    throw std::runtime_error("liblzma cannot begin");
  std::string packed(bytes.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
  stream.avail_in = bytes.size();
  stream.next_out = reinterpret_cast<std::uint8_t*>(packed.data());
  stream.avail_out = packed.size();
  if (lzma_code(&stream, LZMA_FINISH) != LZMA_STREAM_END)
    throw std::runtime_error("liblzma cannot pack this");
  packed.resize(stream.total_out);
  lzma_end(&stream);
  return packed;
}

std::string gzipped(const std::string& bytes) {
  return packed("raw", "gzip", {{"x", bytes}});
}

std::string ar_archive(const Packed& members) {
  std::string names;
  std::string archive;
  for (const auto& [name, bytes] : members) {
    if (name.size() < 16) {
      archive += ar_member(name + '/', bytes);
    } else {
      archive += ar_member('/' + std::to_string(names.size()), bytes);
      names += name + "/\n";
    }
  }
  return "!<arch>\n" + (names.empty() ? std::string() : ar_member("//", names)) + archive;
}

std::string object_of(const std::vector<TestSection>& sections) {
  std::string bytes, names(1, '\0'), table(64, '\0');
  const auto header = [&](std::uint64_t type, std::uint64_t flags, std::uint64_t at, std::uint64_t size) {
    table += number(names.size(), 4) + number(type, 4) + number(flags, 8) + number(0, 8) + number(at, 8) +
             number(size, 8) + number(0, 8) + number(1, 8) + number(0, 8);
  };
  for (const TestSection& section : sections) {
    header(1, section.flags, 64 + bytes.size(), section.bytes.size());
    names += section.name + '\0';
    bytes += section.bytes;
  }
  const std::string own = std::string(".shstrtab") + '\0';
  header(3, 0, 64 + bytes.size(), names.size() + own.size());
  names += own;
  return std::string("\x7f"
                     "ELF\2\1\1") +
         std::string(9, '\0') + number(1, 2) + number(62, 2) + number(1, 4) + number(0, 16) +
         number(64 + bytes.size() + names.size(), 8) + number(0, 4) + number(64, 2) + number(0, 4) +
         number(64, 2) + number(sections.size() + 2, 2) + number(sections.size() + 1, 2) + bytes + names +
         table;
}

std::string object_with(const std::string& section, const std::string& bytes, std::uint64_t flags) {
  return object_of({{section, bytes, flags}});
}

} // namespace hostpin::test
