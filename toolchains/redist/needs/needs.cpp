// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/needs/needs.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/redist/tree/binaries.hpp"
#include "toolchains/redist/tree/closure.hpp"
#include "toolchains/redist/tree/texts.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

namespace hostpin::redist {

namespace {

namespace fs = std::filesystem;

using Key = std::tuple<std::string, std::string, std::string>;

/// Sources are read only to name a line in a reason.
constexpr std::size_t largest_source = std::size_t{4} << 20U;

/// Without symlinks; empty if there is nothing at the path.
std::string real_path(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? std::string() : real.string();
}

bool is_below(std::string_view path, const std::string& directory) {
  return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
}

std::string relative_to(const std::string& path, const std::string& current) {
  return is_below(path, current) ? path.substr(current.size() + 1) : path;
}

bool is_source(std::string_view path) {
  constexpr std::array<std::string_view, 12> ends{".cu", ".cuh", ".c",   ".cc",  ".cpp", ".cxx",
                                                  ".h",  ".hh",  ".hpp", ".hxx", ".inl", ".f90"};
  return !path.starts_with("/usr/") &&
         std::ranges::any_of(ends, [&](std::string_view end) { return path.ends_with(end); });
}

Key key_of(const Root& root, const RootFile& file) {
  const LockedArchive* const archive = root.archive_of(file);
  return archive == nullptr ? Key{} : Key{archive->package, archive->platform, file.entry->output};
}

/// The line in which a text includes a name, from 1.
std::size_t line_of(std::string_view text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t begin = text.rfind('\n', at) + 1;
    if (text.substr(begin, at - begin).find("include") != std::string_view::npos)
      return static_cast<std::size_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) +
             1;
  }
  return 1;
}

/// Base names of the first files, and how many there are besides.
std::string names_of(const std::vector<const RootFile*>& files) {
  constexpr std::size_t shown = 3;
  std::string text;
  for (std::size_t index = 0; index < std::min(shown, files.size()); ++index)
    text += (index == 0 ? "" : ", ") + std::string(base_name(files[index]->entry->path));
  return files.size() > shown ? text + " and " + std::to_string(files.size() - shown) + " more" : text;
}

class Observer {
public:
  Observer(const tracing::Trace& trace, const Root& root, const std::string& directory,
           const std::string& current, const TreeFacts& facts)
      : root_(root), current_(current), facts_(facts), relations_(root, facts) {
    for (const auto& [path, access] : trace.accessed)
      if ((access & static_cast<unsigned>(tracing::Access::content)) != 0)
        note_opened(path, directory);
    for (const RootFile& file : root.files())
      sizes_[key_of(root, file)] += file.size;
    for (const std::string& path : trace.written)
      note_written(path, directory);
  }

  Needs needs() {
    Needs needs;
    for (const auto& [key, size] : sizes_)
      needs.whole += size;
    for (const auto& [key, files] : used_)
      if (!std::get<0>(key).empty() && std::get<2>(key) != "license")
        needs.build.push_back(part(key, files.size(), why(files)));
    for (const RootFile* const file : used_[Key{}])
      needs.made.push_back(file->entry->path);
    add_run(needs);
    return needs;
  }

private:
  void note_opened(const std::string& path, const std::string& directory) {
    const std::string real = real_path(path);
    if (!is_below(real, directory)) {
      if (is_source(real))
        sources_.insert(real);
      return;
    }
    const RootFile* const file = behind(root_.at(real.substr(directory.size() + 1)));
    if (file != nullptr && seen_.insert(file).second)
      used_[key_of(root_, *file)].push_back(file);
  }

  /// The library of the toolkit that a stub stands for: programs need that one, which can be linked as well.
  const RootFile* behind(const RootFile* file) const {
    if (file == nullptr || !file->image || file->entry->output != "stubs")
      return file;
    const auto library = std::ranges::find_if(root_.files(), [&](const RootFile& one) {
      return one.image && one.entry->output == "lib" && one.image->soname == file->image->soname &&
             root_.archive_of(one) == root_.archive_of(*file);
    });
    return library == root_.files().end() ? file : &*library;
  }

