// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/archive/elf_facts.hpp"

#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/cuda_runtime.hpp"
#include "toolchains/binary/dynamic_symbols.hpp"
#include "toolchains/binary/sections.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace hostpin::wheel {

namespace {

/// Lets the reader of ELF images read through a file's window; what it returns is copied.
class ByteSourceOf final : public binary::ByteSource {
public:
  explicit ByteSourceOf(const binary::Bytes& bytes) : bytes_(bytes) {}

  std::optional<std::string_view> slice(std::uint64_t offset, std::uint64_t size) const override {
    constexpr std::uint64_t most = std::uint64_t{64} << 20U; // of one table that the loader reads
    if (const auto stable = bytes_.stable_view(offset, size))
      return stable;
    if (size > most || offset > bytes_.size() || size > bytes_.size() - offset)
      return std::nullopt;
    std::string& copy = copies_.emplace_back(static_cast<std::size_t>(size), '\0');
    if (!bytes_.read(offset, copy.data(), copy.size()))
      return std::nullopt;
    return copy;
  }

private:
  const binary::Bytes& bytes_;
  mutable std::deque<std::string> copies_;
};

/// In the namespaces c10, at or torch, as in `_ZN3c10...` and `_ZNK2at...`.
bool is_of_torch(std::string_view symbol) {
  if (!symbol.starts_with("_ZN"))
    return false;
  symbol.remove_prefix(3);
  while (symbol.starts_with('K') || symbol.starts_with('V') || symbol.starts_with('R') ||
         symbol.starts_with('O'))
    symbol.remove_prefix(1);
  return symbol.starts_with("3c10") || symbol.starts_with("2at") || symbol.starts_with("5torch");
}

/// Which of libcuda's functions a file defines, and whether it needs others'.
struct DriverExports {
  bool initialises = false, launches = false, versions = false, imports = false;
  std::size_t functions = 0;

