// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/slices/store.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/base/json_number.hpp"
#include "toolchains/base/own_files.hpp"
#include "toolchains/base/system_call.hpp"
#include "toolchains/base/writing.hpp"
#include "wrapper/slices/digest.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <tuple>

#include <nlohmann/json.hpp>

namespace hostpin::slices {

namespace {

using nlohmann::json;

// Layout of a slice: magic, digest of all that follows its line, one line of JSON, contents. The slices of
// `hostpin fatbin` are another format and begin with `hostpin slice `.
constexpr std::string_view magic = "hostpin stored slice 1\n";
constexpr std::size_t digest_digits = 32;

/// Removes and returns the first `size` bytes; nothing if there are fewer.
std::optional<std::string> take(std::string_view& bytes, std::size_t size) {
  if (size > bytes.size())
    return std::nullopt;
  std::string taken(bytes.substr(0, size));
  bytes.remove_prefix(size);
  return taken;
}

/// The sizes of the parts; nothing if one is not a whole number.
std::optional<std::vector<std::size_t>> sizes_in(const json& object) {
  std::vector<std::size_t> sizes;
  for (const json& each : object.value("sizes", json::array()))
    if (const auto size = whole_number<std::size_t>(each))
      sizes.push_back(*size);
    else
      return std::nullopt;
  return sizes;
}

/// JSON without exceptions; `Value()` if there is no such member of that type.
template <typename Value>
Value member(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end())
    return {};
  try {
    return found->get<Value>();
  } catch (const json::exception&) {
    return {};
  }
}

std::optional<json> parsed(std::string_view text) {
  json value = json::parse(text, nullptr, false);
  return value.is_object() ? std::optional(std::move(value)) : std::nullopt;
}

/// Any bytes as JSON text and back: nlohmann::json accepts UTF-8 only.
std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

RecordedStep step_of(const json& value) {
  return {member<std::string>(value, "tool"),   member<std::string>(value, "gpu"),
          member<std::string>(value, "source"), member<std::string>(value, "key"),
          member<double>(value, "seconds"),     member<bool>(value, "reused")};
}

} // namespace

std::string write_slice(const Slice& slice) {
  std::vector<std::size_t> sizes{slice.output.size(), slice.errors.size()};
  for (const std::string& file : slice.files)
    sizes.push_back(file.size());
  std::string body = dumped({{"tool", slice.tool},
                             {"gpu", slice.gpu},
                             {"source", slice.source},
                             {"seconds", slice.seconds},
                             {"sizes", sizes}}) +
                     '\n' + slice.output + slice.errors;
  for (const std::string& file : slice.files)
    body += file;
  return std::string(magic).append(digest_of(body)).append(1, '\n').append(body);
}

std::optional<Slice> read_slice(std::string_view bytes) {
  if (!bytes.starts_with(magic) || bytes.size() < magic.size() + digest_digits + 1 ||
      bytes[magic.size() + digest_digits] != '\n')
    return std::nullopt;
  const std::string_view digest = bytes.substr(magic.size(), digest_digits);
  bytes.remove_prefix(magic.size() + digest_digits + 1);
  if (digest_of(bytes) != digest)
    return std::nullopt;
  const std::size_t end = std::min(bytes.find('\n'), bytes.size() - (bytes.empty() ? 0 : 1));
  const auto about = parsed(bytes.substr(0, end));
  if (!about)
    return std::nullopt;
  bytes.remove_prefix(end + 1);
  Slice slice{member<std::string>(*about, "tool"),
              member<std::string>(*about, "gpu"),
              member<std::string>(*about, "source"),
              member<double>(*about, "seconds"),
              {},
              {},
              {}};
  const auto sizes = sizes_in(*about);
  for (std::size_t at = 0; sizes && at < sizes->size(); ++at) {
    auto content = take(bytes, (*sizes)[at]);
    if (!content)
      return std::nullopt;
    if (at < 2)
      (at == 0 ? slice.output : slice.errors) = *std::move(content);
    else
      slice.files.push_back(*std::move(content));
  }
  return sizes && bytes.empty() ? std::optional(std::move(slice)) : std::nullopt;
}

