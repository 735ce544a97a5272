// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/archive.hpp"

#include "hooks/lto-check/symbols/symbols.hpp"

#include <algorithm>
#include <llvm/Object/Archive.h>
#include <map>
#include <unordered_set>

namespace hostpin {

namespace {

template <typename T>
std::optional<T> value_of(llvm::Expected<T> expected) {
  if (expected)
    return std::move(*expected);
  llvm::consumeError(expected.takeError());
  return std::nullopt;
}

} // namespace

// A look at a member's header brings in the pages around it; so many may stay before they are given back.
constexpr std::size_t members_at_once = 32;
constexpr std::size_t symbols_at_once = 16384;

using Pairs = std::vector<std::pair<std::string_view, std::size_t>>;

struct SymbolArchive::Members {
  struct Member {
    std::string name;
    std::string_view bytes;
    bool taken = false;
  };
  std::unique_ptr<llvm::object::Archive> archive; ///< also keeps the files of a thin archive's members
  std::vector<Member> list;
  Pairs index;

  /// What the members define; of all that is read for it only the names are kept in memory.
  Pairs defined(const MappedInput& file) {
    Pairs pairs;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (const auto symbols = symbols_of(list[i].bytes))
        for (const auto* const some : {&symbols->defined, &symbols->common})
          for (const std::string& name : *some)
            pairs.emplace_back(*names.insert(name).first, i);
      if (i % members_at_once == 0)
        file.forget();
    }
    return pairs;
  }
  std::unordered_set<std::string> names; ///< objects of one archive repeat each other's names
};

namespace {

/// Nothing when it is damaged; empty when there is none.
std::optional<Pairs> own_index(const llvm::object::Archive& archive, const MappedInput& file,
                               const std::map<std::uint64_t, std::size_t>& by_offset) {
  Pairs pairs;
  if (!archive.hasSymbolTable())
    return pairs;
  for (const auto& symbol : archive.symbols()) {
    const auto child = value_of(symbol.getMember());
    const auto found = child ? by_offset.find(child->getChildOffset()) : by_offset.end();
    if (found == by_offset.end())
      return std::nullopt;
    pairs.emplace_back(std::string_view(symbol.getName()), found->second);
    if (pairs.size() % symbols_at_once == 0)
      file.forget();
  }
  return pairs;
}

} // namespace

bool is_symbol_archive(std::string_view bytes) {
  return bytes.starts_with("!<arch>\n") || bytes.starts_with("!<thin>\n");
}

SymbolArchive::SymbolArchive(std::unique_ptr<Members> members) : members_(std::move(members)) {}
SymbolArchive::~SymbolArchive() = default;

std::unique_ptr<SymbolArchive> SymbolArchive::open(const std::string& path, const MappedInput& file,
                                                   Index index) {
  const std::string_view bytes = file.view();
  auto members = std::make_unique<Members>();
  auto archive = value_of(llvm::object::Archive::create(
      llvm::MemoryBufferRef(llvm::StringRef(bytes.data(), bytes.size()), path)));
  if (!archive)
    return nullptr;
  members->archive = std::move(*archive);
  std::map<std::uint64_t, std::size_t> by_offset;
  llvm::Error error = llvm::Error::success();
  bool damaged = false;
  for (const auto& child : members->archive->children(error)) {
    const auto name = value_of(child.getName());
    const auto content = value_of(child.getMemoryBufferRef());
    if (!name || !content) {
      damaged = true;
      break;
    }
    by_offset[child.getChildOffset()] = members->list.size();
    if (members->list.size() % members_at_once == 0)
      file.forget();
    members->list.push_back({name->str(), {content->getBufferStart(), content->getBufferSize()}, false});
  }
  if (error) {
    llvm::consumeError(std::move(error));
    damaged = true;
  }
  if (damaged)
    return nullptr;
  if (index == Index::members) {
    members->index = members->defined(file);
  } else {
    auto own = own_index(*members->archive, file, by_offset);
    if (!own)
      return nullptr;
    members->index = *std::move(own);
  }
  return std::unique_ptr<SymbolArchive>(new SymbolArchive(std::move(members)));
}

const std::vector<std::pair<std::string_view, std::size_t>>& SymbolArchive::index() const {
  return members_->index;
}

void SymbolArchive::each(const std::function<void(std::size_t member)>& visit) const {
  for (std::size_t i = 0; i < members_->list.size(); ++i)
    visit(i);
}

std::string SymbolArchive::name(std::size_t member) const {
  return members_->list[member].name;
}

std::string_view SymbolArchive::bytes(std::size_t member) const {
  return members_->list[member].bytes;
}

bool SymbolArchive::mark(std::size_t member) {
  return !std::exchange(members_->list[member].taken, true);
}

bool SymbolArchive::lacks_symbols() const {
  // What every slim object of GCC has says nothing of its code.
  constexpr std::string_view mark = "__gnu_lto_slim";
  std::vector<bool> named(members_->list.size());
  for (const auto& [name, member] : members_->index)
    if (name != mark)
      named[member] = true;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const auto symbols = named[i] ? std::nullopt : symbols_of(members_->list[i].bytes);
    const auto tells = [&](const std::vector<std::string>& names) {
      return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return name != mark; });
    };
    if (symbols && (tells(symbols->defined) || tells(symbols->common)))
      return true;
  }
  return false;
}

} // namespace hostpin
