// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/pack/contents.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/binary/machine.hpp"
#include "toolchains/loader/loader.hpp"
#include "toolchains/loader/places.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace hostpin::pack {

namespace {

/// The files of a bound toolchain; `identity` is optional.
constexpr std::string_view bound_files = "binding.toml c++ identity nvcc plan toolchain.cmake";

/// Prefixes of the toolkit's headers in a shared directory, as in Debian's packages.
constexpr std::string_view toolkit_header_starts =
    "__nv builtin_types channel_descriptor common_functions cooperative_groups crt cub cuComplex cuda "
    "cudart_platform device_ driver_ fatbinary fatBinaryCtl generated_ host_ library_types math_ mma.h nv "
    "sm_ surface_ texture_ thrust vector_";

/// Programs that nvcc runs, by name on the PATH from its profile; a release may lack some of them.
constexpr std::string_view toolkit_programs =
    "nvcc nvcc.profile crt cudafe++ cicc ptxas fatbinary nvlink bin2c __nvcc_device_query tileiras";

/// Prefixes of the libraries that a link of CUDA code always needs. Mathematical libraries, and those of
/// profilers and compilers, are packed only if the user names them.
constexpr std::string_view toolkit_library_starts = "libcudart. libcudart_static. libcudadevrt. libculibos.";

using Settings = std::map<std::string, std::string, std::less<>>;

/// The `#$ NAME=value` lines of a dry run; if a name has several values, the last applies.
Settings settings_of(std::string_view text) {
  constexpr std::string_view marker = "#$ ";
  Settings settings;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t equals = line.find('=');
    const std::size_t blank = line.find(' ', marker.size());
    if (line.starts_with(marker) && equals < blank)
      settings[std::string(line.substr(marker.size(), equals - marker.size()))] = line.substr(equals + 1);
  }
  return settings;
}

/// The directories of `"-L/a b" "-L/c"`, for the flag -L.
std::vector<std::string> directories_after(std::string_view flag, std::string_view words) {
  std::vector<std::string> directories;
  for (const std::string& word : filled_parts(words, "\""))
    if (word.starts_with(flag) && word.substr(flag.size()).starts_with('/'))
      directories.push_back(word.substr(flag.size()));
  return directories;
}

bool starts_with_one_of(std::string_view starts, std::string_view name) {
  const std::vector<std::string> all = filled_parts(starts, " ");
  return std::any_of(all.begin(), all.end(),
                     [&](const std::string& start) { return name.starts_with(start); });
}

bool is_toolkit_header(std::string_view name) {
  return starts_with_one_of(toolkit_header_starts, name);
}

bool is_toolkit_library(std::string_view name) {
  return starts_with_one_of(toolkit_library_starts, name);
}

/// Without the caller's PATH, which may contain another toolkit.
std::string_view own_path(std::string_view path, const Machine& machine) {
  if (const auto callers = machine.environment["PATH"]; callers && path.ends_with(*callers))
    path.remove_suffix(callers->size());
  return path;
}

bool is_device_compiler(std::string_view name) {
  return name.starts_with("libnvvm.so");
}

void add_programs(Contents& contents, const std::string& path, const Machine& machine) {
  const std::vector<std::string> directories = filled_parts(path, ":");
  for (const std::string& name : filled_parts(toolkit_programs, " "))
    for (const std::string& directory : directories)
      if (const std::string file = fmt::format("{}/{}", directory, name);
          directory.starts_with('/') && machine.files.status(file)) {
        contents.tree.add_whole(file);
        break;
      }
}

