// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/compiler_root.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/setup/placement.hpp"
#include "toolchains/setup/relocate.hpp"
#include "toolchains/setup/runtime.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <sys/statvfs.h>

namespace hostpin::setup {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view headers_name = "headers";  ///< in a root: the tree of links that -isysroot names
constexpr std::string_view specs_name = "link.specs"; ///< in a stdenv's root

/// A colon separates the loader's directories, a comma the linker's options, and a dollar sign begins what
/// the loader replaces. The others end a word in what a driver writes for the programs that it runs.
Result<void> usable(const std::string& place) {
  constexpr std::string_view unusable = ":,;$\"'`\\\n\t*?%";
  if (const std::size_t at = place.find_first_of(unusable); at != std::string::npos)
    return failure("compilers cannot run from " + place + ": its path contains the character " +
                       shell_word(place.substr(at, 1)) + ", at which loaders, linkers or shells split it",
                   "choose another directory");
  return {};
}

Result<void> executable_there(const std::string& work) {
  struct statvfs status {};
  if (::statvfs(work.c_str(), &status) == 0 && (status.f_flag & ST_NOEXEC) != 0)
    return failure("compilers cannot run from " + work + ": its file system is mounted noexec",
                   "choose a directory on another file system");
  return {};
}

Result<void> linked(const std::string& target, const std::string& link) {
  std::error_code error;
  fs::create_symlink(target, link, error);
  return error ? failure("cannot create " + link + ": " + error.message()) : Result<void>();
}

/// The merged /usr, for paths in linker scripts such as /lib/x86_64-linux-gnu/libc.so.6.
Result<void> merge_usr(const std::string& root) {
  for (const char* const name : {"bin", "lib", "lib64"})
    if (fs::exists(root + "/usr/" + name))
      TRY(linked(std::string("usr/") + name, root + '/' + name));
  return {};
}

/// Links in `tree` to all names of a directory but those that are other trees' own.
Result<void> link_names(const std::string& from, const std::string& shown, const std::string& to,
                        const std::string& triplet) {
  std::error_code error;
  fs::create_directories(to, error);
  for (fs::directory_iterator each(from, error), end; !error && each != end; each.increment(error)) {
    const std::string name = each->path().filename().string();
    if (name != "c++" && name != triplet)
      TRY(linked(shown + '/' + name, to + '/' + name));
  }
  return error ? failure("cannot read " + from + ": " + error.message()) : Result<void>();
}

/// A tree that holds links alone: to the C library's headers at `from` and to the root's C++ headers. GCC
/// looks for both below -isysroot.
Result<void> link_headers(const std::string& from, const std::string& work, const std::string& place,
                          const RootLayout& layout) {
  const std::string tree = work + '/' + std::string(headers_name);
  std::vector<std::string> directories{"/usr/include"};
  if (!layout.triplet.empty())
    directories.push_back("/usr/include/" + layout.triplet);
  for (const std::string& each : directories) {
    if (fs::exists(from + each))
      TRY(link_names(from + each, from + each, tree + each, layout.triplet));
    std::error_code error;
    fs::create_directories(tree + each, error);
    if (fs::exists(work + each + "/c++"))
      TRY(linked(place + each + "/c++", tree + each + "/c++"));
  }
  return {};
}

/// What a GCC reads besides its own and the C library's headers: what else is installed on the machine.
std::vector<std::string> machine_headers(const RootLayout& layout) {
  std::vector<std::string> options;
  for (const std::string& each : {std::string("/usr/local/include"),
                                  layout.triplet.empty() ? std::string() : "/usr/include/" + layout.triplet,
                                  std::string("/usr/include")})
    if (!each.empty() && fs::exists(each))
      options.insert(options.end(), {"-idirafter", each});
  return options;
}

/// Where the driver is below the root, by the names that distributions give it; nothing if it is not there.
std::optional<std::string> driver_in(const std::string& work, const RootLayout& layout, std::string_view name,
                                     int major) {
  const std::string versioned = std::string(name) + '-' + std::to_string(major);
  for (const std::string& each :
       {"usr/bin/" + layout.triplet + '-' + versioned, "usr/bin/" + versioned,
        "opt/rh/gcc-toolset-" + std::to_string(major) + "/root/usr/bin/" + std::string(name),
        "usr/bin/" + std::string(name)})
    if (fs::exists(work + '/' + each))
      return each;
  return std::nullopt;
}

/// GCC looks for the assembler and the linker in COMPILER_PATH before PATH, and unlike PATH it changes
/// nothing else.
std::string launcher_of(const std::string& place, const std::string& driver,
                        const std::vector<std::string>& options) {
  return "#!/bin/sh\nCOMPILER_PATH=" + shell_word(place + '/' + directory_of(driver)) + " exec " +
         shell_word(place + '/' + driver) + ' ' + shell_words(options) + " \"$@\"\n";
}

std::string gcc_launcher(const std::string& place, const std::string& driver, const RootLayout& layout,
                         const HeaderChoice& headers) {
  std::vector<std::string> options{"--sysroot=" + place};
  if (headers.from != HeaderChoice::From::suite)
    options.insert(options.end(), {"-isysroot", place + '/' + std::string(headers_name)});
  for (const std::string& each : machine_headers(layout))
    options.push_back(each);
  options.insert(options.end(), {"-Wl,--dynamic-linker=" + place + '/' + layout.loader,
                                 "-Wl,-rpath," + place + '/' + layout.libraries});
  return launcher_of(place, driver, options);
}

std::string stdenv_launcher(const std::string& place, const std::string& driver, const RootLayout& layout) {
  std::vector<std::string> options{"--sysroot=" + place, "-specs=" + place + '/' + std::string(specs_name)};
  for (const std::string& each : machine_headers(layout))
    options.push_back(each);
  return launcher_of(place, driver, options);
}

/// What a stdenv adds to links. As options (-Wl,) the driver would take it for input, and link where it is
/// called without any, as in `g++ -v`.
std::string link_specs(const std::string& place, const RootLayout& layout, bool has_runtime) {
  std::string link, last;
  if (has_runtime) {
    link = " -rpath ";
    for (const char each : place + '/' + runtime_name)
      link += each == ' ' ? std::string("\\ ") : std::string(1, each);
  }
  for (const std::string& each :
       {std::string("/usr/local/lib"), "/usr/lib/" + layout.triplet, std::string("/usr/lib")}) {
    link += " -rpath-link " + each; // where libraries find what they need
    last += " -L" + each;
  }
  return "*link:\n+" + link + "\n\n*link_libgcc:\n+" + last + "\n";
}

/// The directories of the machine's C++ headers that Clang takes: those of the newest GCC installation.
std::vector<std::string> machine_cxx_headers(const RootLayout& layout) {
  int newest = 0;
  std::error_code error;
  const std::string installations = "/usr/lib/gcc/" + layout.triplet;
  for (fs::directory_iterator each(installations, error), end; !error && each != end; each.increment(error))
    if (const auto version = parse_version(each->path().filename().string());
        version && fs::exists(each->path() / "crtbegin.o"))
      newest = std::max(newest, version->major);
  const std::string name = "/c++/" + std::to_string(newest);
  return {"/usr/include" + name, "/usr/include/" + layout.triplet + name,
          "/usr/include" + name + "/backward"};
}

/// Instead of the machine's headers of C: those of the choice, in the order that Clang has without it. The
/// C++ headers stay the machine's, as programs are linked with its libstdc++.
std::vector<std::string> clang_headers(const std::string& place, const RootLayout& layout,
                                       const HeaderChoice& headers, bool is_cxx, int major) {
  const std::string tree = headers.from == HeaderChoice::From::suite ? place : headers.tree;
  std::vector<std::string> options{"-nostdlibinc"};
  if (is_cxx)
    for (const std::string& each : machine_cxx_headers(layout))
      options.insert(options.end(), {"-isystem", each});
  if (!layout.triplet.empty())
    options.insert(options.end(), {"-idirafter", tree + "/usr/include/" + layout.triplet});
  options.insert(options.end(), {"-idirafter", tree + "/usr/include"});
  for (const std::string& each : machine_headers(layout))
    options.push_back(each);
  constexpr int quiet_from = 14; // in a link they are unused
  if (major >= quiet_from) {
    options.insert(options.begin(), "--start-no-unused-arguments");
    options.emplace_back("--end-no-unused-arguments");
  }
  return options;
}

/// A relocated Clang finds the machine's C library, libstdc++ and GCC by itself. It needs its suite's own
/// linker, because the machine's cannot load its LTO plugin.
std::string clang_launcher(const std::string& place, const std::string& driver,
                           const std::vector<std::string>& options) {
  std::vector<std::string> words{place + '/' + driver};
  words.insert(words.end(), options.begin(), options.end());
  return "#!/bin/sh\nPATH=" + shell_word(place + "/usr/bin") + ":$PATH exec " + shell_words(words) +
         " \"$@\"\n";
}

Result<std::string> write_launcher(const std::string& work, const std::string& name,
                                   const std::string& text) {
  std::error_code error;
  fs::create_directories(work + "/bin", error);
  TRY(replace_file(work + "/bin/" + name, text, true));
  return "bin/" + name;
}

/// The launchers of a GCC; `text` is a launcher's, of its driver below the root.
template <typename Text>
Result<CompilerRoot> write_gcc(const std::string& work, const std::string& place, int major,
                               const RootLayout& layout, const Text& text) {
  std::array<std::string, 2> launchers;
  for (std::size_t i = 0; i < launchers.size(); ++i) {
    const std::string name = i == 0 ? "g++" : "gcc";
    const auto driver = driver_in(work, layout, name, major);
    if (!driver)
      return failure("the packages in " + work + " have no " + name + '-' + std::to_string(major));
    TRY_ASSIGN(auto written, write_launcher(work, name + '-' + std::to_string(major), text(*driver)));
    launchers.at(i) = place + '/' + written;
  }
  return CompilerRoot{launchers[0], launchers[1]};
}

Result<CompilerRoot> write_clang(const std::string& work, const std::string& place, int major,
                                 const RootLayout& layout, const HeaderChoice& headers) {
  const std::string suffix = '-' + std::to_string(major);
  std::array<std::string, 2> launchers;
  for (std::size_t i = 0; i < launchers.size(); ++i) {
    const std::string name = i == 0 ? "clang++" : "clang";
    std::string driver = "usr/lib/llvm" + suffix + "/bin/" + name;
    if (!fs::exists(work + '/' + driver)) {
      const auto other = driver_in(work, layout, name, major);
      if (!other)
        return failure("the packages in " + work + " have no " + name + suffix);
      driver = *other;
    }
    const auto options = headers.from == HeaderChoice::From::machine
                             ? std::vector<std::string>()
                             : clang_headers(place, layout, headers, i == 0, major);
    TRY_ASSIGN(auto written, write_launcher(work, name + suffix, clang_launcher(place, driver, options)));
    launchers.at(i) = place + '/' + written;
  }
  return CompilerRoot{launchers[0], launchers[1]};
}

/// By the names that build systems call, for a PATH with that directory, which is usr/bin with binutils.
Result<void> link_tools(const std::string& work, int major) {
  const std::string suffix = '-' + std::to_string(major);
  for (const auto& [name, of] : {std::pair("c++", "g++"), {"g++", "g++"}, {"cc", "gcc"}, {"gcc", "gcc"}})
    TRY(linked(of + suffix, work + "/bin/" + name));
  return {};
}

/// The root of a compiler, not yet relocated.
Result<RootLayout> unpack_root(std::span<const std::string> archives, const std::string& work,
                               const std::string& place) {
  return usable(place)
      .and_then([&] { return unpack_packages(archives, work, place_in_root); })
      .and_then([&] { return executable_there(work); })
      .and_then([&] { return root_layout(work); });
}

} // namespace