  /// What a program or library that was made loads of the toolkit.
  void note_written(const std::string& path, const std::string& directory) {
    const std::string real = real_path(path);
    std::error_code error;
    if (real.empty() || is_below(real, directory) || !fs::is_regular_file(real, error))
      return;
    const auto bytes = binary::MappedFile::open(real);
    if (!bytes || !bytes->bytes().starts_with("\x7f"
                                              "ELF"))
      return;
    const auto image = binary::read_image(bytes->bytes());
    if (!image || !*image || !built_.insert(real).second)
      return;
    std::vector<std::string> known = (**image).needed;
    for (const std::string& name : known)
      note_loaded(name, relative_to(real, current_) + " needs " + name);
    known.push_back((**image).soname);
    for (const std::string& name : names_opened(bytes->bytes(), facts_.content, known))
      note_loaded(name, relative_to(real, current_) + " opens " + name);
  }

  void note_loaded(const std::string& name, const std::string& why) {
    for (std::size_t index = 0; index < root_.files().size(); ++index) {
      const RootFile& file = root_.files()[index];
      if (!file.image || file.entry->output != "lib")
        continue;
      const std::string& soname = file.image->soname;
      if (soname == name || (library_version(name).empty() && library_stem(soname) == library_stem(name))) {
        loaded_.emplace(index, why);
        return;
      }
    }
    if (const std::string_view by = facts_.compose.provider(name); by == "driver" || by == "jetson")
      expected_.insert(name);
  }

  NeededPart part(const Key& key, std::size_t files, std::string why) const {
    return {std::get<0>(key), std::get<1>(key), std::get<2>(key), files, sizes_.at(key), std::move(why)};
  }

  /// A line of the project that includes one of the files, else the files' names.
  std::string why(const std::vector<const RootFile*>& files) {
    if (files.front()->entry->output == "include")
      for (const std::string& source : sources_)
        for (const std::string& name : included_by(source))
          if (std::ranges::any_of(files, [&](const RootFile* file) {
                return file->entry->path.ends_with("/include/" + name) ||
                       file->entry->path.ends_with("/cccl/" + name);
              })) {
            const auto bytes = binary::MappedFile::open(source);
            return relative_to(source, current_) + ':' +
                   std::to_string(bytes ? line_of(bytes->bytes(), name) : 1) + " includes " + name;
          }
    return names_of(files);
  }

  const std::vector<std::string>& included_by(const std::string& source) {
    const auto [at, is_new] = includes_.try_emplace(source);
    std::error_code error;
    if (!is_new || fs::file_size(source, error) > largest_source || error)
      return at->second;
    if (const auto bytes = binary::MappedFile::open(source))
      for (const Include& include : includes_of(bytes->bytes()))
        at->second.push_back(include.name);
    return at->second;
  }

  void add_run(Needs& needs) {
    std::vector<std::size_t> chosen;
    for (const auto& [index, why] : loaded_)
      chosen.push_back(index);
    const FileClosure closure = relations_.closure(chosen);
    for (const ClosurePart& one : closure.parts) {
      if (one.output == "include")
        continue;
      std::string why;
      for (const ClosureStep& step : one.why)
        why += step.reason == ClosureReason::chosen ? loaded_.at(step.file)
               : step.reason == ClosureReason::needed
                   ? ", which needs " + std::string(base_name(root_.files()[step.file].entry->path))
                   : ", which opens " + std::string(base_name(root_.files()[step.file].entry->path));
      needs.run.push_back(part({one.package, one.platform, one.output}, one.files, std::move(why)));
    }
    expected_.insert(closure.expected.begin(), closure.expected.end());
    needs.expected.assign(expected_.begin(), expected_.end());
    needs.missing = closure.missing;
  }

  const Root& root_;
  const std::string& current_;
  const TreeFacts& facts_;
  Relations relations_;
  std::set<const RootFile*> seen_;
  std::map<Key, std::vector<const RootFile*>> used_; ///< an empty key: files that hostpin made
  std::map<Key, std::uint64_t> sizes_;
  std::set<std::string> sources_, built_, expected_;
  std::map<std::string, std::vector<std::string>> includes_;
  std::map<std::size_t, std::string> loaded_; ///< files of the root, and why
};

} // namespace

Needs needs_of(const tracing::Trace& trace, const Root& root, const std::string& directory,
               const std::string& current, const TreeFacts& facts) {
  return Observer(trace, root, directory, current, facts).needs();
}

std::string name_of(const NeededPart& part) {
  return part.package + '.' + part.output;
}

std::uint64_t bytes_of(const Needs& needs) {
  std::map<std::tuple<std::string, std::string, std::string>, std::uint64_t> parts;
  for (const auto* const list : {&needs.build, &needs.run})
    for (const NeededPart& part : *list)
      parts[{part.package, part.platform, part.output}] = part.bytes;
  std::uint64_t bytes = 0;
  for (const auto& [key, size] : parts)
    bytes += size;
  return bytes;
}

} // namespace hostpin::redist
