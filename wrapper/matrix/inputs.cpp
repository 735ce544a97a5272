// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/inputs.hpp"

#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/loader/cache.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

namespace fs = std::filesystem;

bool has(unsigned access, Access kind) {
  return (access & static_cast<unsigned>(kind)) != 0;
}

/// As getdents(2) returns it with the name.
char type_of(const fs::directory_entry& entry) {
  std::error_code error;
  return entry.is_symlink(error)        ? 'l'
         : entry.is_directory(error)    ? 'd'
         : entry.is_regular_file(error) ? 'f'
                                        : 's';
}

std::string names_in(const std::string& directory) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error))
    names.push_back(entry->path().filename().string() + '/' + type_of(*entry));
  if (error)
    return "unreadable";
  std::ranges::sort(names);
  Sha256 hash;
  for (const std::string& name : names) {
    hash.update(name);
    hash.update({"", 1});
  }
  return hash.hex();
}

/// `of_file`: the text about a regular file.
template <typename OfFile>
std::string found_at(const std::string& place, unsigned access, OfFile of_file) {
  std::string state;
  if (has(access, Access::target)) {
    std::error_code error;
    const fs::path link = fs::read_symlink(place, error);
    if (!error)
      state = "link:" + sha256_of(link.string()) + ',';
  }
  struct stat found {};
  if (stat(place.c_str(), &found) != 0)
    // A directory that may not be entered is not the same as a missing file.
    return state + (errno == ENOENT || errno == ENOTDIR ? "absent" : fmt::format("error-{}", errno));
  constexpr mode_t permissions = 07777;
  const std::string mode =
      has(access, Access::status) ? fmt::format("-{:o}", found.st_mode & permissions) : std::string();
  if (S_ISDIR(found.st_mode))
    return state + "directory" + mode + (has(access, Access::listing) ? ':' + names_in(place) : "");
  if (S_ISREG(found.st_mode))
    return state + ((found.st_mode & S_IXUSR) != 0 ? "program" : "file") + mode + ':' + of_file(found);
  return state + fmt::format("special-{:o}", found.st_mode & S_IFMT);
}

/// Whether the kernel makes the file when it is looked up: its inode and times mean nothing.
bool is_of_kernel(const struct stat& file) {
  static const std::array<dev_t, 2> devices = [] {
    std::array<dev_t, 2> known{};
    struct stat top {};
    if (stat("/proc/self", &top) == 0)
      known[0] = top.st_dev;
    if (stat("/sys", &top) == 0)
      known[1] = top.st_dev;
    return known;
  }();
  return std::ranges::find(devices, file.st_dev) != devices.end();
}

std::string escaped(std::string_view path) {
  std::string text;
  for (const char character : path)
    if (character == '\n')
      text += "\\n";
    else if (character == '\\')
      text += "\\\\";
    else
      text += character;
  return text;
}

std::string unescaped(std::string_view text) {
  std::string path;
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text[at] != '\\' || at + 1 == text.size())
      path += text[at];
    else
      path += text[++at] == 'n' ? '\n' : text[at];
  return path;
}

/// By the name that is looked up, and by the file's name, which is the only name that a trace has.
LoaderCache loader_cache(const std::string& path) {
  LoaderCache cache;
  constexpr std::size_t largest = std::size_t{64} << 20U;
  const auto bytes = DiskFiles().read(path, largest);
  const auto entries = bytes ? loader::cache_entries(*bytes) : std::nullopt;
  if (!entries)
    return cache;
  cache.is_readable = true;
  for (const loader::CacheEntry& entry : *entries) {
    std::string text;
    for (const std::string_view part : {entry.name, entry.path, entry.capability})
      text.append(part).append(1, '\0');
    text += fmt::format("{:x} {:x} {:x}", entry.flags, entry.os_version, entry.extensions);
    for (const std::string& name : std::set{std::string(entry.name), std::string(base_name(entry.path))})
      cache.entries.emplace(name, text);
  }
  return cache;
}

} // namespace

bool is_lookup(const Input& input) {
  return has(input.access, Access::lookup) && !has(input.access, Access::content);
}

std::string InputStates::resolved(const std::string& path) const {
  for (const Place& place : places_)
    if (path.starts_with(place.name) && (path.size() == place.name.size() || path[place.name.size()] == '/'))
      return place.directory + path.substr(place.name.size());
  return path;
}

std::string InputStates::named(const std::string& path) const {
  for (const Place& place : places_)
    if (path.starts_with(place.directory) &&
        (path.size() == place.directory.size() || path[place.directory.size()] == '/'))
      return place.name + path.substr(place.directory.size());
  return path;
}

void InputStates::forget_places() {
  std::erase_if(known_, [](const auto& each) { return each.first.first.starts_with('$'); });
  const auto is_below_one = [&](const auto& each) { return named(each.first).starts_with('$'); };
  std::erase_if(contents_, is_below_one);
  std::erase_if(caches_, is_below_one);
}