Result<CompilerRoot> make_compiler(std::span<const std::string> archives, const std::string& work,
                                   const std::string& place, const CompilerOffer& compiler,
                                   const HeaderChoice& headers) {
  TRY_ASSIGN(const auto layout, unpack_root(archives, work, place));
  auto done = merge_usr(work).and_then([&] { return relocate(work, place, layout); });
  if (done && compiler.family == Family::gcc && headers.from != HeaderChoice::From::suite)
    done = link_headers(headers.from == HeaderChoice::From::tree ? headers.tree : "", work, place, layout);
  if (!done)
    return tl::unexpected(done.error());
  if (compiler.family == Family::clang)
    return write_clang(work, place, compiler.major, layout, headers);
  return write_gcc(work, place, compiler.major, layout,
                   [&](const std::string& driver) { return gcc_launcher(place, driver, layout, headers); });
}

Result<CompilerRoot> make_stdenv(std::span<const std::string> archives, const std::string& work,
                                 const std::string& place, const CompilerOffer& compiler) {
  TRY_ASSIGN(const auto layout, unpack_root(archives, work, place));
  const std::vector<std::string> lacking = lacking_libraries(work, layout, {});
  const std::string specs = link_specs(place, layout, !lacking.empty());
  auto done = merge_usr(work)
                  .and_then([&] { return add_runtime(work, layout, lacking); })
                  .and_then([&] { return relocate(work, place, layout); })
                  .and_then([&] { return replace_file(work + '/' + std::string(specs_name), specs, false); });
  if (!done)
    return tl::unexpected(done.error());
  auto root = write_gcc(work, place, compiler.major, layout,
                        [&](const std::string& driver) { return stdenv_launcher(place, driver, layout); });
  if (root)
    if (done = link_tools(work, compiler.major); !done)
      return tl::unexpected(done.error());
  return root;
}

Result<void> make_headers(const Context& context, std::span<const std::string> archives,
                          const std::string& work, const std::string& place) {
  static_cast<void>(place); // nothing in it names itself
  const auto headers = [](const std::string& path) {
    auto found = place_in_root(path);
    return found && (found->starts_with("usr/include/") || found->starts_with("licenses/")) ? found
                                                                                            : std::nullopt;
  };
  TRY(unpack_packages(archives, work, headers));
  return context.files.status(work + "/usr/include/stdio.h")
             ? Result<void>()
             : failure("the packages in " + work + " have no headers of a C library");
}

} // namespace hostpin::setup
