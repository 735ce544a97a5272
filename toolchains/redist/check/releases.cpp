// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/check/releases.hpp"

#include "toolchains/redist/lock.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace hostpin::redist {

namespace {

class Reader {
public:
  Reader(Releases& into, std::vector<Finding>& findings) : into_(into), findings_(findings) {}

  void read(const document::Value& root) {
    check_keys(root);
    const document::Value* const releases = root.find("releases");
    const document::Value& platforms = releases == nullptr ? root : *releases;
    if (releases != nullptr) {
      for (const document::Member& member : root.members)
        if (&member.value != releases)
          read_heading(member);
      check_keys(platforms);
    }
    for (const document::Member& member : platforms.members)
      read_platform(member);
  }

private:
  void add(Rule rule, Position at, const std::string& subject, std::string explanation) {
    findings_.push_back(finding(rule, into_.file, at, subject, std::move(explanation)));
    findings_.back().platform = platform_;
    findings_.back().entry = entry_;
  }

  void check_keys(const document::Value& object) {
    if (object.kind != document::Value::Kind::object)
      add(Rule::wrong_type, object.at, "releases",
          "This is of type " + std::string(to_string(object.kind)) + ", and should be an object.");
    std::set<std::string_view> seen;
    for (const document::Member& member : object.members)
      if (!seen.insert(member.key).second)
        add(Rule::duplicate_key, member.at, member.key, "'" + member.key + "' occurs twice.");
  }

  /// What the file is about; not used where it is not a string.
  void read_heading(const document::Member& member) {
    if (member.value.kind != document::Value::Kind::string)
      add(Rule::wrong_type, member.value.at, member.key, "'" + member.key + "' is not a string.");
    else if (member.key == "product")
      into_.product = member.value.text;
  }

  void read_platform(const document::Member& member) {
    platform_ = member.key;
    if (member.value.kind != document::Value::Kind::array)
      add(Rule::wrong_type, member.value.at, member.key, "'" + member.key + "' is not an array of releases.");
    for (const document::Value& item : member.value.items)
      read_release(item);
    platform_.clear();
  }

  void read_release(const document::Value& item) {
    entry_ = item.at;
    check_keys(item);
    ListedRelease release;
    release.platform = platform_;
    release.at = item.at;
    for (const document::Member& member : item.members) {
      Text* const field = field_of(release, member.key);
      if (field == nullptr)
        add(Rule::wrong_type, member.at, member.key, "'" + member.key + "' is not a key of a release.");
      else if (member.value.kind == document::Value::Kind::null && member.key == "cudnnVersion")
        continue; // TensorRT 8.6.1.6 needs none
      else if (member.value.kind != document::Value::Kind::string)
        add(Rule::wrong_type, member.value.at, member.key, "'" + member.key + "' is not a string.");
      else
        *field = {member.value.text, member.value.at};
      release.is_file_name |= member.key == "filename";
    }
    for (const auto& [key, text] :
         {std::pair("version", &release.version), std::pair("minCudaVersion", &release.min_cuda),
          std::pair("maxCudaVersion", &release.max_cuda), std::pair("url", &release.location),
          std::pair("hash", &release.hash)})
      if (item.kind == document::Value::Kind::object && !text->is_present())
        add(Rule::wrong_type, item.at, key, "'" + std::string(key) + "' is missing.");
    into_.releases.push_back(std::move(release));
    entry_ = {};
  }

  static Text* field_of(ListedRelease& release, std::string_view key) {
    const std::pair<std::string_view, Text*> fields[] = {{"version", &release.version},
                                                         {"minCudaVersion", &release.min_cuda},
                                                         {"maxCudaVersion", &release.max_cuda},
                                                         {"cudnnVersion", &release.cudnn},
                                                         {"url", &release.location},
                                                         {"filename", &release.location},
                                                         {"hash", &release.hash}};
    for (const auto& [name, field] : fields)
      if (name == key)
        return field;
    return nullptr;
  }

  Releases& into_;
  std::vector<Finding>& findings_;
  std::string platform_;
  Position entry_; // the release's that is being read; zeros outside of one
};

/// `12.4`, as major and minor.
std::optional<std::pair<int, int>> cuda_release(std::string_view text) {
  std::pair<int, int> release;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, release.first);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.')
    return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, release.second);
  return minor.ec == std::errc() && minor.ptr == end ? std::optional(release) : std::nullopt;
}

/// Whether a name, such as `cudnn-11.0-linux-x64-v8.0.5.39.tgz`, is one for this platform.
bool fits_platform(std::string_view name, const Platform& platform, const Facts& facts) {
  const auto names = [&](std::string_view text) { return name.find(text) != std::string_view::npos; };
  for (const Platform& one : facts.platforms)
    if (names(one.name))
      return one.name == platform.name;
  const bool is_intel = platform.machine.starts_with("x86_64");
  return names(platform.machine.substr(0, platform.machine.find('-'))) || (is_intel && names("x64"));
}

