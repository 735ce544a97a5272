// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/archive.hpp"

#include "hooks/lto-check/symbols/symbols.hpp"

#include <algorithm>
#include <filesystem>
#include <llvm/Object/Archive.h>
#include <system_error>
#include <utility>
#include <vector>

namespace hostpin {

namespace {

template <typename T>
std::optional<T> value_of(llvm::Expected<T> expected) {
  if (expected)
    return std::move(*expected);
  llvm::consumeError(expected.takeError());
  return std::nullopt;
}

using llvm::object::Archive;

// A look at a member's header brings in the pages around it; so many may stay before they are given back.
constexpr std::size_t members_at_once = 32;
constexpr std::size_t symbols_at_once = 1024; // each may lead to a member in a page of its own

} // namespace

std::size_t symbol_hash(std::string_view name) {
  return std::hash<std::string_view>()(name);
}

struct SymbolArchive::Members {
  struct Definition {
    std::size_t hash, member;
  };
  std::string own_path; ///< LLVM refers to it: members of a thin archive are beside it
  std::unique_ptr<Archive> archive;
  std::vector<std::uint64_t> starts; ///< of the members' headers, ascending
  std::vector<bool> taken;
  bool by_members = false;
  std::vector<Definition> defined; ///< what the members define, if that is what counts; no names, for they
                                   ///< can be longer than all else

  /// Nothing when the header cannot be read.
  std::optional<Archive::Child> child(std::size_t member) const {
    llvm::Error error = llvm::Error::success();
    Archive::Child child(archive.get(), archive->getData().data() + starts[member], &error);
    if (!error)
      return child;
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }

  MemberBytes bytes(std::size_t member) const {
    const auto found = child(member);
    if (!found)
      return MemberBytes();
    if (archive->isThin()) { // LLVM would keep each file that it has read
      const auto path = value_of(found->getFullName());
      return path ? MemberBytes(MappedInput(*path)) : MemberBytes();
    }
    const auto content = value_of(found->getBuffer());
    return MemberBytes(content ? std::string_view(content->data(), content->size()) : std::string_view());
  }

  /// What later calls rest on: its name, and its content, at least by the look of it.
  bool is_sound(const Archive::Child& child) const {
    if (!value_of(child.getName()))
      return false;
    if (!archive->isThin())
      return value_of(child.getBuffer()).has_value();
    const auto path = value_of(child.getFullName());
    std::error_code failed;
    return path && std::filesystem::is_regular_file(*path, failed);
  }

  std::optional<std::size_t> at(std::uint64_t start) const {
    const auto found = std::lower_bound(starts.begin(), starts.end(), start);
    if (found == starts.end() || *found != start)
      return std::nullopt;
    return static_cast<std::size_t>(found - starts.begin());
  }

  /// False when it is damaged.
  bool find_members(const MappedInput& file) {
    llvm::Error error = llvm::Error::success();
    bool fine = true;
    for (const auto& child : archive->children(error)) {
      fine = is_sound(child);
      if (!fine)
        break;
      if (starts.size() % members_at_once == 0)
        file.forget();
      starts.push_back(child.getChildOffset());
    }
    if (error) {
      llvm::consumeError(std::move(error));
      fine = false;
    }
    taken.resize(starts.size());
    return fine;
  }

  void read_members(const MappedInput& file) {
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (const auto symbols = symbols_of(bytes(i).view()))
        for (const auto* const some : {&symbols->defined, &symbols->common})
          for (const std::string& name : *some)
            defined.push_back({symbol_hash(name), i});
      if (i % members_at_once == 0)
        file.forget();
    }
  }

  /// False when it names what is no member.
  bool index_is_sound(const MappedInput& file) const {
    bool sound = true;
    each_own(file, [&](const Archive::Symbol& symbol) { sound = sound && member_of(symbol); });
    return sound;
  }

  std::optional<std::size_t> member_of(const Archive::Symbol& symbol) const {
    const auto child = value_of(symbol.getMember());
    return child ? at(child->getChildOffset()) : std::nullopt;
  }

  /// What the archive's own index says.
  template <typename Visit>
  void each_own(const MappedInput& file, const Visit& visit) const {
    if (!archive->hasSymbolTable())
      return;
    std::size_t count = 0;
    for (const auto& symbol : archive->symbols()) {
      visit(symbol);
      if (++count % symbols_at_once == 0)
        file.forget();
    }
  }
};

