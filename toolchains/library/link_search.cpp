// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/library/link_search.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/cmdline/linker_command.hpp"
#include "toolchains/cmdline/tokens.hpp"
#include "toolchains/library/library.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

/// `-lstdc++`, `-l:libc++.a`, `/usr/lib/libstdc++.so`: inputs that a C++ driver adds by itself, and a C
/// driver does not.
bool is_cxx_library(const cmdline::LinkerInput& input) {
  if (input.library && !input.name.starts_with(':'))
    return input.name == "stdc++" || input.name == "c++";
  const std::string name = cmdline::file_names(input).front();
  const std::string_view file = base_name(name);
  return file.starts_with("libstdc++.") || file.starts_with("libc++.");
}

/// An object other than a start file. Libraries before it need not resolve its symbols: with --as-needed,
/// which some drivers pass by default, and as archives, libraries resolve only symbols of earlier inputs.
bool is_object(const cmdline::LinkerInput& input) {
  return !input.library && input.name.ends_with(".o") &&
         base_name(input.name).find("crt") == std::string_view::npos;
}

LinkLine line_of(cmdline::LinkerCommand command) {
  bool c_library = false;
  bool cxx_library = false;
  for (const cmdline::LinkerInput& input : command.inputs) {
    c_library = c_library || (input.library && input.name == "c");
    cxx_library = (cxx_library || is_cxx_library(input)) && !is_object(input);
  }
  return {std::move(command.loader), std::move(command.sysroot), std::move(command.directories),
          std::move(command.run_paths),
          cxx_library ? StandardLibraries::cxx
          : c_library ? StandardLibraries::c
                      : StandardLibraries::none};
}

/// The commands in the output of `driver -###`.
std::vector<std::vector<std::string>> shown_commands(std::string_view text) {
  std::vector<std::vector<std::string>> commands;
  for (const std::string& line : filled_parts(text, "\n")) {
    // Commands are indented; other lines, such as COLLECT_GCC_OPTIONS, repeat options without being commands.
    auto words = line.starts_with(' ') ? cmdline::command_words(line) : Result<std::vector<std::string>>();
    if (words && !words->empty())
      commands.push_back(std::move(*words));
  }
  return commands;
}

/// GCC runs its linker through collect2; others are named ld, ld.lld, aarch64-linux-gnu-ld, gold, mold.
bool is_linker(std::string_view program) {
  const std::string_view name = program.substr(program.rfind('/') + 1);
  return name == "collect2" || name.find("ld") != std::string_view::npos;
}

} // namespace

std::vector<std::string> shown_linker_words(std::string_view text) {
  std::vector<std::string> found;
  for (std::vector<std::string>& words : shown_commands(text))
    if (is_linker(words.front()))
      found = std::move(words);
  return found;
}

LinkLine link_line(std::string_view text) {
  LinkLine result;
  for (const std::vector<std::string>& words : shown_commands(text))
    if (LinkLine line = line_of(cmdline::linker_command(words)); !line.loader.empty())
      result = std::move(line);
  if (!result.loader.empty())
    return result;
  // Static programs and libraries name no loader; then the program's name shows that it links.
  const std::vector<std::string> words = shown_linker_words(text);
  return words.empty() ? result : line_of(cmdline::linker_command(words));
}

namespace {

constexpr std::size_t largest_library = std::size_t{256} << 20;
constexpr std::size_t longest_script = 65536;
// A real chain has one script.
constexpr int deepest = 8;

struct Emulation {
  std::string_view name;
  binary::ElfKind kind;
  std::string_view architecture; ///< first part of a triple
};
constexpr auto emulations = std::to_array<Emulation>({{"elf_x86_64", {true, 62}, "x86_64"},
                                                      {"elf32_x86_64", {false, 62}, ""},
                                                      {"elf_i386", {false, 3}, "i686"},
                                                      {"elf_i386", {false, 3}, "i586"},
                                                      {"elf_i386", {false, 3}, "i486"},
                                                      {"elf_i386", {false, 3}, "i386"},
                                                      {"aarch64linux", {true, 183}, "aarch64"},
                                                      {"aarch64elf", {true, 183}, ""},
                                                      {"armelf_linux_eabi", {false, 40}, "arm"},
                                                      {"elf64lppc", {true, 21}, "powerpc64le"},
                                                      {"elf64_s390", {true, 22, true}, "s390x"},
                                                      {"elf64lriscv", {true, 243}, "riscv64"},
                                                      {"elf64loongarch", {true, 258}, "loongarch64"}});

/// Whether a file has the library's name: `libstdc++.so`, `libstdc++.so.6`, `libstdc++.a`, but not
/// `libstdc++fs.a`.
bool is_named(std::string_view path, std::string_view name) {
  std::string_view file = base_name(path);
  if (!file.starts_with("lib") || !file.substr(3).starts_with(name))
    return false;
  file.remove_prefix(3 + name.size());
  return file == ".a" || file == ".so" || file.starts_with(".so.");
}

class Search {
public:
  Search(const Files& files, const cmdline::LinkerCommand& command, std::string_view name)
      : files_(files), command_(command), name_(name), wanted_(kind_of_emulation(command.emulation)) {}