/// Adds findings on one release.
class ReleaseChecker {
public:
  ReleaseChecker(const Releases& releases, const ListedRelease& release, const Facts& facts,
                 std::vector<Finding>& findings)
      : releases_(releases), release_(release), facts_(facts), findings_(findings),
        name_(release.location.value.substr(release.location.value.rfind('/') + 1)) {}

  void check() {
    if (release_.hash.is_present() && hex_of_sri(release_.hash.value).empty())
      add(Rule::malformed_hash, release_.hash.at, name_,
          "'" + release_.hash.value +
              "' is not an SRI hash: sha256- and 44 characters of base64, the last one '='.");
    check_cuda();
    if (release_.location.is_present())
      check_location();
  }

private:
  void add(Rule rule, Position at, const std::string& subject, std::string explanation) {
    Finding& found =
        findings_.emplace_back(finding(rule, releases_.file, at, subject, std::move(explanation)));
    found.platform = release_.platform;
    found.package = releases_.product;
    found.entry = release_.at;
  }

  void check_cuda() {
    for (const auto& [key, text] :
         {std::pair("minCudaVersion", &release_.min_cuda), std::pair("maxCudaVersion", &release_.max_cuda),
          std::pair("cudnnVersion", &release_.cudnn)})
      if (text->is_present() && !cuda_release(text->value))
        add(Rule::wrong_type, text->at, key,
            "'" + std::string(key) + "' is '" + text->value + "', and should be a major and a minor number.");
    const auto least = cuda_release(release_.min_cuda.value), most = cuda_release(release_.max_cuda.value);
    if (least && most && *least > *most)
      add(Rule::wrong_type, release_.min_cuda.at, "minCudaVersion",
          "No CUDA release is between " + release_.min_cuda.value + " and " + release_.max_cuda.value + '.');
  }

  void check_location() {
    const std::string& location = release_.location.value;
    const bool is_url = !release_.is_file_name && location.starts_with("https://");
    if (!is_safe_path(is_url ? std::string_view(location).substr(8) : std::string_view(location)) ||
        (release_.is_file_name && name_ != location))
      add(Rule::unsafe_path, release_.location.at, location,
          "'" + location + "' is neither an https URL nor the name of a file.");
    if (release_.version.is_present() && name_.find(release_.version.value) == std::string::npos)
      add(Rule::version_in_name, release_.location.at, name_,
          "The version is '" + release_.version.value + "', and the archive is called '" + name_ + "'.");
    const Platform* const platform = facts_.platform(release_.platform);
    if (platform == nullptr)
      return;
    if ((platform->format == "zip") != name_.ends_with(".zip"))
      add(Rule::wrong_format, release_.location.at, name_,
          "Archives for " + release_.platform + " are " + platform->format + " files.");
    if (!fits_platform(name_, *platform, facts_))
      add(Rule::platform_in_path, release_.location.at, name_,
          "The archive is listed for " + release_.platform + ", and called '" + name_ + "'.");
  }

  const Releases& releases_;
  const ListedRelease& release_;
  const Facts& facts_;
  std::vector<Finding>& findings_;
  std::string name_;
};

/// The value of a base64 digit (RFC 4648), -1 for another character.
int digit_of(char letter) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t at = digits.find(letter);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

} // namespace

bool is_releases(const document::Value& json) {
  if (json.kind != document::Value::Kind::object || json.members.empty())
    return false;
  return json.find("releases") != nullptr ||
         std::ranges::all_of(json.members, [](const document::Member& one) {
           return one.value.kind == document::Value::Kind::array;
         });
}

Releases read_releases(const document::Value& json, const std::string& file, std::vector<Finding>& findings) {
  Releases releases;
  releases.file = file;
  Reader(releases, findings).read(json);
  return releases;
}

void check_releases_file(const Releases& releases, const Facts& facts, std::vector<Finding>& findings) {
  for (const ListedRelease& one : releases.releases)
    ReleaseChecker(releases, one, facts, findings).check();
}

std::string hex_of_sri(std::string_view sri) {
  constexpr std::string_view kind = "sha256-";
  constexpr std::size_t length = 44; // 32 bytes in groups of 3, the last one padded
  if (!sri.starts_with(kind) || sri.size() != kind.size() + length || sri.back() != '=')
    return {};
  std::string hex;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char letter : sri.substr(kind.size(), length - 1)) {
    const int digit = digit_of(letter);
    if (digit < 0)
      return {};
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    for (count += 6; count >= 4; count -= 4)
      hex += "0123456789abcdef"[(bits >> (count - 4)) & 15U];
  }
  // 43 digits have 258 bits: the last two are zeros.
  return (bits & 3U) == 0 ? hex : std::string();
}

} // namespace hostpin::redist
