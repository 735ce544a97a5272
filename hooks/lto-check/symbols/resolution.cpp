// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/resolution.hpp"

#include "hooks/lto-check/symbols/archive.hpp"
#include "hooks/lto-check/symbols/mapped.hpp"
#include "hooks/lto-check/symbols/symbols.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>

namespace hostpin {

namespace {

/// So that a name is looked up without being copied.
struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const { return symbol_hash(name); }
};

/// Names that can be asked for by their hash.
class Names {
public:
  bool contains(std::string_view name) const { return names_.contains(name); }
  bool contains_hash(std::size_t hash) const { return hashes_.contains(hash); }
  void insert(const std::string& name) {
    if (names_.insert(name).second)
      hashes_.insert(symbol_hash(name));
  }
  template <typename Each>
  void each(const Each& one) const {
    std::for_each(names_.begin(), names_.end(), one);
  }
  void erase(const std::string& name) {
    if (names_.erase(name) > 0)
      hashes_.erase(hashes_.find(symbol_hash(name)));
  }

private:
  std::unordered_set<std::string, NameHash, std::equal_to<>> names_;
  std::unordered_multiset<std::size_t> hashes_;
};

/// An archive stays mapped, in pages that are wanted again; of thousands of objects one at a time is.
struct Source {
  std::string path;
  bool whole = false;
  bool lazy = false;              ///< an object that waits to be wanted
  std::optional<Symbols> symbols; ///< of one that waits, once they were read
  std::size_t group = 0;
  std::optional<MappedInput> bytes;                       ///< of an archive
  std::unique_ptr<SymbolArchive> archive;                 ///< nothing for an object or library
  std::set<std::pair<std::size_t, std::size_t>> compared; ///< members, and hashes of common symbols sought
};

void tell(Resolution& result, const std::string& path, const SymbolArchive& archive, std::size_t member) {
  result.pulled.emplace(path, archive.name(member));
  if (const auto place = archive.place(member))
    result.places.emplace(path, *place);
}

class Resolver {
public:
  explicit Resolver(const Resolving& how)
      : how_(how), defined_(how.defined.begin(), how.defined.end()),
        wraps_(how.wraps.begin(), how.wraps.end()) {}

  Resolution run(const std::vector<LinkFile>& files, const std::vector<std::string>& wanted) {
    for (const std::string& name : wanted)
      if (!defined_.contains(name))
        undefined_.insert(name);
    go_through(files);
    undefined_.each([&](const std::string& name) { result_.missing.insert(name); });
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
      return;
    }
    for (std::size_t begin = 0, end = 0; begin < sources.size(); begin = end) {
      for (end = begin + 1;
           end < sources.size() && sources[begin].group != 0 && sources[end].group == sources[begin].group;)
        ++end;
      pass(sources, begin, end);
    }
  }

  void open(std::vector<Source>& sources, const LinkFile& file) {
    if (!file.wanted.empty())
      return; // a script
    MappedInput bytes(file.path);
    Source source;
    source.path = file.path;
    source.whole = file.whole_archive;
    source.lazy = file.lazy;
    source.group = file.group;
    const bool is_archive = is_symbol_archive(bytes.view());
    if (is_archive)
      source.archive = SymbolArchive::open(source.path, bytes, how_.index);
    if (bytes.view().empty() || (is_archive && !source.archive)) {
      result_.complete = false;
      return;
    }
    if (is_archive) {
      bytes.forget();
      source.bytes.emplace(std::move(bytes));
    }
    sources.push_back(std::move(source));
  }

  /// Inputs from `begin` to `end`, again and again until nothing more is pulled.
  void pass(std::vector<Source>& sources, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (!sources[i].archive && !sources[i].lazy)
        take(symbols_of(MappedInput(sources[i].path).view()));
      else if (sources[i].archive && sources[i].whole)
        take_whole(sources[i]);
    for (bool more = true; more;) {
      more = false;
      for (std::size_t i = begin; i < end; ++i)
        if (sources[i].archive && !sources[i].whole)
          more = search(sources[i]) || more;
        else if (!sources[i].archive && sources[i].lazy)
          more = look(sources[i]) || more;
    }
  }

  /// Takes an object that waits if something of it is wanted; then it waits no more.
  bool look(Source& source) {
    if (!source.symbols)
      source.symbols = symbols_of(MappedInput(source.path).view());
    const auto is_wanted = [&](const std::string& name) { return undefined_.contains(name); };
    const bool wanted = source.symbols && std::any_of(source.symbols->defined.begin(),
                                                      source.symbols->defined.end(), is_wanted);
    if (source.symbols && !wanted)
      return false;
    source.lazy = false;
    if (wanted)
      result_.pulled.emplace(source.path, "");
    take(source.symbols);
    source.symbols.reset();
    return true;
  }