/// nvcc with the programs it runs, headers, and the libraries that a link uses by default.
Result<void> add_toolkit(Contents& contents, const Toolkit& toolkit, const Compiler& host,
                         const Machine& machine) {
  Command command{{toolkit.nvcc, "--dryrun", "-ccbin", host.command.front(), "-x", "cu", "/dev/null"},
                  "",
                  {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN"}};
  if (toolkit.target && !toolkit.target->name.empty()) // nvcc takes sbsa's files where Jetson's are meant
    command.argv.insert(command.argv.end(), {"-target-dir", toolkit.target->name});
  const Outcome answer = machine.processes.run({{command}}).front();
  const Settings settings = settings_of(answer.errors);
  const auto path = settings.find("PATH");
  const auto device_library = settings.find("NVVMIR_LIBRARY_DIR");
  const auto libraries = settings.find("LIBRARIES");
  if (path == settings.end() || device_library == settings.end() || libraries == settings.end())
    return failure(fmt::format("{} does not print where its tools are: {}", toolkit.nvcc, describe(answer)));

  std::string programs = directory_of(toolkit.nvcc) + ':';
  programs += own_path(path->second, machine);
  if (const auto front_end = settings.find("CICC_PATH"); front_end != settings.end())
    programs += ':' + front_end->second;
  add_programs(contents, programs, machine);
  contents.tree.add_whole(device_library->second);
  // nvlink opens libnvvm by name for device link-time optimization; it is in lib64 in older toolkits, and may
  // be in lib in newer ones.
  for (const char* const directory : {"/../lib64", "/../lib"})
    contents.tree.add_whole(device_library->second + directory, is_device_compiler);
  for (const std::string& directory : toolkit.include_directories) {
    const bool is_shared = machine.files.status(directory + "/stdio.h").has_value();
    contents.tree.add_whole(directory, is_shared ? is_toolkit_header : Tree::Wanted());
  }
  // Those are real directories; a call names them through symlinks such as targets/x86_64-linux/include.
  for (const auto& [name, flag] : {std::pair("INCLUDES", "-I"), std::pair("SYSTEM_INCLUDES", "")})
    if (const auto named = settings.find(name); named != settings.end())
      for (const std::string& directory : directories_after(flag, named->second))
        contents.tree.add(directory);
  if (toolkit.include_directories.empty()) // Debian's packages rely on the compiler's default search
    contents.tree.add_whole("/usr/include", is_toolkit_header);
  for (const std::string& directory : directories_after("-L", libraries->second)) {
    const bool is_stubs = base_name(directory) == "stubs";
    contents.tree.add_whole(directory, [is_stubs](std::string_view name) {
      return is_stubs ? name == "libcuda.so" : is_toolkit_library(name);
    });
  }
  return {};
}

constexpr std::string_view elf = "\177ELF";

std::string head(const std::string& path) {
  constexpr std::size_t longest = 256;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
  std::string text(file ? longest : 0, '\0');
  if (file)
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return text;
}

/// `/bin/sh` for `#! /bin/sh -e`; empty if the text is not a script.
std::string interpreter(std::string_view text) {
  if (!text.starts_with("#!"))
    return {};
  text.remove_prefix(std::min(text.find_first_not_of(" \t", 2), text.size()));
  return std::string(text.substr(0, text.find_first_of(" \t\r\n")));
}

/// For every program and shared library among the contents, the loader and all libraries that it would load;
/// for every script, its interpreter. `target`: normalised triple.
class Loading {
public:
  Loading(Contents& contents, const Machine& machine)
      : contents_(contents), target_(binary::own_triple()), machine_(machine) {}

  void add_all() {
    // The loader lists indirect dependencies too, so one pass over programs and libraries finds everything;
    // interpreters of scripts may add more.
    for (std::set<std::string> seen, files = contents_.tree.files(); !files.empty();) {
      for (const std::string& file : files)
        look(file);
      seen.merge(files);
      files.clear();
      std::set_difference(contents_.tree.files().begin(), contents_.tree.files().end(), seen.begin(),
                          seen.end(), std::inserter(files, files.end()));
    }
  }

private:
  struct Loader {
    loader::LoaderDescription description;
    loader::LoaderPlaces places;
  };

  void look(const std::string& path) {
    const auto status = machine_.files.status(path);
    const bool is_library = base_name(path).find(".so") != std::string_view::npos;
    if (!status || (!status->executable && !is_library))
      return;
    const std::string start = head(path);
    if (start.starts_with(elf))
      add_closure(path);
    else if (const std::string program = interpreter(start); program.starts_with('/'))
      contents_.tree.add(program);
  }

  void add_closure(const std::string& path) {
    auto image = loader::image_on_disk(path);
    if (!image || !binary::runs_here(image->kind))
      return; // linked statically, or for another machine
    const bool is_program = !image->interpreter.empty();
    const Loader& loader = loader_of(is_program ? image->interpreter : std::string());
    if (is_program && !contents_.tree.add(image->interpreter))
      contents_.notes.push_back(
          fmt::format("{} needs the loader {}, which does not exist", path, image->interpreter));
    const loader::Closure closure = loader::load(path, *std::move(image), loader.places);
    for (const loader::LoadedImage& loaded : closure.images)
      add_loaded(loaded, loader.description);
    if (is_program)
      for (const loader::MissingLibrary& missing : closure.missing)
        contents_.notes.push_back(fmt::format("{} needs {}, which is not found", path, missing.name));
  }

  void add_loaded(const loader::LoadedImage& loaded, const loader::LoaderDescription& loader) {
    contents_.tree.add(loaded.path);
    const std::string directory = directory_of(loaded.path);
    const auto is_own = [&](const std::string& own) { return own == directory || own == directory + '/'; };
    if (loaded.found_by == loader::FoundBy::cache &&
        std::none_of(loader.directories.begin(), loader.directories.end(), is_own))
      contents_.tree.add(loader.cache);
    // Built for this processor: another one needs the generic version.
    if (const std::size_t special = loaded.path.find("/glibc-hwcaps/"); special != std::string::npos)
      contents_.tree.add(fmt::format("{}/{}", loaded.path.substr(0, special), base_name(loaded.path)));
  }

  /// Without a name: the loader that most programs here use.
  const Loader& loader_of(std::string name) {
    if (name.empty())
      name = loader::image_on_disk("/bin/sh").value_or(binary::Image()).interpreter;
    const auto known = loaders_.find(name);
    if (known != loaders_.end())
      return known->second;
    Loader loader{
        loader::describe_loader(name, target_, machine_.processes).value_or(loader::LoaderDescription()),
        loader::loader_places(name, target_, machine_.files, machine_.processes)};
    return loaders_.emplace(name, std::move(loader)).first->second;
  }

  Contents& contents_;
  std::string target_;
  const Machine& machine_;
  std::map<std::string, Loader> loaders_;
};

} // namespace

Result<Contents> toolchain_contents(const bind::Binding& binding, const Extras& extras,
                                    const Machine& machine) {
  Contents contents;
  // nvcc runs every command through it.
  if (!contents.tree.add("/bin/sh"))
    return failure("/bin/sh is missing, which nvcc runs for every step");
  TRY(add_toolkit(contents, binding.toolkit, binding.host.compiler, machine));
  for (const Compiler* const compiler : {&binding.host.compiler, &binding.stdenv})
    TRY(add_compiler(contents, *compiler, machine));
  for (const std::string& path : binding.dependencies)
    if (!contents.tree.add(path))
      return failure(path + ", which the binding depends on, is missing", "bind again");
  // A program that is linked there must run there.
  for (const std::string& path : {binding.plan.loader, binding.plan.library})
    if (!path.empty())
      contents.tree.add(path);
  for (const std::string& name : filled_parts(bound_files, " "))
    if (!contents.tree.add(extras.directory + '/' + name) && name != "identity")
      return failure(fmt::format("{}/{} is missing", extras.directory, name));
  for (const std::string& path : extras.whole)
    if (!contents.tree.add_whole(path))
      return failure("there is nothing to pack at " + path);
  Loading(contents, machine).add_all();
  return contents;
}

} // namespace hostpin::pack
