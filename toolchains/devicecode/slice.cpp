// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/slice.hpp"

#include "toolchains/base/checksum.hpp"
#include "toolchains/fatbin/holding.hpp"
#include "toolchains/fatbin/writer.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

namespace hostpin::devicecode {

using namespace binary;

namespace {

constexpr std::string_view family = "hostpin slice ", magic = "hostpin slice 1\n";

/// What follows the magic. Fatbins follow it, and nothing else.
struct Header {
  std::uint32_t major = 0, minor = 0, variant = 0;
  std::uint32_t fatbins = 0, relocatable = 0; ///< how many, and how many of them, the last ones
  std::uint32_t unused = 0;
  std::array<std::uint64_t, HostDigest::parts> host{};
  std::uint64_t build = 0;
  std::uint64_t checksum = 0; ///< of all other bytes
};
static_assert(sizeof(Header) == 88);
constexpr std::uint64_t content_at = magic.size() + sizeof(Header);

bool is_real(gpus::Capability capability) {
  return capability.major >= 0 && capability.major <= 99 && capability.minor >= 0 && capability.minor <= 9;
}

std::optional<std::uint64_t> checksum_of(Header header, const Bytes& content) {
  header.checksum = 0;
  std::uint64_t sum = checksum(bytes_of(header));
  for (std::uint64_t at = 0; at < content.size();) {
    const auto piece = content.view(at, std::min<std::uint64_t>(content.size() - at, Bytes::view_limit));
    if (!piece)
      return std::nullopt;
    sum = checksum(*piece, sum);
    at += piece->size();
  }
  return sum;
}

Reading<std::vector<DeviceContent::Part>> fatbins_of(const Bytes& bytes) {
  std::vector<DeviceContent::Part> fatbins;
  TRY(each_whole_fatbin(bytes, [&](const EmbeddedFatbin& fatbin) -> Reading<bool> {
    fatbins.push_back({false, fatbin.entries, 0, fatbins.size()});
    for (EmbeddedCode& entry : fatbins.back().entries)
      entry.at += bytes.begin();
    return true;
  }));
  return fatbins;
}

Reading<std::optional<DeviceContent>> read_slice(const Bytes& file) {
  Header header;
  const auto content = file.part(content_at, file.size() - std::min(file.size(), content_at));
  if (!content || !file.read(magic.size(), reinterpret_cast<char*>(&header), sizeof header))
    return damaged("it is a slice that ends within its header", 0, true);
  if (file.up_to(0, magic.size()) != magic)
    return damaged("it is a slice of an unknown version");
  const gpus::Capability capability{static_cast<int>(header.major), static_cast<int>(header.minor),
                                    static_cast<gpus::Capability::Variant>(header.variant)};
  if (checksum_of(header, *content) != header.checksum || !is_real(capability) || header.variant > 2)
    return damaged("it is a slice whose bytes were changed");
  auto fatbins = fatbins_of(*content);
  if (!fatbins)
    return tl::unexpected(std::move(fatbins.error()));
  if (fatbins->size() != header.fatbins || header.relocatable > header.fatbins)
    return damaged("it is a slice that has not the fatbins in its header");
  for (std::size_t i = header.fatbins - header.relocatable; i < header.fatbins; ++i)
    (*fatbins)[i].relocatable = true;
  return DeviceContent{HostDigest{header.host}, header.build, *std::move(fatbins), capability};
}

/// The fatbins in the order of their wrappers, which no change of the file changes.
std::vector<DeviceContent::Part> fatbins_of(const Image& image) {
  std::vector<std::tuple<bool, std::size_t, DeviceContent::Part>> found;
  for (std::size_t section = 0; section < image.sections.size(); ++section)
    for (std::size_t i = 0; i < image.sections[section].fatbins.size(); ++i) {
      const Fatbin& fatbin = image.sections[section].fatbins[i];
      const bool relocatable = image.sections[section].relocatable;
      const std::size_t wrapper = fatbin.wrappers.empty() ? image.wrappers.size() : fatbin.wrappers.front();
      const bool fixed = image.is_linked() && fatbin.wrappers.empty();
      found.emplace_back(relocatable, wrapper,
                         DeviceContent::Part{relocatable, fatbin.entries, section, i, fixed});
    }
  std::stable_sort(found.begin(), found.end(), [](const auto& one, const auto& other) {
    return std::tie(std::get<0>(one), std::get<1>(one)) < std::tie(std::get<0>(other), std::get<1>(other));
  });
  std::vector<DeviceContent::Part> fatbins;
  for (auto& each : found)
    fatbins.push_back(std::move(std::get<2>(each)));
  return fatbins;
}

std::uint64_t build_of(const Bytes& file, const ElfHeaders& headers) {
  for (const Elf64_Shdr& section : headers.sections)
    if (headers.name(section) == ".note.gnu.build-id")
      if (const auto note = file.view(section.sh_offset, section.sh_size))
        return checksum(*note);
  return 0;
}

Reading<std::optional<DeviceContent>> read_elf(const Bytes& file) {
  auto image = read_image(file);
  if (!image)
    return tl::unexpected(std::move(image.error()));
  if (!*image || (*image)->sections.empty())
    return std::nullopt;
  TRY_ASSIGN(const auto host, host_digest(file, (*image)->headers));
  DeviceContent code{host, build_of(file, (*image)->headers), fatbins_of(**image)};
  code.image = *std::move(*image);
  return code;
}

Result<std::string> sliced(const Bytes& file, const DeviceContent::Part& fatbin, gpus::Capability capability,
                           std::size_t& count) {
  std::vector<std::string> entries;
  for (const EmbeddedCode& entry : fatbin.entries)
    if (!entry.bundled.empty())
      return failure("its device code for several GPUs is compressed together; it can be taken apart if nvcc "
                     "compiles without --concat");
    else if (fatbin::capability_of(entry) == capability) {
      auto bytes = entry_bytes(file, entry);
      if (!bytes)
        return failure("its device code cannot be read");
      entries.push_back(*std::move(bytes));
    }
  count += entries.size();
  return fatbin::fatbin_of_entries({entries.begin(), entries.end()});
}

} // namespace

Reading<std::optional<DeviceContent>> read_device_code(const Bytes& file) {
  const std::string_view begin = file.up_to(0, magic.size());
  if (begin.starts_with(family))
    return read_slice(file);
  if (!is_fatbin(begin))
    return read_elf(file);
  TRY_ASSIGN(auto fatbins, fatbins_of(file));
  return DeviceContent{{}, 0, std::move(fatbins)};
}

std::optional<std::string> entry_bytes(const Bytes& file, const EmbeddedCode& entry) {
  if (entry.payload > file.size() || entry.header > file.size())
    return std::nullopt;
  std::string bytes(static_cast<std::size_t>(entry.header + entry.payload), '\0');
  return file.read(entry.at, bytes.data(), bytes.size()) ? std::optional(std::move(bytes)) : std::nullopt;
}

Result<std::string> slice_of(const Bytes& file, const DeviceContent& code, gpus::Capability capability) {
  if (!is_real(capability))
    return failure("there is no GPU of the capability " + gpus::to_string(capability));
  Header header;
  header.major = static_cast<std::uint32_t>(capability.major);
  header.minor = static_cast<std::uint32_t>(capability.minor);
  header.variant = static_cast<std::uint32_t>(capability.variant);
  header.host = code.host.sums;
  header.build = code.build;
  std::string content;
  std::size_t count = 0;
  for (const DeviceContent::Part& fatbin : code.fatbins) {
    auto bytes = sliced(file, fatbin, capability, count);
    if (!bytes)
      return bytes;
    content += *bytes;
    ++header.fatbins;
    header.relocatable += fatbin.relocatable ? 1 : 0;
  }
  if (count == 0)
    return failure("it has no device code for " + gpus::to_string(capability));
  const InputFile source{std::string_view(content)};
  header.checksum = *checksum_of(header, Bytes(source));
  return std::string(magic).append(bytes_of(header)).append(content);
}

} // namespace hostpin::devicecode
