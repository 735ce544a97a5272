// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/limit.hpp"

#include "toolchains/binary/elf.hpp"

#include <algorithm>
#include <array>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <string_view>
#include <tuple>

namespace hostpin::probe {

namespace {

constexpr auto prefixes = std::to_array<std::string_view>({"GLIBCXX_", "CXXABI_"});

/// The highest version with the prefix that releases up to the given one introduced.
std::optional<Version> highest_until(std::span<const SymbolRelease> releases, std::string_view prefix) {
  std::optional<Version> highest;
  for (const SymbolRelease& release : releases)
    for (const std::string& name : release.versions)
      if (const auto parts = version_parts(name); parts && parts->first == prefix)
        highest = highest ? std::max(*highest, parts->second) : parts->second;
  return highest;
}

/// The number of table rows up to the one with that version.
std::size_t rows_until(const std::vector<SymbolRelease>& releases, std::string_view prefix, Version version) {
  std::size_t rows = 0;
  for (std::size_t i = 0; i < releases.size(); ++i)
    for (const std::string& name : releases[i].versions)
      if (const auto parts = version_parts(name); parts && parts->first == prefix && parts->second <= version)
        rows = i + 1;
  return rows;
}

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

std::optional<std::pair<std::string, Version>> version_parts(const std::string& name) {
  for (const std::string_view prefix : prefixes)
    if (name.starts_with(prefix))
      if (const auto version = parse_version(std::string_view(name).substr(prefix.size())))
        return std::pair(std::string(prefix), *version);
  return std::nullopt;
}

bool newer(const std::string& a, const std::string& b) {
  const auto key = [](const std::string& name) {
    const auto parts = version_parts(name);
    const int rank = !parts ? 2 : (parts->first == prefixes[0] ? 0 : 1);
    return std::tuple(-rank, parts ? parts->second : Version{}, name);
  };
  return key(a) > key(b);
}

Standing standing(const Limit& limit, const std::string& symbol, const std::string& version) {
  if (limit.library)
    return limit.library->defined.contains(symbol + '@' + version) ? Standing::within : Standing::above;
  const auto parts = version_parts(version);
  const auto highest = parts ? limit.highest.find(parts->first) : limit.highest.end();
  if (highest == limit.highest.end())
    return Standing::not_comparable;
  return parts->second <= highest->second ? Standing::within : Standing::above;
}

Limit no_limit() {
  Limit limit;
  limit.highest["GLIBCXX_"] = Version{3, 4, 0};
  limit.highest["CXXABI_"] = Version{1, 3, 0};
  return limit;
}

Result<Limit> limit_of(std::span<const std::string> names, const std::vector<SymbolRelease>& releases) {
  Limit limit;
  for (const std::string& name : names) {
    const auto parts = version_parts(name);
    if (!parts)
      return failure("'" + name + "' is not a version of libstdc++",
                     "write it as GLIBCXX_3.4.30 or CXXABI_1.3.13");
    if (!limit.highest.emplace(parts->first, parts->second).second)
      return failure("--max names two " + parts->first + " versions", "give one of each kind at most");
  }
  for (const std::string_view missing : prefixes) {
    if (limit.highest.contains(missing) || limit.highest.empty())
      continue;
    const auto& [prefix, version] = *limit.highest.begin();
    const std::span<const SymbolRelease> rows(releases.data(), rows_until(releases, prefix, version));
    const auto first = no_limit().highest.find(missing)->second;
    limit.highest.emplace(missing, highest_until(rows, missing).value_or(first));
    break;
  }
  return limit;
}

bool is_libstdcxx_version(std::string_view version) {
  return version.starts_with("GLIBCXX_") || version.starts_with("CXXABI_");
}

Result<LibrarySymbols> library_symbols(const Files& files, const std::string& path) {
  const auto bytes = files.read(path, largest_library);
  if (!bytes)
    return failure(bytes.error().message, "name a libstdc++.so.6");
  // The reader of dynamic segments first: it checks every byte, and its errors are readable.
  if (const auto loaded = binary::read_shared_object(*bytes); !loaded)
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

} // namespace hostpin::probe