  void take_whole(Source& source) {
    constexpr std::size_t members_at_once = 32;
    for (std::size_t member = 0; member < source.archive->members(); ++member) {
      pull(source, member);
      if (member % members_at_once == 0)
        source.bytes->forget();
    }
  }

  bool search(Source& source) {
    const bool by_commons = how_.commons != Commons::kept;
    const auto asked = [&](std::size_t hash) {
      return undefined_.contains_hash(hash) || (by_commons && common_.contains_hash(hash));
    };
    bool found = false;
    for (bool more = true; more;) {
      more = false;
      source.archive->each_symbol(*source.bytes, asked, [&](std::string_view name, std::size_t member) {
        const bool wanted = undefined_.contains(name) ||
                            (by_commons && common_.contains(name) && replaces(source, member, name));
        if (wanted && pull(source, member))
          found = more = true;
      });
      source.bytes->forget();
    }
    return found;
  }

  /// Whether a member has for good what is only common so far.
  bool replaces(Source& source, std::size_t member, std::string_view name) {
    if (!source.compared.emplace(member, symbol_hash(name)).second)
      return false;
    const auto symbols = symbols_of(source.archive->bytes(member).view());
    if (!symbols) {
      result_.complete = false;
      return false;
    }
    if (std::find(symbols->defined.begin(), symbols->defined.end(), name) != symbols->defined.end())
      return true;
    if (how_.commons == Commons::read && symbols->bytecode)
      tell(result_, source.path, *source.archive, member);
    return false;
  }

  bool pull(Source& source, std::size_t member) {
    if (!source.archive->mark(member))
      return false;
    tell(result_, source.path, *source.archive, member);
    take(symbols_of(source.archive->bytes(member).view()));
    return true;
  }

  void take(const std::optional<Symbols>& symbols) {
    if (!symbols) {
      result_.complete = false;
      return;
    }
    for (const std::string& name : symbols->defined) {
      undefined_.erase(name);
      common_.erase(name);
      defined_.insert(name);
    }
    for (const std::string& name : symbols->common) {
      undefined_.erase(name);
      if (!defined_.contains(name))
        common_.insert(name);
    }
    for (const std::string& name : symbols->undefined)
      want(name, symbols->bytecode);
    if (how_.wrapping == Wrapping::besides && !wraps_.empty())
      for (const auto* const some : {&symbols->defined, &symbols->common, &symbols->undefined})
        for (const std::string& name : *some)
          if (wraps_.contains(name))
            want(std::string(wrapper) + name);
  }

  void want(const std::string& name, bool in_bytecode = false) {
    const std::string meant = wraps_.empty() ? name : renamed(name, in_bytecode);
    if (!defined_.contains(meant) && !common_.contains(meant))
      undefined_.insert(meant);
  }

  std::string renamed(const std::string& name, bool in_bytecode) const {
    if (in_bytecode && how_.wrapping == Wrapping::machine_code)
      return name;
    if (name.starts_with(original) && wraps_.contains(name.substr(original.size())))
      return name.substr(original.size());
    return how_.wrapping != Wrapping::besides && wraps_.contains(name) ? std::string(wrapper) + name : name;
  }

  static constexpr std::string_view wrapper = "__wrap_", original = "__real_";
  Resolving how_;
  Resolution result_;
  std::unordered_set<std::string, NameHash, std::equal_to<>> defined_, wraps_;
  Names common_, undefined_;
};

} // namespace

Resolution resolve(const std::vector<LinkFile>& files, const std::vector<std::string>& wanted,
                   const Resolving& how) {
  return Resolver(how).run(files, wanted);
}

Resolution members_that_define(const std::string& archive,
                               const std::set<std::string, std::less<>>& symbols) {
  Resolution found;
  const MappedInput file(archive);
  const auto opened =
      is_symbol_archive(file.view()) ? SymbolArchive::open(archive, file, Index::members) : nullptr;
  if (!opened)
    return found;
  std::unordered_set<std::size_t> hashes;
  for (const std::string& name : symbols)
    hashes.insert(symbol_hash(name));
  opened->each_symbol(
      file, [&](std::size_t hash) { return hashes.contains(hash); },
      [&](std::string_view name, std::size_t member) {
        if (symbols.contains(name))
          tell(found, archive, *opened, member);
      });
  return found;
}

bool lacks_symbols(const std::string& archive) {
  const MappedInput bytes(archive);
  if (!is_symbol_archive(bytes.view()))
    return false;
  const auto opened = SymbolArchive::open(archive, bytes, Index::own);
  return opened && opened->lacks_symbols(bytes);
}

bool has_no_index(const std::string& archive) {
  return lacks_index(MappedInput(archive).view());
}

} // namespace hostpin
