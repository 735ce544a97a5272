// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/copy.hpp"

#include "hooks/leak-check/judge/policy.hpp"
#include "hooks/leak-check/needles/path_text.hpp"
#include "toolchains/base/writing.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <random>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace hostpin::leak {

namespace {

using Descriptor = std::shared_ptr<const binary::OpenFile>;

Descriptor open_directory(int above, const std::string& name, int flags) {
  const int descriptor = ::openat(above, name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | flags);
  return descriptor < 0 ? nullptr : std::make_shared<const binary::OpenFile>(descriptor);
}

/// With the slash at its end; `.` for a name alone.
std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

Result<FixPlace> place_below(const std::string& file, const RootedFiles& root) {
  const auto outside = [&] {
    return failure("it is outside --root " + root.root() + ", where nothing is changed",
                   "name it separately, without --root");
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
    return failure("its directory cannot be read: " + binary::system_reason(),
                   "run it as a user with write permission for the tree");
  return FixPlace{real, std::move(directory), std::string(file_name(real)), real};
}

namespace {

constexpr const char* as_another = "run it as a user with write permission for the tree";

/// Attributes that a file system sets on every file.
constexpr std::array<std::string_view, 3> given_attributes = {"security.selinux", "security.SMACK64",
                                                              "system.nfs4_acl"};

tl::unexpected<Error> failed(const std::string& what) {
  return failure(what + ": " + binary::system_reason(), as_another);
}

/// Blocks signals while there is a temporary name.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_{};
};

Descriptor open_at(int directory, const std::string& name, int flags, unsigned mode = 0) {
  const int descriptor = ::openat(directory, name.c_str(), flags | O_CLOEXEC, mode);
  return descriptor < 0 ? nullptr : std::make_shared<const binary::OpenFile>(descriptor);
}

std::string temporary_name(const std::string& name) {
  std::random_device random;
  return name + ".hostpin-" + std::to_string(random());
}

std::string through_proc(const std::string& process, int descriptor) {
  return "/proc/" + process + "/fd/" + std::to_string(descriptor);
}

bool copy_all(int from, int to) {
  std::vector<char> buffer(std::size_t{1} << 18U);
  for (off_t at = 0;;) {
    const ssize_t count = ::pread(from, buffer.data(), buffer.size(), at);
    if (count == 0)
      return true;
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 || !write_all(to, {buffer.data(), static_cast<std::size_t>(count)}))
      return false;
    at += count;
  }
}

Result<void> check_attributes(int descriptor) {
  if (::fgetxattr(descriptor, "security.capability", nullptr, 0) > 0)
    return failure("it has capabilities", "rebuild it");
  if (::fgetxattr(descriptor, "system.posix_acl_access", nullptr, 0) > 0)
    return failure("it has an access control list", "rebuild it");
  std::vector<char> names(65536); // XATTR_LIST_MAX
  const ssize_t size = ::flistxattr(descriptor, names.data(), names.size());
  if (size < 0 && errno != ENOTSUP)
    return failed("its attributes cannot be read");
  std::string_view rest(names.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find('\0'));
    if (std::ranges::find(given_attributes, name) == given_attributes.end())
      return failure("it has the extended attribute " + std::string(name),
                     "remove it with setfattr -x, or rebuild the file");
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
  }
  return {};
}