bool is_symbol_archive(std::string_view bytes) {
  return bytes.starts_with("!<arch>\n") || bytes.starts_with("!<thin>\n");
}

bool lacks_index(std::string_view archive) {
  constexpr std::size_t magic_size = 8, header_size = 60, name_size = 16;
  if (!is_symbol_archive(archive) || archive.size() < magic_size + header_size)
    return false;
  const std::string_view name = archive.substr(magic_size, name_size);
  // A name of BSD's stands behind the header.
  const std::string_view behind = archive.substr(magic_size + header_size, name_size);
  return !name.starts_with("/ ") && !name.starts_with("/SYM64/ ") && !name.starts_with("__.SYMDEF") &&
         !(name.starts_with("#1/") && behind.starts_with("__.SYMDEF"));
}

SymbolArchive::SymbolArchive(std::unique_ptr<Members> members) : members_(std::move(members)) {}
SymbolArchive::~SymbolArchive() = default;

std::unique_ptr<SymbolArchive> SymbolArchive::open(const std::string& path, const MappedInput& file,
                                                   Index index) {
  const std::string_view bytes = file.view();
  auto members = std::make_unique<Members>();
  members->own_path = path;
  auto archive = value_of(
      Archive::create(llvm::MemoryBufferRef(llvm::StringRef(bytes.data(), bytes.size()), members->own_path)));
  if (!archive)
    return nullptr;
  members->archive = std::move(*archive);
  members->by_members = index == Index::members;
  if (!members->find_members(file))
    return nullptr;
  if (members->by_members)
    members->read_members(file);
  else if (!members->index_is_sound(file))
    return nullptr;
  return std::unique_ptr<SymbolArchive>(new SymbolArchive(std::move(members)));
}

void SymbolArchive::each_symbol(const MappedInput& file, const Asked& asked, const Visit& visit) const {
  if (!members_->by_members) {
    members_->each_own(file, [&](const Archive::Symbol& symbol) {
      const std::string_view name = symbol.getName();
      if (!asked(symbol_hash(name)))
        return;
      if (const auto member = members_->member_of(symbol); member && !members_->taken[*member])
        visit(name, *member);
    });
    return;
  }
  for (const Members::Definition& one : members_->defined) {
    if (members_->taken[one.member] || !asked(one.hash))
      continue;
    const auto symbols = symbols_of(bytes(one.member).view());
    if (!symbols)
      continue;
    for (const auto* const some : {&symbols->defined, &symbols->common})
      for (const std::string& name : *some)
        if (symbol_hash(name) == one.hash)
          visit(name, one.member);
  }
}

std::size_t SymbolArchive::members() const {
  return members_->starts.size();
}

std::string SymbolArchive::name(std::size_t member) const {
  const auto child = members_->child(member);
  const auto name = child ? value_of(child->getName()) : std::nullopt;
  return name ? name->str() : std::string();
}

MemberBytes SymbolArchive::bytes(std::size_t member) const {
  return members_->bytes(member);
}

std::optional<std::uint64_t> SymbolArchive::place(std::size_t member) const {
  const auto child = members_->archive->isThin() ? std::nullopt : members_->child(member);
  return child ? std::optional(child->getDataOffset()) : std::nullopt;
}

bool SymbolArchive::mark(std::size_t member) {
  if (members_->taken[member])
    return false;
  return members_->taken[member] = true;
}

bool SymbolArchive::lacks_symbols(const MappedInput& file) const {
  // What every slim object of GCC has says nothing of its code.
  constexpr std::string_view mark = "__gnu_lto_slim";
  std::vector<bool> named(members());
  members_->each_own(file, [&](const Archive::Symbol& symbol) {
    if (const auto member = members_->member_of(symbol); member && std::string_view(symbol.getName()) != mark)
      named[*member] = true;
  });
  for (std::size_t i = 0; i < named.size(); ++i) {
    const auto symbols = named[i] ? std::nullopt : symbols_of(bytes(i).view());
    const auto tells = [&](const std::vector<std::string>& names) {
      return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return name != mark; });
    };
    if (symbols && (tells(symbols->defined) || tells(symbols->common)))
      return true;
    if (i % members_at_once == 0)
      file.forget();
  }
  return false;
}

} // namespace hostpin