  void add(std::string_view symbol) {
    initialises |= symbol == "cuInit";
    launches |= symbol == "cuLaunchKernel";
    versions |= symbol == "cuDriverGetVersion";
    if (loader::is_function_of_driver(symbol))
      ++functions;
  }
  /// The driver of CUDA 11.2 has 492 functions; libraries that pass calls on have those that they pass on.
  bool complete() const { return initialises && launches && versions && functions >= 300; }
};

/// A name that every driver has among its constants.
constexpr std::string_view driver_text = "libnvidia-ptxjitcompiler.so";

/// Libraries that do not work without another one, which they open by name: NVIDIA's name, which renamed
/// copies have as the version of their symbols, and that name, by their beginnings.
struct Opener {
  std::string_view library, name;
};
constexpr std::array openers = {Opener{"libnvrtc.so.", "libnvrtc-builtins."}};

/// Adds whole strings that begin so.
void add_names(const binary::Bytes& constants, std::string_view beginning, std::vector<std::string>& names) {
  constexpr std::size_t longest = 128, step = binary::Bytes::view_limit - longest - 1;
  for (std::uint64_t from = 0; from < constants.size(); from += step) {
    const std::string_view piece = constants.up_to(from, binary::Bytes::view_limit);
    for (std::size_t at = piece.find(beginning); at != std::string_view::npos;
         at = piece.find(beginning, at + 1)) {
      const std::string_view name = piece.substr(at, std::min(piece.find('\0', at), piece.size()) - at);
      const bool is_whole = (at == 0 ? from == 0 : piece[at - 1] == '\0') && at + name.size() < piece.size();
      if (is_whole && name.size() <= longest && name.find_first_of(" %/") == std::string_view::npos &&
          std::find(names.begin(), names.end(), name) == names.end())
        names.emplace_back(name);
    }
  }
}

/// Calls `use` with the contents of each section of constants.
template <typename Use>
void each_constants(const binary::Bytes& file, const Use& use) {
  const auto sections = binary::SectionTable::open(file, binary::ElfKinds::any).value_or(std::nullopt);
  if (!sections)
    return;
  static_cast<void>(sections->each([&](const binary::ObjectSection& section) {
    const auto name = sections->name_bytes(section);
    if (section.type != binary::ObjectSection::no_bits && name && name->starts_with(".rodata"))
      if (const auto content = sections->content(section))
        use(*content);
    return true;
  }));
}

bool has_constant(const binary::Bytes& file, std::string_view text) {
  bool has = false;
  each_constants(file,
                 [&](const binary::Bytes& constants) { has = has || constants.holds(text).value_or(false); });
  return has;
}

void read_opened(const binary::Bytes& file, ElfFacts& facts) {
  std::vector<std::string> names = facts.image.version_definitions;
  names.push_back(facts.image.soname);
  for (const Opener& one : openers)
    if (std::any_of(names.begin(), names.end(),
                    [&](const std::string& name) { return name.starts_with(one.library); }))
      each_constants(file,
                     [&](const binary::Bytes& constants) { add_names(constants, one.name, facts.opened); });
}

binary::Reading<bool> read_symbols(const binary::Bytes& file, bool of_torch, ElfFacts& facts,
                                   binary::CudaRuntimeExports& runtime) {
  DriverExports driver;
  auto read = binary::each_dynamic_symbol(file, [&](const binary::DynamicSymbol& symbol) {
    facts.cuda.add(symbol);
    if (!symbol.is_defined) {
      driver.imports |= !symbol.is_weak;
      if (!symbol.is_weak && is_of_torch(symbol.name))
        facts.torch_needed.emplace_back(symbol.name);
      return true;
    }
    facts.is_module |= symbol.name.starts_with("PyInit_");
    runtime.add(symbol.name);
    driver.add(symbol.name);
    if (of_torch && is_of_torch(symbol.name))
      facts.torch_defined.emplace_back(symbol.name);
    return true;
  });
  // A stub calls nothing; what passes the calls on does.
  facts.is_driver = driver.complete() && (!driver.imports || has_constant(file, driver_text));
  std::sort(facts.torch_needed.begin(), facts.torch_needed.end());
  std::sort(facts.torch_defined.begin(), facts.torch_defined.end());
  return read;
}

bool holds(const binary::SectionTable& sections, const binary::ObjectSection& section,
           std::string_view text) {
  const auto content =
      section.type == binary::ObjectSection::no_bits ? std::nullopt : sections.content(section);
  return content && content->holds(text).value_or(false);
}

/// Constants of libraries that are linked in, and names in the symbol table.
void read_content(const binary::Bytes& file, ElfFacts& facts) {
  const auto sections = binary::SectionTable::open(file, binary::ElfKinds::any);
  if (!sections || !*sections)
    return;
  static_cast<void>((*sections)->each([&](const binary::ObjectSection& section) {
    const auto name = (*sections)->name_bytes(section);
    if (!name)
      return true;
    const bool is_constants = name->starts_with(".rodata"), is_names = *name == ".strtab";
    if (is_constants && !facts.has_static_runtime)
      facts.has_static_runtime = holds(**sections, section, binary::cuda_runtime_text);
    if (is_names)
      facts.has_temporary_names = holds(**sections, section, "tmpxft_");
    return true;
  }));
}

} // namespace

Result<std::optional<ElfFacts>> read_elf_facts(const binary::Bytes& file, std::string_view file_name,
                                               Depth depth) {
  constexpr std::string_view magic = "\x7f"
                                     "ELF";
  if (file.up_to(0, magic.size()) != magic)
    return std::optional<ElfFacts>();
  auto image = binary::read_image(ByteSourceOf(file));
  if (!image)
    return tl::unexpected(image.error());
  if (!*image)
    return std::optional<ElfFacts>();
  ElfFacts facts;
  facts.image = **std::move(image);
  binary::CudaRuntimeExports runtime;
  if (auto read = read_symbols(file, is_library_of_torch(file_name), facts, runtime); !read)
    return failure(read.error().what);
  else
    facts.hides_symbols = !*read;
  facts.cuda_runtime = binary::shared_cuda_runtime(facts.image, file_name);
  if (facts.cuda_runtime.empty() && runtime.complete() && has_constant(file, binary::cuda_runtime_text))
    facts.cuda_runtime = "libcudart"; // of an unknown release
  read_opened(file, facts);
  if (depth == Depth::linking)
    return std::optional(std::move(facts));
  read_content(file, facts);
  facts.has_static_runtime = facts.has_static_runtime && facts.cuda_runtime.empty();
  const auto carrier = fatbin::read_device_code(file, facts.device_code);
  if (!carrier)
    return failure(carrier.error().what);
  facts.carrier = *carrier;
  return std::optional(std::move(facts));
}

bool is_library_of_torch(std::string_view file_name) {
  return file_name.starts_with("libtorch") || file_name.starts_with("libc10");
}

} // namespace hostpin::wheel