/// The opened file, which cannot be exchanged any more. `status` is the result of fstat.
Result<Descriptor> opened(int directory, const std::string& name, struct stat& status) {
  if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return failed("it cannot be read");
  if (!S_ISREG(status.st_mode)) // opening a device can have effects
    return failure("it is not a regular file", "rebuild it");
  auto file = open_at(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (!file || ::fstat(file->descriptor(), &status) != 0)
    return failed("it cannot be read");
  if (!S_ISREG(status.st_mode))
    return failure("it is not a regular file", "rebuild it");
  if (status.st_nlink > 1)
    return failure("it has several names (hard links)", "rebuild it");
  if ((status.st_mode & (S_ISUID | S_ISGID)) != 0)
    return failure("it has set-id bits", "rebuild it");
  TRY(check_attributes(file->descriptor()));
  return file;
}

Result<void> check_directory(int directory) {
  struct stat status {};
  if (::fstat(directory, &status) != 0)
    return failed("its directory cannot be read");
  if ((status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0)
    return failure("all users may replace files in its directory", "remove that permission with chmod o-w");
  if (::geteuid() == 0 && status.st_uid != 0)
    return failure("its directory belongs to user " + std::to_string(status.st_uid) +
                       ", who could make root write elsewhere",
                   "run it as that user, or give the directory to root");
  return {};
}

} // namespace

Result<void> may_replace(const FixPlace& place, const std::vector<std::string>& vendor) {
  if (is_below(place.path, vendor))
    return failure("it is a vendor file (--vendor)", "fix it by hand, or rebuild it");
  struct stat status {};
  TRY(opened(place.directory->descriptor(), place.name, status));
  return {};
}

FileCopy::Identity FileCopy::Identity::of(const struct stat& status) {
  const auto nanoseconds = [](const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  return {status.st_dev, status.st_ino, status.st_size, nanoseconds(status.st_mtim),
          nanoseconds(status.st_ctim)};
}

Result<FileCopy> FileCopy::next_to(const FixPlace& original_place) {
  const int place = original_place.directory->descriptor();
  const std::string& name = original_place.name;
  struct stat status {};
  TRY_ASSIGN(const auto original, opened(place, name, status));
  TRY(check_directory(place));
  auto made = open_at(place, ".", O_TMPFILE | O_RDWR, 0600);
  const bool can_be_named = made != nullptr;
  if (!made && (errno == EOPNOTSUPP || errno == EISDIR)) {
    const SignalsBlocked blocked;
    const std::string temporary = temporary_name(name);
    made = open_at(place, temporary, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW, 0600);
    if (made && ::unlinkat(place, temporary.c_str(), 0) != 0)
      return failed("a copy cannot be created next to it");
  }
  if (!made || !copy_all(original->descriptor(), made->descriptor()))
    return failed("a copy cannot be created next to it");
  FileCopy copy(original_place.directory, name, std::move(made), can_be_named);
  copy.original_ = Identity::of(status);
  copy.owner_ = status.st_uid;
  copy.group_ = status.st_gid;
  copy.mode_ = status.st_mode & 07777U;
  return copy;
}

std::string FileCopy::path() const {
  return through_proc(std::to_string(::getpid()), copy_->descriptor());
}

/// Written to disk before it gets its name, so that no crash leaves half a file under it.
Result<void> FileCopy::finished(int descriptor) const {
  if (::fchown(descriptor, owner_, group_) != 0)
    return failed("the owner of a copy cannot be set");
  if (::fchmod(descriptor, mode_) != 0 || ::fsync(descriptor) != 0)
    return failed("a copy cannot be written");
  return {};
}

Result<void> FileCopy::named(const std::string& temporary) const {
  const int directory = directory_->descriptor();
  if (can_be_named_) {
    if (::linkat(AT_FDCWD, through_proc("self", copy_->descriptor()).c_str(), directory, temporary.c_str(),
                 AT_SYMLINK_FOLLOW) != 0)
      return failed("a copy cannot replace it");
    return {};
  }
  const Descriptor named = open_at(directory, temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0600);
  if (!named)
    return failed("a copy cannot replace it");
  auto whole = copy_all(copy_->descriptor(), named->descriptor()) ? finished(named->descriptor())
                                                                  : failed("a copy cannot be written");
  if (!whole)
    ::unlinkat(directory, temporary.c_str(), 0);
  return whole;
}

Result<void> FileCopy::replace_original() const {
  if (can_be_named_)
    TRY(finished(copy_->descriptor()));
  const int directory = directory_->descriptor();
  const std::string temporary = temporary_name(name_);
  const SignalsBlocked blocked;
  TRY(named(temporary));
  struct stat status {};
  const bool is_there = ::fstatat(directory, name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (is_there && Identity::of(status) == original_ &&
      ::renameat(directory, temporary.c_str(), directory, name_.c_str()) == 0)
    return {};
  auto why = is_there && Identity::of(status) != original_
                 ? failure("it was modified meanwhile", "scan it again")
                 : failed("a copy cannot replace it");
  ::unlinkat(directory, temporary.c_str(), 0);
  return why;
}

} // namespace hostpin::leak
