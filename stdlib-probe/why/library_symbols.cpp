// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/library_symbols.hpp"

#include "toolchains/binary/elf.hpp"

#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

namespace hostpin {

namespace {

constexpr std::size_t largest_library = std::size_t{256} << 20;

std::string reason(llvm::Error error) {
  return llvm::toString(std::move(error));
}

Result<LibrarySymbols> symbols_of(const llvm::object::ELFObjectFileBase& object) {
  auto versions = object.readDynsymVersions();
  if (!versions)
    return failure("its symbol versions cannot be read: " + reason(versions.takeError()));
  LibrarySymbols symbols;
  std::size_t index = 0;
  for (const llvm::object::ELFSymbolRef symbol : object.getDynamicSymbolIterators()) {
    if (index >= versions->size())
      break;
    const llvm::object::VersionEntry& version = (*versions)[index++];
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      return failure("a symbol cannot be read" + (name ? std::string() : ": " + reason(name.takeError())));
    }
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) != 0 || !is_libstdcxx_version(version.Name))
      continue;
    symbols.defined.insert(name->str() + '@' + version.Name);
    if (version.IsVerDef) // the default version, printed with `@@`
      symbols.linked.emplace(name->str(), version.Name);
  }
  return symbols;
}

} // namespace

bool is_libstdcxx_version(std::string_view version) {
  return version.starts_with("GLIBCXX_") || version.starts_with("CXXABI_");
}

Result<LibrarySymbols> library_symbols(const Files& files, const std::string& path) {
  const auto bytes = files.read(path, largest_library);
  if (!bytes)
    return failure(bytes.error().message, "name a libstdc++.so.6");
  // The reader of dynamic segments first: it checks every byte, and its errors are readable.
  if (const auto loaded = read_shared_object(*bytes); !loaded)
    return failure(path + " cannot be used: " + loaded.error().message, "name a libstdc++.so.6");
  auto object = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(*bytes, path));
  if (!object)
    return failure(path + " cannot be used: " + reason(object.takeError()), "name a libstdc++.so.6");
  auto symbols = symbols_of(llvm::cast<llvm::object::ELFObjectFileBase>(**object));
  if (!symbols)
    return failure(path + " cannot be used: " + symbols.error().message, "name a libstdc++.so.6");
  if (symbols->linked.empty())
    return failure(path + " is not a libstdc++: it defines no symbol with a GLIBCXX_ or CXXABI_ version",
                   "name a libstdc++.so.6");
  return symbols;
}

} // namespace hostpin
