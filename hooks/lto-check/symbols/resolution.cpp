// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/resolution.hpp"

#include "hooks/lto-check/symbols/archive.hpp"
#include "hooks/lto-check/symbols/global_symbols.hpp"
#include "hooks/lto-check/symbols/symbols.hpp"
#include "toolchains/binary/blob.hpp"

#include <algorithm>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace hostpin::lto {

namespace {

/// What a member really defines.
struct MemberSymbols {
  bool bytecode = false;
  Names defined;
};

/// An archive stays mapped, because its pages are needed again; of thousands of objects one at a time is.
struct Source {
  std::string path;
  bool whole = false;
  bool lazy = false; ///< an object after --start-lib, taken only if needed
  bool read = false; ///< the `definitions` of such an object were read
  std::size_t group = 0;
  Names definitions{};
  std::unique_ptr<SymbolArchive> archive{}; ///< nothing for an object or library
  std::vector<std::string> wanted{}; ///< symbols that a script asks for; the source has no other content
  std::unordered_map<std::size_t, MemberSymbols> compared{}; ///< members whose index does not distinguish
};

void add(const std::string& path, const SymbolArchive& archive, std::size_t member, Resolution& resolution) {
  if (const auto place = archive.place(member))
    resolution.places[path].insert(*place);
  else
    resolution.names[path].insert(archive.name(member));
}

class Resolver {
public:
  Resolver(const Resolving& how, MemoryBound& bound) : how_(how), bound_(bound), symbols_(how, bound) {}

  Resolution run(const std::vector<LinkFile>& files, const std::vector<std::string>& wanted) {
    for (const std::string& name : wanted)
      symbols_.seek(name);
    go_through(files);
    result_.missing = symbols_.undefined();
    return std::move(result_);
  }

private:
  void go_through(const std::vector<LinkFile>& files) {
    std::vector<Source> sources;
    sources.reserve(files.size());
    for (const LinkFile& file : files)
      open(sources, file);
    if (how_.order == Order::together) {
      pass(sources, 0, sources.size());
    } else {
      for (std::size_t begin = 0, end = 0; begin < sources.size(); begin = end) {
        for (end = begin + 1;
             end < sources.size() && sources[begin].group != 0 && sources[end].group == sources[begin].group;)
          ++end;
        pass(sources, begin, end);
      }
    }
    for (const Source& source : sources)
      if (source.archive) {
        result_.readings += source.archive->readings();
        result_.complete = result_.complete && source.archive->is_complete();
      }
  }

  void open(std::vector<Source>& sources, const LinkFile& file) {
    if (!file.wanted.empty() || file.doubtful) {
      Source script{file.path};
      script.wanted = file.wanted;
      script.group = file.group;
      if (file.early || how_.order == Order::together)
        ask_for(script);
      else
        sources.push_back(std::move(script));
      return;
    }
    binary::MappedFile bytes = binary::MappedFile::or_empty(file.path);
    Source source{file.path, file.whole_archive, file.lazy, false, file.group};
    const bool is_archive = is_symbol_archive(bytes.bytes());
    const bool is_empty = bytes.bytes().empty();
    if (is_archive)
      source.archive = SymbolArchive::open(source.path, std::move(bytes), how_.index, bound_);
    if (is_empty || (is_archive && !source.archive))
      result_.complete = false;
    else
      sources.push_back(std::move(source));
  }

  /// Processes inputs from `begin` to `end` until nothing more is pulled.
  void pass(std::vector<Source>& sources, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (!sources[i].wanted.empty())
        ask_for(sources[i]);
      else if (!sources[i].archive && !sources[i].lazy)
        take(sources[i].path);
      else if (sources[i].archive && sources[i].whole)
        take_whole(sources[i]);
    for (bool more = true; more;) {
      more = false;
      for (std::size_t i = begin; i < end; ++i)
        if (sources[i].archive && !sources[i].whole)
          more = search(sources[i]) || more;
        else if (!sources[i].archive && sources[i].lazy)
          more = take_if_wanted(sources[i]) || more;
    }
  }

  void ask_for(const Source& script) {
    if (how_.scripts)
      for (const std::string& name : script.wanted)
        symbols_.want(name, false);
  }

  /// Takes a lazy object if one of its symbols is wanted.
  bool take_if_wanted(Source& source) {
    if (!std::exchange(source.read, true) && !read_definitions(source)) {
      source.lazy = false;
      result_.complete = false;
      return true;
    }
    if (std::ranges::none_of(source.definitions,
                             [&](const std::string& name) { return symbols_.is_wanted(name); }))
      return false;
    source.lazy = false;
    source.definitions.clear();
    result_.names[source.path].insert("");
    take(source.path);
    return true;
  }

