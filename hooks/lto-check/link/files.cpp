// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/link/files.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/library/library.hpp"
#include "toolchains/library/link_search.hpp"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace hostpin::lto {

namespace {

constexpr int deepest = 8;                  // a real chain has one script
constexpr std::size_t most_files = 1000000; // bounds memory for scripts that name each other

/// The files that a script names by INCLUDE, which has no parentheses.
std::vector<std::string> included(std::string_view text) {
  constexpr std::string_view separators = " \t\r\n;{}";
  std::vector<std::string> names;
  bool next = false;
  while (!text.empty()) {
    if (text.starts_with("/*")) {
      const std::size_t end = text.find("*/", 2);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
      continue;
    }
    const bool quoted = text.front() == '"';
    if (!quoted && separators.find(text.front()) != std::string_view::npos) {
      text.remove_prefix(1);
      continue;
    }
    if (quoted)
      text.remove_prefix(1);
    const std::string_view word =
        text.substr(0, quoted ? text.find('"') : std::min(text.find_first_of(separators), text.find("/*")));
    text.remove_prefix(std::min(text.size(), word.size() + (quoted ? 1 : 0)));
    if (std::exchange(next, !quoted && !next && word == "INCLUDE"))
      names.emplace_back(word);
  }
  return names;
}

/// The result of a search; without a path nothing was found.
struct Located {
  std::string path;
  std::optional<Seen> seen = std::nullopt; ///< nothing: not checked yet
};

class Search {
public:
  Search(const cmdline::LinkerCommand& words, const Files& files, const KindOf& kind_of,
         const std::function<std::vector<std::string>()>& own_directories)
      : words_(words), files_(files), kind_of_(kind_of), own_directories_(own_directories),
        wanted_(kind_of_emulation(words.emulation)) {}

  std::vector<LinkFile> run() {
    for (const cmdline::LinkerInput& input : words_.inputs)
      take(input, {}, 0);
    return std::move(found_);
  }

private:
  /// `directory` is that of the script which names the input; empty if the command names it.
  void take(const cmdline::LinkerInput& input, const std::string& directory, int depth) {
    const Located file = locate(input, directory);
    if (!file.path.empty() && found_.size() < most_files)
      open(file, input, depth);
  }

  Located locate(const cmdline::LinkerInput& input, const std::string& directory) {
    const bool plain = !input.library;
    if (plain && (input.name.starts_with('/') || directory.empty()))
      if (const Seen seen = kind_of_(input.name); seen != Seen::nothing)
        return input.symbols && seen == Seen::directory ? Located{} : Located{input.name, seen};
    if (input.symbols || (plain && input.name.starts_with('/')))
      return {};
    const std::vector<std::string> names = cmdline::file_names(input);
    if (!directory.empty())
      if (Located file = within({directory}, names); !file.path.empty())
        return file;
    if (Located file = within(words_.directories, names); !file.path.empty())
      return file;
    if (Located file = within(scripts_directories_, names); !file.path.empty())
      return file;
    if (own_directories_ && !asked_)
      asked_ = own_directories_();
    return asked_ ? within(*asked_, names) : Located{};
  }

  Located within(const std::vector<std::string>& directories, const std::vector<std::string>& names) const {
    return {cmdline::found_file(directories, names, files_,
                                [this](const std::string& path) { return fits(path); })};
  }

  bool fits(const std::string& path) const {
    const auto kind = wanted_ ? kind_of_file(path) : std::nullopt;
    return !kind || *kind == *wanted_;
  }

  void open(const Located& file, const cmdline::LinkerInput& input, int depth) {
    const std::string& path = file.path;
    if (depth >= deepest || (file.seen ? *file.seen : kind_of_(path)) != Seen::text) {
      found_.push_back({path,
                        input.whole_archive,
                        input.group,
                        input.run_path,
                        input.lazy,
                        input.data,
                        input.symbols,
                        {}});
      return;
    }
    const auto text = files_.read(path, longest_script);
    constexpr auto inputs = std::to_array<std::string_view>({"STARTUP", "INPUT", "GROUP"});
    constexpr auto directories = std::to_array<std::string_view>({"SEARCH_DIR"});
    const std::vector<std::string> inside = text ? script_words(*text, inputs) : std::vector<std::string>();
    const ScriptSymbols symbols = text ? script_symbols(*text) : ScriptSymbols();
    if (text)
      for (const std::string& searched : script_words(*text, directories))
        scripts_directories_.push_back(below_sysroot(searched, path));
    if (inside.empty() || !symbols.wanted.empty() || symbols.doubtful)
      found_.push_back({path, input.whole_archive, input.group, input.run_path, input.lazy, input.data,
                        input.symbols, symbols.wanted, input.script, symbols.doubtful});
    // GROUP and INPUT do not differ in what a group may find.
    const std::size_t group = input.group != 0 ? input.group : script_groups_--;
    for (const std::string& name : inside) {
      const bool library = name.starts_with("-l");
      take({library ? name.substr(2) : below_sysroot(name, path), library, input.shared, input.whole_archive,
            group, false, false, input.lazy, input.script, input.data},
           directory_of(path), depth + 1);
    }
    for (const std::string& name : text ? included(*text) : std::vector<std::string>()) {
      cmdline::LinkerInput script = input;
      script.name = name;
      script.library = false;
      script.group = group;
      take(script, {}, depth + 1);
    }
  }

