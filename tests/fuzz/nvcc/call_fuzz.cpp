// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call cut out of the input at its line ends: NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS, what the options file
// `f` holds, then the arguments. However it looks, our compiler takes the place of the one that nvcc would
// have taken, and the list of GPUs that of those that the call names.
#include "tests/fuzz/fuzz.hpp"
#include "wrapper/nvcc/rewrite.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

using namespace hostpin::cmdline;
using namespace hostpin::nvcc;

namespace {

class OneText final : public ArgumentFiles {
public:
  explicit OneText(std::string text) : text_(std::move(text)) {}
  std::optional<ArgumentText> read(const std::string& path, Pipes) const override {
    return path == "f" ? std::optional(ArgumentText{text_}) : std::nullopt;
  }

private:
  std::string text_;
};

std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> all;
  while (true) {
    const std::size_t end = text.find('\n');
    all.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos)
      return all;
    text.remove_prefix(end + 1);
  }
}

constexpr std::string_view gpu_options[] = {"-gencode=arch=compute_80,code=sm_80",
                                            "-gencode=arch=compute_103,code=sm_103",
                                            "-gencode=arch=compute_103,code=compute_103"};
constexpr std::string_view variants[] = {"100f 103f", "103a 103a", "103f 103f"};
constexpr GpuList list{gpu_options, variants};

} // namespace

std::vector<std::string> seeds() {
  return {"-v -ccbin /p\n-w\n-DX\n-ccbin\n/g\na.cu",
          "-Xcompiler\n-ccbin=/a\n-optf f\n-ccbin=/g\n-optf=f\na.cu",
          "-optf f\n\n-DX \"-ccbin=/g h\"\n-ccbin=/g\n-hls\n-optf",
          "-arch=sm_75\n-gencode=arch=compute_100f,code=sm_103\n-arch all\n-optf\nf\n-dlto\n-c\na.cu",
          "-arch\n\n\nsm_75\n-gencode\ncode=[sm_80,lto_80,compute_80], arch=compute_80\n-ltoir",
          "\n\n\n-arch=compute_80\n-code=sm_80, sm_86\n-ptx",
          "\n\n\n--version\n-ccbin=\n--compiler-bindir"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> parts = lines({reinterpret_cast<const char*>(data), size});
  parts.resize(std::max<std::size_t>(parts.size(), 3));
  std::vector<const char*> arguments;
  for (std::size_t i = 3; i < parts.size(); ++i)
    arguments.push_back(parts[i].c_str());
  OneText texts(parts[2]);
  // The environment ends values at a NUL, as c_str() does for arguments.
  const NvccCall call{parts[0].c_str(), arguments, parts[1].c_str(), std::nullopt, false};
  const NvccCommand naming = nvcc_command(call, texts);

  GpuChange gpus;
  gpus.decide(naming, list);
  const std::string ours = "/our dir/c++";
  const Rewrite result = rewrite(call, naming, ours.c_str(), nullptr, &gpus);
  NvccCall after{call.prepend, result.arguments, call.append, std::nullopt, false};
  for (const VariableChange& change : result.variables)
    (change.name == "NVCC_PREPEND_FLAGS" ? after.prepend : after.append) =
        change.value ? std::optional<std::string_view>(*change.value) : std::nullopt;
  const NvccCommand renamed = nvcc_command(after, texts);
  // Files that nvcc refuses stay as they are, and what they name with them.
  if (naming.files.empty() && renamed.ccbin.value != ours)
    std::abort();
  GpuChange again;
  again.decide(renamed, list);
  if (naming.files.empty() && again.kind() == GpuChange::Kind::replaced)
    std::abort();
  return 0;
}
