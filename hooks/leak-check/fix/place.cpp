// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/place.hpp"

#include "hooks/leak-check/needles/path_text.hpp"

#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

namespace hostpin {

namespace {

using Descriptor = std::shared_ptr<const OpenFile>;

Descriptor open_directory(int above, const std::string& name, int flags) {
  const int descriptor = ::openat(above, name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | flags);
  return descriptor < 0 ? nullptr : std::make_shared<const OpenFile>(descriptor);
}

/// With the slash at its end; `.` for a name alone.
std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

Result<FixPlace> place_below(const std::string& file, const RootedFiles& root) {
  const auto outside = [&] {
    return failure("it is outside --root " + root.root() + ", where nothing is changed",
                   "name it by itself, without --root");
  };
  const auto there = root.installed_path(file);
  const auto real = there ? root.real_path(*there) : std::nullopt;
  // A path that the tree does not contain is looked up on this machine, though its directory may be in both.
  if (!real || root.on_disk(*real) != root.root() + *real)
    return outside();
  const Descriptor directory = open_below(root.root(), parent_of(*real));
  if (!directory)
    return outside();
  const std::string name(file_name(*real));
  return FixPlace{*real, directory, name,
                  "/proc/self/fd/" + std::to_string(directory->descriptor()) + '/' + name};
}

} // namespace

Descriptor open_below(const std::string& root, const std::string& path) {
  Descriptor directory = open_directory(AT_FDCWD, root, 0);
  for (const std::string& name : split(path, "/")) {
    if (name.empty() || name == ".")
      continue;
    if (!directory || name == "..")
      return nullptr;
    // openat2 with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS would do the same, but older kernels lack it.
    directory = open_directory(directory->descriptor(), name, O_NOFOLLOW);
  }
  return directory;
}

Result<FixPlace> fix_place(const std::string& file, const World& world) {
  if (world.root != nullptr)
    return place_below(file, *world.root);
  const std::string real = world.files.real_path(file).value_or(file);
  Descriptor directory = open_directory(AT_FDCWD, parent_of(real), 0);
  if (!directory)
    return failure("its directory cannot be read: " + system_reason(),
                   "run it as a user who may write the tree");
  return FixPlace{real, std::move(directory), std::string(file_name(real)), real};
}

} // namespace hostpin
