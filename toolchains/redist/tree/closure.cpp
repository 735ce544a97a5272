// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/closure.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/redist/tree/binaries.hpp"
#include "toolchains/redist/tree/texts.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace hostpin::redist {

namespace {

std::string package_of(const Root& root, const RootFile& file) {
  const LockedArchive* const archive = root.archive_of(file);
  return archive == nullptr ? std::string("hostpin") : archive->package;
}

std::string platform_of(const Root& root, const RootFile& file) {
  const LockedArchive* const archive = root.archive_of(file);
  return archive == nullptr ? std::string() : archive->platform;
}

/// Every file that is reached by steps of at most `most`, with the step that led to each.
struct Reached {
  std::vector<std::optional<std::size_t>> from;     ///< the file before; nothing for chosen ones
  std::vector<std::optional<ClosureReason>> reason; ///< nothing: not reached
};

std::vector<ClosureStep> path_to(std::size_t file, const Reached& reached) {
  std::vector<ClosureStep> path;
  for (std::optional<std::size_t> at = file; at; at = reached.from[*at])
    path.push_back({*at, *reached.reason[*at]});
  std::ranges::reverse(path);
  return path;
}

} // namespace

std::string_view to_string(ClosureReason reason) {
  constexpr std::array<std::string_view, 4> names{"chosen", "needed", "opened", "included"};
  return names.at(static_cast<std::size_t>(reason));
}

Result<std::vector<std::size_t>> chosen_files(const Root& root, const std::string& request) {
  std::vector<std::size_t> chosen;
  std::set<std::string> packages;
  const std::size_t dot = request.rfind('.');
  for (std::size_t index = 0; index < root.files().size(); ++index) {
    const RootFile& file = root.files()[index];
    if (!file.entry->link.empty() || !file.entry->archive)
      continue;
    const std::string package = package_of(root, file);
    packages.insert(package);
    const bool output = dot != std::string::npos && package == request.substr(0, dot) &&
                        file.entry->output == request.substr(dot + 1);
    if (package == request || output || file.entry->path == request ||
        base_name(file.entry->path) == request || (file.image && file.image->soname == request))
      chosen.push_back(index);
  }
  if (!chosen.empty())
    return chosen;
  return failure("nothing in the tree is called " + escaped(request),
                 "name a package, PACKAGE.OUTPUT or a file; the packages are " + joined(packages));
}

std::vector<std::string> all_requests(const Root& root) {
  std::set<std::string> requests;
  for (const RootFile& file : root.files())
    if (file.entry->archive && file.entry->link.empty() && file.entry->output != "license")
      requests.insert(package_of(root, file) + '.' + file.entry->output);
  return {requests.begin(), requests.end()};
}

std::size_t Relations::index_of(const RootFile& file) const {
  return static_cast<std::size_t>(&file - root_.files().data());
}

void Relations::add_library_edges(const RootFile& file, Edges& edges) {
  const auto add = [&](const std::string& name, const RootFile* found, ClosureReason reason) {
    const std::string_view by = facts_.compose.provider(name);
    if (found != nullptr)
      edges.steps.push_back({index_of(*found), reason});
    else if (by.empty())
      edges.missing.push_back(name);
    else if (by != "compiler")
      edges.expected.push_back(name);
  };
  for (const std::string& name : file.image->needed) {
    add(name, root_.library(file, name), ClosureReason::needed);
  }
  const auto bytes = binary::MappedFile::open(file.file);
  if (!bytes)
    return;
  std::vector<std::string> known = file.image->needed;
  known.push_back(file.image->soname);
  for (const std::string& name : names_opened(bytes->bytes(), facts_.content, known))
    if (library_stem(name) != library_stem(base_name(file.entry->path)))
      add(name, root_.opened(file, name), ClosureReason::opened);
}

void Relations::add_header_edges(const RootFile& file, Edges& edges) {
  const auto bytes = binary::MappedFile::open(file.file);
  if (!bytes)
    return;
  const std::size_t at = file.entry->path.find("include/");
  const std::string top = at == std::string::npos ? "" : file.entry->path.substr(0, at + 8);
  for (const auto& [name, quoted] : includes_of(bytes->bytes()))
    for (const std::string& directory : {Root::directory_of(file), top, top + "cccl/"})
      if (const RootFile* const found = root_.at(directory + name)) {
        edges.steps.push_back({index_of(*found), ClosureReason::included});
        break;
      }
}

const Relations::Edges& Relations::edges(std::size_t index) {
  edges_.resize(root_.files().size());
  Edges& edges = edges_[index];
  if (std::exchange(edges.read, true))
    return edges;
  const RootFile& file = root_.files()[index];
  if (file.image && file.entry->output != "stubs")
    add_library_edges(file, edges);
  else if (file.entry->output == "include")
    add_header_edges(file, edges);
  return edges;
}

FileClosure Relations::closure(const std::vector<std::size_t>& chosen) {
  Reached reached{std::vector<std::optional<std::size_t>>(root_.files().size()),
                  std::vector<std::optional<ClosureReason>>(root_.files().size())};
  FileClosure closure;
  std::set<std::string> expected, missing;
  std::uint64_t bytes = 0;
  std::vector<std::size_t> order;
  const auto reach = [&](std::size_t file, ClosureReason reason, std::optional<std::size_t> from) {
    if (reached.reason[file])
      return;
    reached.reason[file] = reason;
    reached.from[file] = from;
    bytes += root_.files()[file].size;
    order.push_back(file);
  };
  for (const std::size_t file : chosen)
    reach(file, ClosureReason::chosen, {});
  closure.chosen = bytes;
  // All that NEEDED leads to first, then what is opened, then headers: each step adds to the one before.
  for (const ClosureReason most : {ClosureReason::needed, ClosureReason::opened, ClosureReason::included}) {
    for (std::size_t done = 0; done < order.size(); ++done) {
      const std::size_t file = order[done];
      for (const ClosureStep& step : edges(file).steps)
        if (step.reason <= most)
          reach(step.file, step.reason, file);
    }
    (most == ClosureReason::needed   ? closure.needed
     : most == ClosureReason::opened ? closure.opened
                                     : closure.included) = bytes;
  }
  std::map<std::tuple<std::string, std::string, std::string>, ClosurePart> parts;
  for (const std::size_t file : order) {
    const RootFile& one = root_.files()[file];
    ClosurePart& part = parts[{package_of(root_, one), platform_of(root_, one), one.entry->output}];
    if (part.files++ == 0) {
      part.package = package_of(root_, one);
      part.platform = platform_of(root_, one);
      part.output = one.entry->output;
      part.reason = *reached.reason[file];
      part.why = path_to(file, reached);
    }
    part.bytes += one.size;
    const Edges& of_file = edges(file);
    expected.insert(of_file.expected.begin(), of_file.expected.end());
    missing.insert(of_file.missing.begin(), of_file.missing.end());
  }
  for (auto& [key, part] : parts)
    closure.parts.push_back(std::move(part));
  closure.expected.assign(expected.begin(), expected.end());
  closure.missing.assign(missing.begin(), missing.end());
  return closure;
}

} // namespace hostpin::redist
