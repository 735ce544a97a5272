// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/archive.hpp"

#include "hooks/lto-check/symbols/expected.hpp"
#include "toolchains/binary/archive.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <llvm/Object/Archive.h>
#include <system_error>
#include <utility>
#include <vector>

namespace hostpin {

namespace {

using llvm::object::Archive;

// Reading a member's header maps the pages around it; they are released after that many members.
constexpr std::size_t members_at_once = 32;
constexpr std::size_t symbols_at_once = 1024; // each may lead to a member in another page

} // namespace

struct SymbolArchive::Members {
  std::string path;
  MappedFile file;
  Allowance& allowance;
  bool by_members;
  std::unique_ptr<Archive> archive{}; ///< refers to the path: members of a thin archive are relative to it
  std::deque<std::uint64_t> starts{}; ///< of the members' headers, ascending
  std::vector<bool> taken{}, bytecode{};
  /// Hashes of what the members define, if `by_members`: member by member, a 0 after the last of each, with
  /// the last bit set for common symbols. Names could take more memory than all else.
  std::deque<std::uint64_t> defined{};
  std::size_t readings = 0;
  bool tells = true; ///< the symbols of every object that was read are known

  /// Nothing if the header cannot be read.
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
    if (archive->isThin()) { // LLVM would keep each file in memory
      const auto own = value_of(found->getFullName());
      return own ? MemberBytes(MappedFile::or_empty(*own)) : MemberBytes();
    }
    const auto content = value_of(found->getBuffer());
    return MemberBytes(content ? std::string_view(content->data(), content->size()) : std::string_view());
  }

  bool each_symbol_of(std::size_t member, const SymbolVisit& visit) {
    ++readings;
    const MemberBytes content = bytes(member);
    const std::string_view text = content.view();
    const bool told = each_symbol(text, visit, [&] {
      content.forget();
      file.forget();
    });
    const bool is_code = text.starts_with("\x7f"
                                          "ELF") ||
                         text.starts_with("BC\xC0\xDE");
    tells = tells && (told || !is_code);
    return told;
  }

  /// Whether later calls can read its name and, as far as can be checked cheaply, its content.
  bool is_sound(const Archive::Child& child) const {
    if (!value_of(child.getName()))
      return false;
    if (!archive->isThin())
      return value_of(child.getBuffer()).has_value();
    const auto own = value_of(child.getFullName());
    std::error_code failed;
    return own && std::filesystem::is_regular_file(*own, failed);
  }

  std::optional<std::size_t> at(std::uint64_t start) const {
    const auto found = std::lower_bound(starts.begin(), starts.end(), start);
    if (found == starts.end() || *found != start)
      return std::nullopt;
    return static_cast<std::size_t>(found - starts.begin());
  }

