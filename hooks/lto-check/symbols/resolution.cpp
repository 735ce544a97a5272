// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/resolution.hpp"

#include "hooks/lto-check/symbols/global_symbols.hpp"
#include "hooks/lto-check/symbols/symbols.hpp"
#include "toolchains/binary/blob.hpp"

#include <memory>
#include <utility>

namespace hostpin {

namespace {

/// An archive stays mapped, because its pages are needed again; of thousands of objects one at a time is.
struct Source {
  std::string path;
  bool whole = false;
  bool lazy = false; ///< an object after --start-lib, taken only if needed
  bool read = false; ///< the `definitions` of such an object were read
  std::size_t group = 0;
  Hashes definitions{};
  std::unique_ptr<SymbolArchive> archive{}; ///< nothing for an object or library
  std::vector<std::string> wanted{}; ///< symbols that a script asks for; the source has no other content
};

class Resolver {
public:
  Resolver(const Resolving& how, Allowance& allowance)
      : how_(how), allowance_(allowance), symbols_(how, allowance) {}

  Resolution run(const std::vector<LinkFile>& files, const std::vector<std::string>& wanted) {
    for (const std::string& name : wanted)
      symbols_.seek(name);
    go_through(files);
    result_.exhausted = allowance_.spent();
    result_.missing = symbols_.end();
    for (const Hashes* const ended : {&compared_, &bytecode_, &for_good_})
      allowance_.give_back(ended->size() * Hashes::cost);
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
    for (const Source& source : sources) {
      allowance_.give_back(source.definitions.size() * Hashes::cost);
      if (source.archive) {
        result_.readings += source.archive->readings();
        result_.complete = result_.complete && source.archive->tells();
      }
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
    MappedFile bytes = MappedFile::or_empty(file.path);
    Source source{file.path, file.whole_archive, file.lazy, false, file.group};
    const bool is_archive = is_symbol_archive(bytes.bytes());
    const bool is_empty = bytes.bytes().empty();
    if (is_archive)
      source.archive = SymbolArchive::open(source.path, std::move(bytes), how_.index, allowance_);
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
    for (bool more = true; more && !allowance_.spent();) {
      more = false;
      for (std::size_t i = begin; i < end; ++i)
        if (sources[i].archive && !sources[i].whole)
          more = search(sources[i]) || more;
        else if (!sources[i].archive && sources[i].lazy)
          more = look(sources[i]) || more;
    }
  }

  void ask_for(const Source& script) {
    if (how_.scripts)
      for (const std::string& name : script.wanted)
        symbols_.want(name, false);
  }

  /// Takes a lazy object if one of its symbols is wanted.
  bool look(Source& source) {
    if (!std::exchange(source.read, true) && !read_definitions(source)) {
      source.lazy = false;
      result_.complete = false;
      return true;
    }
    bool wanted = false;
    source.definitions.each([&](std::uint64_t hash) { wanted = wanted || symbols_.is_wanted(hash); });
    if (!wanted)
      return false;
    source.lazy = false;
    allowance_.give_back(source.definitions.size() * Hashes::cost);
    source.definitions = {};
    result_.add(source.path, "");
    take(source.path);
    return true;
  }

  bool read_definitions(Source& source) {
    ++result_.readings;
    const MappedFile file = MappedFile::or_empty(source.path);
    return each_symbol(
        file.bytes(),
        [&](const Symbol& symbol) {
          if (symbol.kind == Symbol::Kind::defined)
            keep(source.definitions, symbol_hash(symbol.name), allowance_);
        },
        [&] { file.forget(); });
  }

  void take_whole(Source& source) {
    constexpr std::size_t members_at_once = 32;
    for (std::size_t member = 0; member < source.archive->members() && !allowance_.spent(); ++member) {
      pull(source, member);
      if (member % members_at_once == 0)
        source.archive->forget();
    }
  }

  bool search(Source& source) {
    const bool by_commons = how_.commons != Commons::kept;
    const auto asked = [&](std::uint64_t hash) {
      return symbols_.is_wanted(hash) || (by_commons && symbols_.is_common(hash));
    };
    bool found = false;
    for (bool more = true; more && !allowance_.spent();) {
      more = false;
      source.archive->each_definition(asked, [&](const Definition& one) {
        if ((symbols_.is_wanted(one.hash) || replaces(source, one)) && pull(source, one.member))
          found = more = true;
      });
      source.archive->forget();
    }
    return found;
  }

  /// Whether a member really defines a symbol that is only common so far.
  bool replaces(Source& source, const Definition& one) {
    const SymbolArchive& archive = *source.archive;
    const std::uint64_t member = mixed(symbol_hash(source.path), one.member);
    bool for_good = one.kind == Definition::Kind::for_good;
    bool bytecode = archive.is_bytecode(one.member);
    if (one.kind == Definition::Kind::untold) {
      if (!compared_.contains(member))
        compare(archive, one.member, member);
      for_good = for_good_.contains(mixed(member, one.hash));
      bytecode = bytecode_.contains(member);
    }
    if (!for_good && bytecode && how_.commons == Commons::read && allowance_.take(Hashes::cost))
      result_.add(source.path, archive, one.member);
    return for_good;
  }

  /// Stores what a member really defines, so that it is read once for any number of symbols.
  void compare(const SymbolArchive& archive, std::size_t number, std::uint64_t member) {
    keep(compared_, member, allowance_);
    const bool told = archive.each_symbol_of(number, [&](const Symbol& symbol) {
      if (symbol.bytecode)
        keep(bytecode_, member, allowance_);
      if (symbol.kind == Symbol::Kind::defined)
        keep(for_good_, mixed(member, symbol_hash(symbol.name)), allowance_);
    });
    result_.complete = result_.complete && told;
  }

  bool pull(Source& source, std::size_t member) {
    if (!source.archive->mark(member))
      return false;
    if (!allowance_.take(Hashes::cost))
      return false;
    result_.add(source.path, *source.archive, member);
    if (!source.archive->each_symbol_of(member, [&](const Symbol& symbol) { symbols_.take(symbol); }))
      result_.complete = false;
    return true;
  }

  void take(const std::string& path) {
    ++result_.readings;
    const MappedFile file = MappedFile::or_empty(path);
    if (!each_symbol(
            file.bytes(), [&](const Symbol& symbol) { symbols_.take(symbol); }, [&] { file.forget(); }))
      result_.complete = false;
  }

  Resolving how_;
  Allowance& allowance_;
  Resolution result_;
  GlobalSymbols symbols_;
  Hashes compared_, bytecode_, for_good_; ///< of members whose index does not distinguish
};

} // namespace

bool Resolution::takes(const std::string& path, std::uint64_t place) const {
  return taken_.contains(mixed(symbol_hash(path), place));
}

bool Resolution::takes(const std::string& path, std::string_view name) const {
  return taken_.contains(mixed(symbol_hash(name), symbol_hash(path)));
}

void Resolution::add(const std::string& path, const SymbolArchive& archive, std::size_t member) {
  if (const auto place = archive.place(member))
    taken_.insert(mixed(symbol_hash(path), *place));
  else
    add(path, archive.name(member));
}

void Resolution::add(const std::string& path, std::string_view name) {
  taken_.insert(mixed(symbol_hash(name), symbol_hash(path)));
}

Resolution resolve(const std::vector<LinkFile>& files, const std::vector<std::string>& wanted,
                   const Resolving& how, Allowance& allowance) {
  return Resolver(how, allowance).run(files, wanted);
}

Resolution members_that_define(const std::string& archive, const Hashes& symbols, Allowance& allowance) {
  Resolution found;
  MappedFile file = MappedFile::or_empty(archive);
  const auto opened = is_symbol_archive(file.bytes())
                          ? SymbolArchive::open(archive, std::move(file), Index::members, allowance)
                          : nullptr;
  found.exhausted = allowance.spent();
  if (!opened)
    return found;
  opened->each_definition([&](std::uint64_t hash) { return symbols.contains(hash); },
                          [&](const Definition& one) {
                            if (allowance.take(Hashes::cost))
                              found.add(archive, *opened, one.member);
                          });
  found.exhausted = allowance.spent();
  found.readings = opened->readings();
  return found;
}

std::optional<bool> lacks_symbols(const std::string& archive, Allowance& allowance) {
  MappedFile file = MappedFile::or_empty(archive);
  if (!is_symbol_archive(file.bytes()))
    return false;
  const auto opened = SymbolArchive::open(archive, std::move(file), Index::own, allowance);
  if (allowance.spent())
    return std::nullopt;
  return opened && opened->lacks_symbols();
}

bool has_no_index(const std::string& archive) {
  return lacks_index(MappedFile::or_empty(archive).bytes());
}

} // namespace hostpin