std::string write_call(const RecordedCall& call) {
  json steps = json::array();
  for (const RecordedStep& step : call.steps)
    steps.push_back({{"tool", step.tool},
                     {"gpu", step.gpu},
                     {"source", step.source},
                     {"key", step.key},
                     {"seconds", step.seconds},
                     {"reused", step.reused}});
  return dumped({{"hostpin-call", 1},
                 {"directory", call.directory},
                 {"nvcc", call.nvcc},
                 {"name", call.name},
                 {"arguments", call.arguments},
                 {"environment", call.environment},
                 {"steps", steps}}) +
         '\n';
}

std::optional<RecordedCall> read_call(std::string_view text) {
  const auto value = parsed(text);
  if (!value || member<json>(*value, "hostpin-call") != 1)
    return std::nullopt;
  RecordedCall call{member<std::string>(*value, "directory"),
                    member<std::string>(*value, "nvcc"),
                    member<std::string>(*value, "name"),
                    member<std::vector<std::string>>(*value, "arguments"),
                    member<std::map<std::string, std::string>>(*value, "environment"),
                    {}};
  for (const json& step : member<json>(*value, "steps"))
    if (step.is_object())
      call.steps.push_back(step_of(step));
  return call;
}

namespace {

Result<void> make_store(const std::string& directory) {
  for (const char* const room : {"", "/slices", "/calls", "/files"})
    if (const auto made = make_trusted_directories(directory + room); !made)
      return failure(made.error().message,
                     "name a directory that only you can write to: hostpin bind --slices");
  return {};
}

} // namespace

Result<Store> Store::open(const std::string& directory) {
  return make_store(directory).map([&] { return Store(directory); });
}

std::optional<Slice> Store::find(const std::string& key) const {
  const auto content = OwnFiles().read(directory_ + "/slices/" + key, largest_file);
  return content ? read_slice(*content) : std::nullopt;
}

Result<void> Store::put(const std::string& key, const Slice& slice) const {
  return replace_file(directory_ + "/slices/" + key, write_slice(slice), false);
}

std::string Store::file_digest(const std::string& path) const {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    return {};
  Digest question;
  question.add(path);
  for (const auto number :
       {static_cast<long long>(status.st_size), static_cast<long long>(status.st_ino),
        static_cast<long long>(status.st_dev), static_cast<long long>(status.st_mtim.tv_sec),
        static_cast<long long>(status.st_mtim.tv_nsec), static_cast<long long>(status.st_ctim.tv_sec),
        static_cast<long long>(status.st_ctim.tv_nsec)})
    question.add(std::to_string(number));
  const std::string answer = directory_ + "/files/" + question.text();
  if (const auto known = OwnFiles().read(answer, largest_file); known && known->size() == digest_digits)
    return *known;
  std::string digest = digest_of_file(path);
  if (!digest.empty())
    static_cast<void>(replace_file(answer, digest, false)); // else it is read again
  return digest;
}

Result<void> Store::record(const RecordedCall& call) const {
  Digest id;
  id.add(call.directory);
  for (const std::string& argument : call.arguments)
    id.add(argument);
  return replace_file(directory_ + "/calls/" + id.text(), write_call(call), false);
}

std::vector<RecordedCall> Store::calls() const {
  std::vector<RecordedCall> calls;
  for (const std::string& name : DiskFiles().entries(directory_ + "/calls"))
    if (const auto content = OwnFiles().read(directory_ + "/calls/" + name, largest_file))
      if (auto call = read_call(*content))
        calls.push_back(*std::move(call));
  std::stable_sort(calls.begin(), calls.end(), [](const RecordedCall& a, const RecordedCall& b) {
    return std::tie(a.directory, a.arguments) < std::tie(b.directory, b.arguments);
  });
  return calls;
}

} // namespace hostpin::slices
