// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/vendor.hpp"

#include "toolchains/binary/blob.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <string_view>

namespace hostpin::devicecode {

namespace {

/// The beginnings of names of libraries that are under NVIDIA's licences: the CUDA Toolkit's (EULA,
/// attachment A), cuDNN, TensorRT, cuTENSOR, cuSPARSELt, NVSHMEM, nvCOMP, nvImageCodec. NCCL is not: its
/// licence permits changes. Sorted.
constexpr auto beginnings = std::to_array<std::string_view>({
    "libaccinj64",      "libcublas",   "libcuda.",   "libcudadebugger", "libcudart",       "libcudnn",
    "libcufft",         "libcufile",   "libcuinj64", "libcupti",        "libcurand",       "libcusolver",
    "libcusparse",      "libcutensor", "libnpp",     "libnvJitLink",    "libnvToolsExt",   "libnvblas",
    "libnvcomp",        "libnvfatbin", "libnvinfer", "libnvjpeg",       "libnvonnxparser", "libnvperf",
    "libnvptxcompiler", "libnvrtc",    "libnvshmem", "libnvvm",
});
static_assert(std::is_sorted(beginnings.begin(), beginnings.end()));

bool is_nvidia(std::string_view name) {
  const auto after = std::upper_bound(beginnings.begin(), beginnings.end(), name);
  return after != beginnings.begin() && name.starts_with(*std::prev(after));
}

/// Keeps what a parser has views of; as much as real tables of symbols' versions need.
class KeptBytes final : public binary::ByteSource {
public:
  explicit KeptBytes(const binary::Bytes& file) : file_(file) {}

  std::optional<std::string_view> slice(std::uint64_t offset, std::uint64_t size) const override {
    constexpr std::uint64_t most = std::uint64_t{256} << 20U;
    if (offset > file_.size() || size > file_.size() - offset || size > most - used_)
      return std::nullopt;
    used_ += size;
    std::string& bytes = kept_.emplace_back(static_cast<std::size_t>(size), '\0');
    return file_.read(offset, bytes.data(), bytes.size()) ? std::optional<std::string_view>(bytes)
                                                          : std::nullopt;
  }

private:
  const binary::Bytes& file_;
  mutable std::deque<std::string> kept_;
  mutable std::uint64_t used_ = 0;
};

} // namespace

std::optional<std::string> nvidia_library(const binary::Bytes& file) {
  const KeptBytes source(file);
  const auto image = binary::read_image(source);
  if (!image || !*image)
    return std::nullopt;
  return nvidia_library(**image);
}

std::optional<std::string> nvidia_library(const binary::SharedObject& library) {
  if (is_nvidia(library.soname))
    return library.soname;
  const auto& versions = library.version_definitions;
  const auto found =
      std::find_if(versions.begin(), versions.end(), [](const std::string& name) { return is_nvidia(name); });
  return found == versions.end() ? std::nullopt : std::optional(*found);
}

} // namespace hostpin::devicecode
