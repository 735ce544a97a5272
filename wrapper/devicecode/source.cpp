// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/devicecode/source.hpp"

#include "toolchains/base/unicode.hpp"
#include "toolchains/binary/archive.hpp"
#include "toolchains/binary/signature.hpp"
#include "toolchains/devicecode/vendor.hpp"
#include "toolchains/devicecode/with_fatbins.hpp"
#include "wrapper/command/context.hpp"

#include <sys/stat.h>
#include <utility>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

Error about(const std::string& path, const std::string& what, std::string hint = {}) {
  return {fmt::format("{}: {}", escaped(path), what), std::move(hint)};
}

bool is_same_file(const std::string& one, const std::string& other) {
  struct stat first {
  }, second{};
  return stat(one.c_str(), &first) == 0 && stat(other.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

} // namespace

int failed(const Error& error) {
  report(error);
  return exit_broken;
}

Result<OpenSource> open_source(const std::string& path) {
  auto blob = binary::open_blob(path);
  if (!blob)
    return tl::unexpected(about(path, "it cannot be read: " + blob.error().message, blob.error().hint));
  auto file = std::make_unique<binary::InputFile>(*blob);
  const binary::Bytes bytes(*file);
  if (binary::archive_kind(bytes.up_to(0, 8)) != binary::ArchiveKind::none)
    return tl::unexpected(about(path, "it is an archive", "extract its members with ar x, and name those"));
  auto code = devicecode::read_device_code(bytes);
  if (const auto trouble = file->trouble())
    return tl::unexpected(about(path, trouble->message, trouble->hint));
  if (!code)
    return tl::unexpected(about(path, code.error().what));
  if (!*code)
    return tl::unexpected(about(path, "it has no device code that can be changed",
                                "name an object, a program, a shared library, a .fatbin or a slice"));
  return OpenSource{*std::move(blob), std::move(file), {escaped(path), bytes, *std::move(*code)}};
}

std::optional<Error> wrong_output(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs)
    if (is_same_file(output, input))
      return about(output, "it is one of the files that are read", "name another output");
  struct stat status {};
  if (stat(output.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    return about(output, "it is not a file", "name a new file, or one to replace");
  return std::nullopt;
}

std::optional<Error> forbidden(const OpenSource& file, bool licensed_to_modify) {
  if (const auto signature = binary::signature_of(*file.blob.file()))
    return Error{fmt::format("{}: {}", file.source.name, *signature),
                 "change the file before it is signed, or a copy by cp"};
  const auto library = licensed_to_modify ? std::nullopt : devicecode::nvidia_library(file.source.bytes);
  if (!library)
    return std::nullopt;
  return Error{
      fmt::format("{} is NVIDIA's {}, whose licence forbids changing it", file.source.name, *library),
      "use --licensed-to-modify if NVIDIA permits it"};
}

Result<void> write_with_fatbins(const OpenSource& file, std::vector<std::string> fatbins,
                                const std::vector<gpus::Capability>& more, const std::string& output,
                                devicecode::Properties properties) {
  const auto content =
      devicecode::with_fatbins(file.source.bytes, file.source.code, std::move(fatbins), more);
  if (const auto trouble = file.file->trouble())
    return failure(fmt::format("{}: {}", file.source.name, trouble->message), trouble->hint);
  if (!content)
    return failure(fmt::format("{} cannot be changed: {}", file.source.name, content.error().what));
  return devicecode::write_file(*content, file.blob, output, properties);
}

} // namespace hostpin::command
