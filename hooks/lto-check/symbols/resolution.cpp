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

class Resolver {
public:
  explicit Resolver(const Resolving& how) : how_(how) {}

  Resolution run(const std::vector<LinkFile>& files, const std::vector<std::string>& wanted) {
    for (const std::string& name : wanted)
      undefined_.insert(name);
    std::vector<Source> sources;
    sources.reserve(files.size());
    for (const LinkFile& file : files)
      open(sources, file);
    if (how_.order == Order::together) {
      pass(sources, 0, sources.size());
      return std::move(result_);
    }
    for (std::size_t begin = 0, end = 0; begin < sources.size(); begin = end) {
      for (end = begin + 1;
           end < sources.size() && sources[begin].group != 0 && sources[end].group == sources[begin].group;)
        ++end;
      pass(sources, begin, end);
    }
    return std::move(result_);
  }

private:
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
    const auto symbols = symbols_of(source.archive->bytes(member));
    if (!symbols) {
      result_.complete = false;
      return false;
    }
    if (std::find(symbols->defined.begin(), symbols->defined.end(), name) != symbols->defined.end())
      return true;
    if (how_.commons == Commons::read && symbols->bytecode)
      tell(source, member);
    return false;
  }

  bool pull(Source& source, std::size_t member) {
    if (!source.archive->mark(member))
      return false;
    tell(source, member);
    take(symbols_of(source.archive->bytes(member)));
    return true;
  }

  void tell(const Source& source, std::size_t member) {
    result_.pulled.emplace(source.path, source.archive->name(member));
    const std::string_view all = source.bytes->view();
    const std::string_view part = source.archive->bytes(member);
    // Pointers of other objects have no order but that of std::less.
    const std::less<const char*> before;
    if (!before(part.data(), all.data()) && before(part.data(), all.data() + all.size()))
      result_.places.emplace(source.path, static_cast<std::uint64_t>(part.data() - all.data()));
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
      if (!defined_.contains(name) && !common_.contains(name))
        undefined_.insert(name);
  }

  Resolving how_;
  Resolution result_;
  std::unordered_set<std::string, NameHash, std::equal_to<>> defined_;
  Names common_, undefined_;
};

} // namespace

Resolution resolve(const std::vector<LinkFile>& files, const std::vector<std::string>& wanted,
                   const Resolving& how) {
  return Resolver(how).run(files, wanted);
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