  std::string below_sysroot(const std::string& name, const std::string& script) const {
    return cmdline::below_sysroot(name, script, words_.sysroot, files_);
  }

  const cmdline::LinkerCommand& words_;
  const Files& files_;
  const KindOf& kind_of_;
  const std::function<std::vector<std::string>()>& own_directories_;
  std::optional<binary::ElfKind> wanted_;
  std::vector<std::string> scripts_directories_;  ///< by SEARCH_DIR
  std::optional<std::vector<std::string>> asked_; ///< the result of `own_directories_`
  std::vector<LinkFile> found_;
  std::size_t script_groups_ = static_cast<std::size_t>(-1); ///< outside the command's numbers
};

// An archive's symbol index may precede its first object; then the kind stays unknown, and the file is
// accepted.
constexpr std::size_t first_bytes = 4096;

/// For a regular file; empty if it cannot be read.
std::string head_of(const std::string& path, std::size_t length) {
  std::string head;
  // Not to block on a FIFO.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return head;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    head.resize(length);
    const ssize_t count = ::pread(descriptor, head.data(), head.size(), 0);
    head.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  ::close(descriptor);
  return head;
}

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$@";

std::string without_comments(std::string_view text) {
  std::string result;
  for (std::size_t begin = 0; (begin = text.find("/*")) != std::string_view::npos;) {
    result.append(text.substr(0, begin)).append(1, ' ');
    const std::size_t end = text.find("*/", begin + 2);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
  }
  return result.append(text);
}

bool is_symbol(std::string_view word) {
  return word != "." && (word.front() < '0' || word.front() > '9');
}

/// NAME = EXPRESSION, also with += and the like.
void read_assignment(std::string_view statement, ScriptSymbols& symbols) {
  const std::string_view value = statement.substr(statement.find('=') + 1);
  if (statement.find_first_of("({\"") != std::string_view::npos) {
    symbols.doubtful = true;
    return;
  }
  for (std::size_t at = 0; (at = value.find_first_of(letters, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(value.find_first_not_of(letters, at), value.size());
    if (const std::string_view word = value.substr(at, end - at); is_symbol(word))
      symbols.wanted.emplace_back(word);
    at = end;
  }
}

} // namespace

std::vector<LinkFile> link_files(const cmdline::LinkerCommand& words, const Files& files,
                                 const KindOf& kind_of,
                                 const std::function<std::vector<std::string>()>& own_directories) {
  return Search(words, files, kind_of, own_directories).run();
}

std::optional<binary::ElfKind> kind_of_file(const std::string& path) {
  return binary::elf_kind(head_of(path, first_bytes));
}

bool may_be_script(std::string_view head, std::uint64_t size) {
  if (head.empty() || size > longest_script)
    return false;
  // Scripts are text; objects, bitcode and fatbins have a NUL or another non-text byte in their first bytes.
  for (const char c : head)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r')
      return false;
  return !binary::is_archive(head) && static_cast<unsigned char>(head[0]) < 0x80;
}

bool is_script(std::string_view text) {
  // GNU ld's manual, "Command Language". After a symbol of an assignment an operator follows.
  constexpr std::string_view commands =
      " ASSERT ENTRY EXTERN FORCE_COMMON_ALLOCATION FORCE_GROUP_ALLOCATION GROUP HIDDEN INCLUDE "
      "INHIBIT_COMMON_ALLOCATION INPUT INSERT LD_FEATURE MEMORY NOCROSSREFS NOCROSSREFS_TO OUTPUT "
      "OUTPUT_ARCH "
      "OUTPUT_FORMAT PHDRS PROVIDE PROVIDE_HIDDEN REGION_ALIAS SEARCH_DIR SECTIONS STARTUP TARGET VERSION ";
  constexpr std::string_view blanks = " \t\r\n;";
  const std::string bare = without_comments(text);
  std::string_view rest = bare;
  rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
  const std::string_view word = rest.substr(0, rest.find_first_not_of(letters));
  if (rest.empty() || commands.find(' ' + std::string(word) + ' ') != std::string_view::npos)
    return true;
  rest.remove_prefix(word.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
  const std::size_t equals = rest.find_first_not_of("+-*/&|^<>");
  return !word.empty() && equals < rest.size() && rest[equals] == '=';
}

ScriptSymbols script_symbols(std::string_view text) {
  constexpr auto pulling = std::to_array<std::string_view>({"EXTERN"});
  constexpr auto differing =
      std::to_array<std::string_view>({"PROVIDE", "PROVIDE_HIDDEN", "HIDDEN", "ENTRY", "ASSERT"});
  ScriptSymbols symbols;
  symbols.wanted = script_words(text, pulling);
  symbols.doubtful = !script_words(text, differing).empty();
  const std::string bare = without_comments(text);
  for (std::string_view rest = bare; !rest.empty();) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    std::string_view statement = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (statement.find('=') == std::string_view::npos)
      continue;
    // A command without a semicolon may precede it; then it is not only an assignment.
    symbols.doubtful = true;
    read_assignment(statement, symbols);
  }
  return symbols;
}

} // namespace hostpin::lto