std::string InputStates::content(const std::string& path) {
  const auto [known, is_new] = contents_.try_emplace(path);
  if (is_new) {
    const auto hash = sha256_of_file(path);
    known->second = hash ? *hash : "unreadable";
  }
  return known->second;
}

std::string InputStates::lookups(const std::string& path, const std::vector<Input>& list) {
  const auto [known, is_new] = caches_.try_emplace(path);
  if (is_new)
    known->second = loader_cache(path);
  if (!known->second.is_readable)
    return content(path);
  std::set<std::string> names;
  for (const Input& input : list)
    names.emplace(base_name(input.path));
  Sha256 hash;
  for (const std::string& name : names) {
    const auto [first, last] = known->second.entries.equal_range(name);
    for (auto entry = first; entry != last; ++entry)
      hash.update(entry->second + '\n');
  }
  return "lookups:" + hash.hex();
}

std::string InputStates::of(const std::string& path, unsigned access) {
  return of(Input{path, access, {}}, std::vector<Input>());
}

std::string InputStates::of(const Input& input, const std::vector<Input>& list) {
  const auto known = known_.find({input.path, input.access});
  if (known != known_.end())
    return known->second;
  const std::string place = resolved(input.path);
  if (place.starts_with('$')) // there is no such tree
    return "unknown";
  const bool is_top = std::ranges::find(places_, place, &Place::directory) != places_.end();
  // Who checks a tree out makes its directory, and with it the mode.
  const unsigned seen = is_top ? input.access & ~static_cast<unsigned>(Access::status) : input.access;
  const std::string state = found_at(place, seen, [&](const struct stat& file) {
    return is_lookup(input)                     ? lookups(place, list)
           : has(input.access, Access::content) ? content(place)
                                                : fmt::format("{}", file.st_size);
  });
  if (!is_lookup(input))
    known_.emplace(std::pair(input.path, input.access), state);
  return state;
}

std::string stamp_of(const std::string& path, unsigned access) {
  return found_at(path, access | static_cast<unsigned>(Access::status), [](const struct stat& file) {
    // Not by the time of its last change of any kind, which a further name of the file is as well.
    return is_of_kernel(file) ? std::string()
                              : fmt::format("{}:{}:{}.{:09}", file.st_ino, file.st_size, file.st_mtim.tv_sec,
                                            file.st_mtim.tv_nsec);
  });
}

Trace stamped_trace() {
  Trace trace;
  trace.stamp = stamp_of;
  return trace;
}

std::vector<Input> inputs_of(const Trace& trace, InputStates& states) {
  std::map<std::string, unsigned> accesses;
  for (const auto& [path, access] : trace.accessed)
    accesses[states.named(path)] |= access;
  std::vector<Input> inputs;
  inputs.reserve(accesses.size());
  for (const auto& [path, access] : accesses)
    inputs.push_back({path, access, states.of(path, access)});
  // After all was read: what is as it was at the first access was so in between.
  for (const auto& [at, stamp] : trace.stamps) {
    if (trace.written.contains(at.first) || stamp_of(at.first, at.second) == stamp)
      continue;
    const std::string name = states.named(at.first);
    const auto input = std::ranges::lower_bound(inputs, name, {}, &Input::path);
    const bool is_listing = at.second == static_cast<unsigned>(Access::listing);
    if (input != inputs.end() && input->path == name && input->state != changed_state)
      input->state = is_listing ? changed_names : changed_state;
  }
  return inputs;
}

void take_lookups(std::vector<Input>& list, InputStates& states) {
  for (Input& input : list)
    if (is_lookup(input) && input.state != changed_state)
      input.state = states.of(input, list);
}

std::string input_lines(const std::vector<Input>& inputs) {
  std::string text;
  for (const Input& input : inputs)
    text += fmt::format("{} {} {}\n", input.access, input.state, escaped(input.path));
  return text;
}

Result<std::vector<Input>> read_inputs(std::string_view text, const std::string& of) {
  std::vector<Input> inputs;
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = text.find('\n', at);
    const std::string_view row = text.substr(at, end - at);
    const std::size_t first = row.find(' '), second = row.find(' ', first + 1);
    Input input;
    const auto number = std::from_chars(row.data(), row.data() + std::min(first, row.size()), input.access);
    if (end == std::string_view::npos || second == std::string_view::npos || number.ec != std::errc() ||
        number.ptr != row.data() + first || first + 1 == second || second + 1 == row.size())
      return failure(fmt::format("{}:{}: this is not an input of a cell", of, line),
                     "the file is damaged: remove it, and its cell runs again");
    input.state = row.substr(first + 1, second - first - 1);
    input.path = unescaped(row.substr(second + 1));
    inputs.push_back(std::move(input));
    at = end + 1;
  }
  return inputs;
}

} // namespace hostpin::matrix
