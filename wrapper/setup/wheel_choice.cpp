// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/setup/wheel_choice.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/document/json.hpp"
#include "toolchains/toolkit/wheels.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hostpin::setup {

namespace {

constexpr std::size_t most_wheels = 200;
// nvcc's versions have larger numbers than any release's updates.
constexpr int most_updates = 9;

bool is_update(const Asked& asked) {
  return asked.cuda && asked.cuda->patch > 0 && asked.cuda->patch <= most_updates;
}

std::string release_of(const Version& version) {
  return fmt::format("{}.{}", version.major, version.minor);
}

const CudaWheel* row_of(const std::vector<CudaWheel>& rows, int cuda, const std::string& extra) {
  const auto row = std::ranges::find_if(rows, [&](const CudaWheel& each) {
    return each.cuda == cuda && !extra.empty() && each.extra == extra;
  });
  return row == rows.end() ? nullptr : &*row;
}

bool has_only(std::string_view text, std::string_view others) {
  return !text.empty() && std::ranges::all_of(text, [&](char each) {
    return std::isalnum(static_cast<unsigned char>(each)) != 0 || others.find(each) != std::string_view::npos;
  });
}

/// As names of distributions are compared (PyPA, "Names and normalization").
std::string normalised(std::string_view name) {
  std::string text;
  for (const char each : name) {
    const bool separates = each == '-' || each == '_' || each == '.';
    if (!separates)
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
    else if (!text.ends_with('-'))
      text += '-';
  }
  return text;
}

std::string text_of(const document::Value* object, std::string_view key) {
  const document::Value* const value = object == nullptr ? nullptr : object->find(key);
  return value != nullptr && value->kind == document::Value::Kind::string ? value->text : std::string();
}

tl::unexpected<Error> refused(const std::string& what) {
  return failure("pip's report has " + what, "use another index, or name another release with --cuda");
}

/// An address that is one argument of pip, and of no version control system.
bool is_address(const std::string& address) {
  const bool is_known =
      address.starts_with("https://") || address.starts_with("http://") || address.starts_with("file:///");
  return is_known && has_only(address, "-._~:/@!&()*+,;=%?[]");
}

std::string file_of(const std::string& address) {
  std::string name(base_name(address.substr(0, address.find('?'))));
  for (std::size_t at = 0; (at = name.find("%2B", at)) != std::string::npos;)
    name.replace(at, 3, "+");
  return name;
}

std::string digest_in(const document::Value* archive) {
  constexpr std::string_view algorithm = "sha256=";
  constexpr std::size_t digits = 64;
  std::string digest = archive == nullptr ? "" : text_of(archive->find("hashes"), "sha256");
  if (const std::string single = text_of(archive, "hash"); digest.empty() && single.starts_with(algorithm))
    digest = single.substr(algorithm.size());
  return digest.size() == digits && is_hex(digest) ? digest : std::string();
}

Result<Package> package_of(const document::Value& item) {
  const document::Value* const metadata = item.find("metadata");
  const document::Value* const download = item.find("download_info");
  Package package;
  package.name = normalised(text_of(metadata, "name"));
  package.version = text_of(metadata, "version");
  if (!has_only(package.name, "-") || !has_only(package.version, ".+!-_"))
    return refused("a package without a valid name and version: '" + escaped(text_of(metadata, "name")) +
                   "' '" + escaped(package.version) + "'");
  const std::string title = package.name + ' ' + package.version;
  package.address = without_user(text_of(download, "url"));
  package.address.resize(std::min(package.address.size(), package.address.find('#')));
  package.file = file_of(package.address);
  if (!is_address(package.address) || !package.file.ends_with(".whl") || package.file.starts_with('.') ||
      !has_only(package.file, "-._+"))
    return refused(title + " from an address that is not of a wheel: " + escaped(package.address));
  package.sha256 = digest_in(download == nullptr ? nullptr : download->find("archive_info"));
  if (package.sha256.empty())
    return refused(title + " without its SHA-256");
  if (const document::Value* const yanked = item.find("is_yanked"); yanked != nullptr && yanked->truth)
    return refused(title + ", which its publisher has withdrawn (yanked)");
  const std::string tags = package.file.substr(0, package.file.size() - std::string_view(".whl").size());
  package.architecture = tags.substr(tags.rfind('-') + 1);
  return package;
}

Result<std::vector<Package>> packages_in(std::string_view report) {
  const auto json = document::parse_json(report);
  if (!json)
    return failure(
        fmt::format("pip's report is not JSON: line {}: {}", json.error().at.line, json.error().what));
  const document::Value* const items = json->find("install");
  if (items == nullptr || items->items.empty() || items->items.size() > most_wheels)
    return refused("no list of packages, or too many");
  std::vector<Package> packages;
  for (const document::Value& item : items->items) {
    TRY_ASSIGN(auto package, package_of(item));
    if (std::ranges::find(packages, package.name, &Package::name) != packages.end() ||
        std::ranges::find(packages, package.file, &Package::file) != packages.end())
      return refused(package.name + " twice");
    packages.push_back(std::move(package));
  }
  std::ranges::sort(packages, {}, &Package::name);
  return packages;
}

/// nvcc's version; what lacks, and wheels that do not belong together, are errors.
Result<Version> checked_version(const std::vector<Package>& packages) {
  std::optional<Version> nvcc;
  std::string nvcc_text;
  for (const CompilerWheel& wheel : compiler_wheels()) {
    const auto found = std::ranges::find(packages, wheel.distribution, &Package::name);
    if (found == packages.end())
      return refused(fmt::format("no {}, without which nothing can be built", wheel.distribution));
    const auto version = parse_version(std::string_view(found->version).substr(0, found->version.find('+')));
    if (!version && wheel.has_release)
      return refused(fmt::format("{} {}, which is no version of CUDA", found->name, found->version));
    if (!nvcc) {
      nvcc = version;
      nvcc_text = found->name + ' ' + found->version;
    } else if (wheel.has_release && (version->major != nvcc->major || version->minor != nvcc->minor)) {
      return refused(
          fmt::format("wheels of different releases: {}, {} {}", nvcc_text, found->name, found->version));
    }
  }
  return *nvcc;
}

} // namespace

