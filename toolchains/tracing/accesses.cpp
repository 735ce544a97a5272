// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/tracing/accesses.hpp"

#include <filesystem>
#include <system_error>

namespace hostpin::tracing {

bool has_changed(const Trace& trace, const std::string& path) {
  for (auto at = trace.stamps.lower_bound({path, 0}); at != trace.stamps.end() && at->first.first == path;
       ++at)
    if (trace.stamp(path, at->first.second) != at->second)
      return true;
  return false;
}

Trace whole_tree(const std::string& directory) {
  namespace fs = std::filesystem;
  constexpr unsigned any = static_cast<unsigned>(Access::content) | static_cast<unsigned>(Access::status) |
                           static_cast<unsigned>(Access::listing) | static_cast<unsigned>(Access::target);
  Trace trace;
  trace.accessed[directory] = any;
  std::error_code error;
  for (fs::recursive_directory_iterator
           entry(directory, fs::directory_options::skip_permission_denied, error),
       end;
       !error && entry != end; entry.increment(error))
    trace.accessed[entry->path().string()] = any;
  return trace;
}

void note_access(Trace& trace, const std::string& path, unsigned access) {
  constexpr auto listing = static_cast<unsigned>(Access::listing);
  unsigned& known = trace.accessed[path];
  const unsigned added = access & ~known;
  for (const unsigned kind : {static_cast<unsigned>(Access::target), listing})
    if (trace.stamp && (kind == listing ? (added & listing) != 0 : known == 0))
      trace.stamps.try_emplace({path, kind}, trace.stamp(path, kind));
  known |= access;
}

} // namespace hostpin::tracing