  LibrarySearch run() {
    for (const cmdline::LinkerInput& input : command_.inputs) {
      if (!concerns(input))
        continue;
      auto library = take(input, {}, 0);
      if (!library)
        return {tl::unexpected(library.error()), std::move(dependencies_)};
      library->found = first_;
      return {std::optional(std::move(*library)), std::move(dependencies_)};
    }
    return {std::nullopt, {}};
  }

private:
  bool concerns(const cmdline::LinkerInput& input) const {
    if (!input.library)
      return !input.symbols && !input.script && is_named(input.name, name_);
    return input.name == name_ || (input.name.starts_with(':') && is_named(input.name.substr(1), name_));
  }

  /// `directory` is that of the script which names the input; empty if the command names it.
  Result<LinkedLibrary> take(const cmdline::LinkerInput& input, const std::string& directory, int depth) {
    if (!input.library && input.name.starts_with('/'))
      return open(input.name, depth);
    const std::vector<std::string> names = cmdline::file_names(input);
    std::vector<std::string> directories = command_.directories;
    if (!directory.empty())
      directories.insert(directories.begin(), directory);
    const std::string path = cmdline::found_file(
        directories, names, files_, [this](const std::string& one) { return fits(one); },
        [this](const std::string& searched) { rest_on(searched); });
    if (!path.empty())
      return open(path, depth);
    return failure("the link names " + (input.library ? "-l" + input.name : input.name) +
                       ", but none of its directories has " + names.front() +
                       (input.shared ? "" : ", and the link uses archives only"),
                   "install the development files of that library, or name its directory with -L");
  }

  /// The check behind ld's `skipping incompatible`.
  bool fits(const std::string& path) {
    rest_on(path);
    const auto bytes = files_.read(path, largest_library);
    const auto kind = bytes ? binary::elf_kind(*bytes) : std::nullopt;
    return !kind || !wanted_ || *kind == *wanted_;
  }

  Result<LinkedLibrary> open(const std::string& path, int depth) {
    if (depth == 0)
      first_ = path;
    rest_on(path);
    const std::string real = files_.real_path(path).value_or(path);
    rest_on(real);
    TRY_ASSIGN(const auto bytes, files_.read(real, largest_library));
    if (binary::is_archive(bytes))
      return LinkedLibrary{path, real, std::nullopt};
    auto object = binary::read_shared_object(bytes);
    if (object)
      return LinkedLibrary{path, real, std::move(*object)};
    if (bytes.starts_with("\x7f"))
      return failure(real + " cannot be used: " + object.error().message, "reinstall that library");
    if (depth >= deepest)
      return failure(path + ": linker scripts name each other without end", "repair or remove " + first_);
    return follow(real, bytes, depth);
  }

  Result<LinkedLibrary> follow(const std::string& script, const std::string& text, int depth) {
    if (text.size() <= longest_script)
      for (const std::string& word : script_inputs(text)) {
        const bool library = word.starts_with("-l");
        cmdline::LinkerInput input{library ? word.substr(2) : word, library};
        if (!concerns(input))
          continue;
        input.name = cmdline::below_sysroot(input.name, script, command_.sysroot, files_);
        return take(input, directory_of(script), depth + 1);
      }
    return failure(script + " is neither a library nor a linker script that names one",
                   "reinstall that library, or remove the file");
  }

  void rest_on(const std::string& path) {
    if (std::find(dependencies_.begin(), dependencies_.end(), path) == dependencies_.end())
      dependencies_.push_back(path);
  }

  const Files& files_;
  const cmdline::LinkerCommand& command_;
  std::string_view name_;
  std::optional<binary::ElfKind> wanted_;
  std::string first_;
  std::vector<std::string> dependencies_;
};

} // namespace

std::string emulation_of(std::string_view triple) {
  const std::string_view architecture = triple.substr(0, triple.find('-'));
  for (const Emulation& emulation : emulations)
    if (!architecture.empty() && emulation.architecture == architecture)
      return std::string(emulation.name);
  return {};
}

std::optional<binary::ElfKind> kind_of_emulation(std::string_view emulation) {
  for (const Emulation& row : emulations)
    if (row.name == emulation)
      return row.kind;
  return std::nullopt;
}

LibrarySearch linked_library(const Files& files, const cmdline::LinkerCommand& command,
                             std::string_view name) {
  return Search(files, command, name).run();
}

} // namespace hostpin