  /// False if the archive is damaged, or has too many members.
  bool find_members() {
    llvm::Error error = llvm::Error::success();
    bool fine = true;
    for (const auto& child : archive->children(error)) {
      fine = is_sound(child) && allowance.take(sizeof(std::uint64_t));
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

  /// False if the allowance is spent.
  bool read_members() {
    bytecode.resize(starts.size());
    for (std::size_t i = 0; i < starts.size() && !allowance.spent(); ++i) {
      each_symbol_of(i, [&](const Symbol& symbol) {
        bytecode[i] = bytecode[i] || symbol.bytecode;
        if (symbol.kind != Symbol::Kind::undefined && allowance.take(sizeof(std::uint64_t)))
          defined.push_back(symbol_hash(symbol.name) | (symbol.kind == Symbol::Kind::common ? 1U : 0U));
      });
      allowance.take(sizeof(std::uint64_t));
      defined.push_back(0);
      if (i % members_at_once == 0)
        file.forget();
    }
    return !allowance.spent();
  }

  void each_definition(const Asked& asked, const Visit& visit) const {
    std::size_t member = 0;
    for (const std::uint64_t one : defined) {
      if (one == 0) {
        ++member;
        continue;
      }
      const std::uint64_t hash = one & ~std::uint64_t{1};
      if (!taken[member] && asked(hash))
        visit({hash, member, hash == one ? Definition::Kind::for_good : Definition::Kind::common});
    }
  }

  /// False if it refers to something that is not a member.
  bool index_is_sound() const {
    bool sound = true;
    each_own([&](const Archive::Symbol& symbol) { sound = sound && member_of(symbol); });
    return sound;
  }

  std::optional<std::size_t> member_of(const Archive::Symbol& symbol) const {
    const auto child = value_of(symbol.getMember());
    return child ? at(child->getChildOffset()) : std::nullopt;
  }

  /// Visits the archive's own index.
  template <typename Each>
  void each_own(const Each& each) const {
    if (!archive->hasSymbolTable())
      return;
    std::size_t count = 0;
    for (const auto& symbol : archive->symbols()) {
      each(symbol);
      if (++count % symbols_at_once == 0)
        file.forget();
    }
  }
};

bool is_symbol_archive(std::string_view bytes) {
  return binary::archive_kind(bytes) != binary::ArchiveKind::none;
}

bool lacks_index(std::string_view archive) {
  constexpr std::size_t magic_size = 8, header_size = 60, name_size = 16;
  if (!is_symbol_archive(archive) || archive.size() < magic_size + header_size)
    return false;
  const std::string_view name = archive.substr(magic_size, name_size);
  // BSD's names come after the header.
  const std::string_view after = archive.substr(magic_size + header_size, name_size);
  return !name.starts_with("/ ") && !name.starts_with("/SYM64/ ") && !name.starts_with("__.SYMDEF") &&
         !(name.starts_with("#1/") && after.starts_with("__.SYMDEF"));
}

SymbolArchive::SymbolArchive(std::unique_ptr<Members> members) : members_(std::move(members)) {}

SymbolArchive::~SymbolArchive() {
  members_->allowance.give_back((members_->starts.size() + members_->defined.size()) * sizeof(std::uint64_t));
}

std::unique_ptr<SymbolArchive> SymbolArchive::open(const std::string& path, MappedFile file, Index index,
                                                   Allowance& allowance) {
  std::unique_ptr<SymbolArchive> result(new SymbolArchive(
      std::unique_ptr<Members>(new Members{path, std::move(file), allowance, index == Index::members})));
  Members& members = *result->members_;
  const std::string_view bytes = members.file.bytes();
  auto archive = value_of(
      Archive::create(llvm::MemoryBufferRef(llvm::StringRef(bytes.data(), bytes.size()), members.path)));
  if (!archive)
    return nullptr;
  members.archive = std::move(*archive);
  const bool fine =
      members.find_members() && (members.by_members ? members.read_members() : members.index_is_sound());
  members.file.forget();
  return fine ? std::move(result) : nullptr;
}

void SymbolArchive::each_definition(const Asked& asked, const Visit& visit) const {
  if (members_->by_members)
    return members_->each_definition(asked, visit);
  members_->each_own([&](const Archive::Symbol& symbol) {
    const llvm::StringRef name = symbol.getName();
    const std::uint64_t hash = symbol_hash({name.data(), name.size()});
    if (!asked(hash))
      return;
    if (const auto member = members_->member_of(symbol); member && !members_->taken[*member])
      visit({hash, *member, Definition::Kind::untold});
  });
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

bool SymbolArchive::each_symbol_of(std::size_t member, const SymbolVisit& visit) const {
  return members_->each_symbol_of(member, visit);
}

bool SymbolArchive::is_bytecode(std::size_t member) const {
  return !members_->bytecode.empty() && members_->bytecode[member];
}

bool SymbolArchive::mark(std::size_t member) {
  if (members_->taken[member])
    return false;
  return members_->taken[member] = true;
}

void SymbolArchive::forget() const {
  members_->file.forget();
}

std::size_t SymbolArchive::readings() const {
  return members_->readings;
}

bool SymbolArchive::tells() const {
  return members_->tells;
}

bool SymbolArchive::lacks_symbols() const {
  // Every slim object of GCC has this symbol, whatever its code.
  constexpr std::string_view mark = "__gnu_lto_slim";
  std::vector<bool> named(members());
  members_->each_own([&](const Archive::Symbol& symbol) {
    if (const auto member = members_->member_of(symbol); member && symbol.getName() != llvm::StringRef(mark))
      named[*member] = true;
  });
  for (std::size_t i = 0; i < named.size(); ++i) {
    bool defines = false;
    const bool told = !named[i] && each_symbol_of(i, [&](const Symbol& symbol) {
      defines = defines || (symbol.kind != Symbol::Kind::undefined && symbol.name != mark);
    });
    if (told && defines)
      return true;
    if (i % members_at_once == 0)
      forget();
  }
  return false;
}

} // namespace hostpin