  bool read_definitions(Source& source) {
    ++result_.readings;
    bound_.reading(source.path);
    const binary::MappedFile file = binary::MappedFile::or_empty(source.path);
    return each_symbol(file.bytes(), [&](const Symbol& symbol) {
      if (symbol.kind == Symbol::Kind::defined && bound_.take_symbol(symbol.name))
        source.definitions.emplace(symbol.name);
    });
  }

  void take_whole(Source& source) {
    for (std::size_t member = 0; member < source.archive->members(); ++member)
      pull(source, member);
  }

  bool search(Source& source) {
    const bool by_commons = how_.commons != Commons::unchanged;
    const auto is_wanted = [&](std::string_view name) {
      return symbols_.is_wanted(name) || (by_commons && symbols_.is_common(name));
    };
    bool found = false;
    for (bool more = true; more;) {
      more = false;
      source.archive->each_definition(is_wanted, [&](const Definition& one) {
        if ((symbols_.is_wanted(one.name) || replaces(source, one)) && pull(source, one.member))
          found = more = true;
      });
    }
    return found;
  }

  /// Whether a member really defines a symbol that is only common so far.
  bool replaces(Source& source, const Definition& one) {
    const SymbolArchive& archive = *source.archive;
    bool real = one.kind == Definition::Kind::real;
    bool bytecode = archive.is_bytecode(one.member);
    if (one.kind == Definition::Kind::unknown) {
      const MemberSymbols& member = compared(source, one.member);
      real = member.defined.contains(one.name);
      bytecode = member.bytecode;
    }
    if (!real && bytecode && how_.commons == Commons::read)
      add(source.path, archive, one.member, result_);
    return real;
  }

  /// What a member really defines: read once for any number of symbols.
  const MemberSymbols& compared(Source& source, std::size_t member) {
    const auto [found, fresh] = source.compared.try_emplace(member);
    MemberSymbols& symbols = found->second;
    bound_.reading(source.path);
    if (fresh && !source.archive->each_symbol_of(member, [&](const Symbol& symbol) {
          symbols.bytecode = symbols.bytecode || symbol.bytecode;
          if (symbol.kind == Symbol::Kind::defined && bound_.take_symbol(symbol.name))
            symbols.defined.emplace(symbol.name);
        }))
      result_.complete = false;
    return symbols;
  }

  bool pull(Source& source, std::size_t member) {
    if (!source.archive->mark(member))
      return false;
    add(source.path, *source.archive, member, result_);
    bound_.reading(source.path);
    if (!source.archive->each_symbol_of(member, [&](const Symbol& symbol) { symbols_.take(symbol); }))
      result_.complete = false;
    return true;
  }

  void take(const std::string& path) {
    ++result_.readings;
    bound_.reading(path);
    const binary::MappedFile file = binary::MappedFile::or_empty(path);
    if (!each_symbol(file.bytes(), [&](const Symbol& symbol) { symbols_.take(symbol); }))
      result_.complete = false;
  }

  Resolving how_;
  Resolution result_;
  MemoryBound& bound_;
  GlobalSymbols symbols_;
};

} // namespace

bool Resolution::takes(const std::string& path, std::uint64_t place) const {
  const auto found = places.find(path);
  return found != places.end() && found->second.contains(place);
}

bool Resolution::takes(const std::string& path, const std::string& name) const {
  const auto found = names.find(path);
  return found != names.end() && found->second.contains(name);
}

std::size_t Resolution::taken() const {
  std::size_t count = 0;
  for (const auto& [path, taken] : places)
    count += taken.size();
  for (const auto& [path, taken] : names)
    count += taken.size();
  return count;
}

Resolution resolve(const std::vector<LinkFile>& files, const std::vector<std::string>& wanted,
                   const Resolving& how, MemoryBound& bound) {
  return Resolver(how, bound).run(files, wanted);
}

Resolution members_that_define(const std::string& archive, const Names& symbols, MemoryBound& bound) {
  Resolution found;
  binary::MappedFile file = binary::MappedFile::or_empty(archive);
  const auto opened = is_symbol_archive(file.bytes())
                          ? SymbolArchive::open(archive, std::move(file), Index::members, bound)
                          : nullptr;
  if (!opened)
    return found;
  opened->each_definition([&](std::string_view name) { return symbols.contains(name); },
                          [&](const Definition& one) { add(archive, *opened, one.member, found); });
  found.readings = opened->readings();
  return found;
}

bool lacks_symbols(const std::string& archive) {
  binary::MappedFile file = binary::MappedFile::or_empty(archive);
  if (!is_symbol_archive(file.bytes()))
    return false;
  MemoryBound bound; // for no symbols
  const auto opened = SymbolArchive::open(archive, std::move(file), Index::own, bound);
  return opened && opened->lacks_symbols();
}

bool has_no_index(const std::string& archive) {
  return lacks_index(binary::MappedFile::or_empty(archive).bytes());
}

} // namespace hostpin::lto
