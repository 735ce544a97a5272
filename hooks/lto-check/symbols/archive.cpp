// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/symbols/archive.hpp"

#include "hooks/lto-check/symbols/expected.hpp"
#include "toolchains/binary/archive.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace hostpin::lto {

using llvm::object::Archive;

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

std::unique_ptr<SymbolArchive> SymbolArchive::open(const std::string& path, binary::MappedFile file,
                                                   Index index, MemoryBound& bound) {
  bound.reading(path);
  std::unique_ptr<SymbolArchive> result(new SymbolArchive(path, std::move(file)));
  const std::string_view bytes = result->file_.bytes();
  auto archive = value_of(
      Archive::create(llvm::MemoryBufferRef(llvm::StringRef(bytes.data(), bytes.size()), result->path_)));
  if (!archive)
    return nullptr;
  result->archive_ = std::move(*archive);
  if (!result->find_members())
    return nullptr;
  if (index == Index::members)
    result->read_members(bound);
  else if (!result->is_index_sound())
    return nullptr;
  return result;
}

void SymbolArchive::each_definition(const IsWanted& is_wanted, const Visit& visit) const {
  if (defined_) {
    for (const Defined& one : *defined_)
      if (!taken_[one.member] && is_wanted(one.name))
        visit({one.name, one.member, one.kind});
    return;
  }
  each_in_index([&](const Archive::Symbol& symbol) {
    const std::string_view name(symbol.getName().data(), symbol.getName().size());
    if (!is_wanted(name))
      return;
    if (const auto member = member_of(symbol); member && !taken_[*member])
      visit({name, *member, Definition::Kind::unknown});
  });
}

std::string SymbolArchive::name(std::size_t member) const {
  const auto found = child(member);
  const auto name = found ? value_of(found->getName()) : std::nullopt;
  return name ? name->str() : std::string();
}

MemberBytes SymbolArchive::bytes(std::size_t member) const {
  const auto found = child(member);
  if (!found)
    return MemberBytes();
  if (archive_->isThin()) { // LLVM would keep each file in memory
    const auto own = value_of(found->getFullName());
    return own ? MemberBytes(binary::MappedFile::or_empty(*own)) : MemberBytes();
  }
  const auto content = value_of(found->getBuffer());
  return MemberBytes(content ? std::string_view(content->data(), content->size()) : std::string_view());
}

std::optional<std::uint64_t> SymbolArchive::place(std::size_t member) const {
  const auto found = archive_->isThin() ? std::nullopt : child(member);
  return found ? std::optional(found->getDataOffset()) : std::nullopt;
}

bool SymbolArchive::each_symbol_of(std::size_t member, const SymbolVisit& visit) const {
  ++readings_;
  const MemberBytes content = bytes(member);
  const std::string_view text = content.view();
  const bool read = each_symbol(text, visit);
  const bool is_code = text.starts_with("\x7f"
                                        "ELF") ||
                       text.starts_with("BC\xC0\xDE");
  complete_ = complete_ && (read || !is_code);
  return read;
}

bool SymbolArchive::mark(std::size_t member) {
  const bool fresh = !taken_[member];
  taken_[member] = true;
  return fresh;
}

bool SymbolArchive::lacks_symbols() const {
  // Every slim object of GCC has this symbol, whatever its code.
  constexpr std::string_view slim_mark = "__gnu_lto_slim";
  std::vector<bool> named(members());
  each_in_index([&](const Archive::Symbol& symbol) {
    if (const auto member = member_of(symbol); member && symbol.getName() != llvm::StringRef(slim_mark))
      named[*member] = true;
  });
  for (std::size_t i = 0; i < named.size(); ++i) {
    bool defines = false;
    const bool read = !named[i] && each_symbol_of(i, [&](const Symbol& symbol) {
      defines = defines || (symbol.kind != Symbol::Kind::undefined && symbol.name != slim_mark);
    });
    if (read && defines)
      return true;
  }
  return false;
}

/// Whether later calls can read its name and, as far as can be checked cheaply, its content.
bool SymbolArchive::is_sound(const Child& child) const {
  if (!value_of(child.getName()))
    return false;
  if (!archive_->isThin())
    return value_of(child.getBuffer()).has_value();
  const auto own = value_of(child.getFullName());
  std::error_code failed;
  return own && std::filesystem::is_regular_file(*own, failed);
}

/// False if the archive is damaged.
bool SymbolArchive::find_members() {
  llvm::Error error = llvm::Error::success();
  bool fine = true;
  for (const auto& child : archive_->children(error)) {
    fine = is_sound(child);
    if (!fine)
      break;
    release_pages();
    starts_.push_back(child.getChildOffset());
  }
  if (error) {
    llvm::consumeError(std::move(error));
    fine = false;
  }
  taken_.resize(starts_.size());
  return fine;
}

void SymbolArchive::read_members(MemoryBound& bound) {
  defined_.emplace();
  bytecode_.resize(starts_.size());
  for (std::size_t i = 0; i < starts_.size(); ++i)
    each_symbol_of(i, [&](const Symbol& symbol) {
      bytecode_[i] = bytecode_[i] || symbol.bytecode;
      if (symbol.kind != Symbol::Kind::undefined && bound.take_symbol(symbol.name))
        defined_->push_back(
            {std::string(symbol.name), i,
             symbol.kind == Symbol::Kind::common ? Definition::Kind::common : Definition::Kind::real});
    });
}

/// False if it refers to something that is not a member.
bool SymbolArchive::is_index_sound() const {
  bool sound = true;
  each_in_index([&](const Archive::Symbol& symbol) { sound = sound && member_of(symbol); });
  return sound;
}

/// Nothing if the header cannot be read.
std::optional<SymbolArchive::Child> SymbolArchive::child(std::size_t member) const {
  release_pages();
  llvm::Error error = llvm::Error::success();
  Child child(archive_.get(), archive_->getData().data() + starts_[member], &error);
  if (!error)
    return child;
  llvm::consumeError(std::move(error));
  return std::nullopt;
}

std::optional<std::size_t> SymbolArchive::member_of(const Archive::Symbol& symbol) const {
  release_pages();
  const auto child = value_of(symbol.getMember());
  if (!child)
    return std::nullopt;
  const auto found = std::lower_bound(starts_.begin(), starts_.end(), child->getChildOffset());
  if (found == starts_.end() || *found != child->getChildOffset())
    return std::nullopt;
  return static_cast<std::size_t>(found - starts_.begin());
}

/// Visits the archive's own index.
template <typename Each>
void SymbolArchive::each_in_index(const Each& each) const {
  if (archive_->hasSymbolTable())
    for (const auto& symbol : archive_->symbols())
      each(symbol);
}

/// Reading a member maps the pages around it; without this all of a large archive would be mapped in the end.
void SymbolArchive::release_pages() const {
  constexpr std::size_t accesses_at_once = 64;
  if (++accesses_ % accesses_at_once == 0)
    file_.forget();
}

} // namespace hostpin::lto
