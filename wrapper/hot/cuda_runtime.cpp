// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/cuda_runtime.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/elf.hpp"
#include "wrapper/hot/system.hpp"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace hostpin::hot {

namespace {

constexpr std::string_view runtime_name = "libcudart.so";

/// `12` of `12.4.131`, and with two parts `12.4`.
std::string_view release_of(std::string_view version, bool minor) {
  std::size_t end = version.find('.');
  if (minor && end != std::string_view::npos)
    end = version.find('.', end + 1);
  return version.substr(0, end);
}

std::string without_links(const std::string& path) {
  char* const real = realpath(path.c_str(), nullptr);
  std::string result(real == nullptr ? "" : real);
  std::free(real);
  return result;
}

std::string taken_by(const cxx::LinkInputs& inputs) {
  for (const std::string& file : inputs.files)
    if (base_name(file).starts_with(runtime_name))
      return without_links(file);
  if (std::find(inputs.libraries.begin(), inputs.libraries.end(), "cudart") != inputs.libraries.end())
    for (const std::string& directory : inputs.directories)
      if (const std::string file = concat({directory, "/", runtime_name}); access(file.c_str(), F_OK) == 0)
        return without_links(file);
  return {};
}

} // namespace

std::optional<OtherRuntime> other_runtime(const std::string& output, std::string_view toolkit,
                                          const std::function<cxx::LinkInputs()>& inputs) {
  const auto file = binary::MappedFile::open(output);
  if (!file)
    return std::nullopt;
  const auto image = binary::read_image(file->bytes());
  if (!image || !*image)
    return std::nullopt;
  const std::string start = concat({runtime_name, "."});
  for (const std::string& soname : (*image)->needed) {
    if (!soname.starts_with(start))
      continue;
    OtherRuntime other{soname, taken_by(inputs()), false, false};
    const std::string_view name = base_name(other.path);
    const std::string_view major = release_of(std::string_view(soname).substr(start.size()), false);
    const std::string_view version = name.starts_with(start) ? name.substr(start.size()) : std::string_view();
    other.major = major != release_of(toolkit, false);
    // `.so.11.0` is the soname of all of CUDA 11.
    const bool minor = version.size() > soname.size() - start.size() &&
                       release_of(version, true) != release_of(toolkit, true);
    if (!other.major && !minor)
      return std::nullopt;
    other.has_device_code = file->bytes().find(".nv_fatbin") != std::string_view::npos;
    return other;
  }
  return std::nullopt;
}

} // namespace hostpin::hot
