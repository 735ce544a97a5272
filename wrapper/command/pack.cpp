// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/pack.hpp"

#include "toolchains/base/process.hpp"
#include "wrapper/pack/contents.hpp"
#include "wrapper/pack/order.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

#include <fmt/format.h>

namespace hostpin {

namespace {

constexpr std::string_view stable_name = "/toolchain"; // of the bound directory, whatever its path here

// Paths that icecc's daemon runs in its chroot (1.4), whatever the compiler is called on the client, and a
// program without which it rejects an archive.
constexpr auto icecc_names = std::to_array<const char*>({"/usr/bin/g++", "/usr/bin/gcc"});
constexpr const char* icecc_wants = "/bin/true";

/// Time of the newest file that the decision depends on, so that the archive is reproducible.
std::int64_t time_of(const Binding& binding, const Files& files) {
  std::int64_t newest = 0;
  for (const std::string& path : binding.rests_on)
    if (const auto status = files.status(path))
      newest = std::max(newest, status->modified);
  return newest;
}

pack::Order order_of(const pack::Tree& tree, const std::string& directory, const std::string& archive,
                     std::int64_t time) {
  pack::Order order{time, {}};
  for (const std::string& path : tree.entries()) {
    if (path == archive)
      continue; // set by an earlier call
    const bool is_bound = path.starts_with(directory + '/');
    order.entries.push_back({is_bound ? pack::Entry::Kind::dated : pack::Entry::Kind::kept, path, {}});
  }
  if (!tree.entries().contains("/tmp"))
    order.entries.push_back({pack::Entry::Kind::scratch, "/tmp", {}});
  if (!tree.entries().contains(std::string(stable_name)))
    order.entries.push_back({pack::Entry::Kind::link, std::string(stable_name), directory.substr(1)});
  return order;
}

/// The driver itself if another program precedes it, as in `icecc g++-12`.
std::string driver_of(const Compiler& compiler) {
  const bool is_launched = compiler.command.size() > 1 && compiler.command[1].starts_with('/');
  return compiler.command[is_launched ? 1 : 0];
}

/// Links the host compiler to the paths that icecc runs; if the stdenv has one of them, it keeps it.
void add_icecc_names(const Context& context, const Binding& binding, const pack::Tree& tree,
                     pack::Order& order) {
  const std::string driver = driver_of(binding.host.compiler);
  for (const char* const name : icecc_names)
    if (!tree.entries().contains(name))
      order.entries.push_back({pack::Entry::Kind::link, name, driver});
    else if (context.files.real_path(name) != context.files.real_path(driver))
      report_note(
          fmt::format("{} is not the host compiler there, so the archive is none for icecc: make that "
                      "with icecc-create-env {}",
                      name, driver));
}

/// The list on standard input is an unnamed file, so its length is not limited.
int become_packer(const Context& context, const pack::Order& order, const std::string& file,
                  const std::string& name) {
  const int list = open_input(to_bytes(order));
  if (list < 0 || dup2(list, STDIN_FILENO) < 0) {
    report({fmt::format("cannot hand over the list of what to pack: {}", std::strerror(errno)), {}});
    return exit_broken;
  }
  std::fflush(stdout);
  return run_program(context.tree, "pack", {file.c_str(), name.c_str()});
}

} // namespace

std::optional<Error> without_archive_name(const std::string& file) {
  constexpr std::string_view ending = ".tar.zst";
  if (file.ends_with(ending) && file.size() > ending.size() && file[file.size() - ending.size() - 1] != '/')
    return std::nullopt;
  return Error{fmt::format("--pack writes a tar packed by zstd, and {} is no name for one", file),
               "name a file that ends in .tar.zst"};
}

int pack_bound(const Context& context, const Binding& binding, const std::string& directory,
               const PackOptions& options) {
  const std::string real = context.files.real_path(directory).value_or(directory);
  pack::Besides besides{directory, options.with};
  besides.whole.insert(besides.whole.end(),
                       {context.tree.command, context.tree.programs, context.tree.prefix + "/share/hostpin"});
  if (context.files.status(icecc_wants))
    besides.whole.emplace_back(icecc_wants);
  auto contents =
      toolchain_contents(binding, besides, {context.environment, context.files, context.processes});
  if (!contents) {
    report(contents.error());
    return exit_broken;
  }
  for (const std::string& note : contents->notes)
    report_note(note);
  const std::size_t slash = options.file.rfind('/');
  const std::string parent = options.file.substr(0, slash);
  const std::string archive = context.files.real_path(parent).value_or(parent) + options.file.substr(slash);
  pack::Order order = order_of(contents->tree, real, archive, time_of(binding, context.files));
  add_icecc_names(context, binding, contents->tree, order);
  std::sort(order.entries.begin(), order.entries.end(),
            [](const pack::Entry& a, const pack::Entry& b) { return a.path < b.path; });
  const auto is_link = [](const pack::Entry& entry) {
    return entry.kind == pack::Entry::Kind::link && entry.path == stable_name;
  };
  const bool is_linked = std::any_of(order.entries.begin(), order.entries.end(), is_link);
  return become_packer(context, order, options.file, is_linked ? std::string(stable_name) : real);
}

} // namespace hostpin