bool may_be_wheels(const Asked& asked) {
  return !asked.cuda || asked.cuda->major >= first_wheels;
}

Result<std::vector<std::string>> wheel_requirements(const Asked& asked, const std::vector<CudaWheel>& rows) {
  if (!may_be_wheels(asked))
    return failure(fmt::format("the wheels of CUDA {} have no nvcc", to_string(*asked.cuda)),
                   fmt::format("name a release from {}.0 on, or take NVIDIA's archives with --from redist",
                               first_wheels));
  std::vector<std::string> extras;
  for (const CompilerWheel& wheel : compiler_wheels())
    extras.emplace_back(wheel.extra);
  for (const std::string& library : asked.libraries) {
    if (row_of(rows, first_wheels, library) == nullptr) {
      std::vector<std::string> known;
      for (const CudaWheel& each : rows)
        if (each.cuda == first_wheels && !each.extra.empty())
          known.push_back(each.extra);
      return failure(fmt::format("--libraries: no wheel has a library '{}'", escaped(library)),
                     fmt::format("there are {}", fmt::join(known, ", ")));
    }
    extras.push_back(library);
  }
  const std::string name = fmt::format("cuda-toolkit[{}]", fmt::join(extras, ","));
  if (!asked.cuda)
    return std::vector{fmt::format("{}>={}", name, first_wheels)};
  if (is_update(asked))
    return std::vector{fmt::format("{}=={}.{}", name, release_of(*asked.cuda), asked.cuda->patch)};
  std::vector words{fmt::format("{}=={}.*", name, release_of(*asked.cuda))};
  if (asked.cuda->patch > 0)
    words.push_back(fmt::format("nvidia-cuda-nvcc=={}", to_full_string(*asked.cuda)));
  return words;
}

std::vector<std::string> single_requirements(const Asked& asked, const std::vector<CudaWheel>& rows) {
  std::vector<std::string> words;
  if (!asked.cuda || is_update(asked))
    return words;
  for (const CompilerWheel& wheel : compiler_wheels()) {
    const bool is_exact = words.empty() && asked.cuda->patch > 0;
    words.push_back(std::string(wheel.distribution) + (!wheel.has_release ? ""
                                                       : is_exact
                                                           ? "==" + to_full_string(*asked.cuda)
                                                           : fmt::format("=={}.*", release_of(*asked.cuda))));
  }
  for (const std::string& library : asked.libraries)
    if (const CudaWheel* const row = row_of(rows, first_wheels, library))
      words.push_back(row->distribution);
  return words;
}

Result<Piece> wheels_piece(std::string_view report, const Asked& asked) {
  TRY_ASSIGN(auto packages, packages_in(report));
  TRY_ASSIGN(const auto version, checked_version(packages));
  if (!is_update(asked) && !is_wanted(version, asked))
    return refused(fmt::format("nvcc {}, not {}", to_full_string(version), to_string(*asked.cuda)));
  if (version.major < first_wheels || version.major > 99)
    return refused(fmt::format("nvcc {}, whose wheels have another layout", to_full_string(version)));
  return Piece{Piece::Kind::toolkit,
               "cuda",
               "wheels",
               "NVIDIA's wheels",
               version,
               Family::other,
               0,
               {},
               {},
               cuda_eula,
               {},
               std::move(packages)};
}

} // namespace hostpin::setup
