// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/check/manifest_rules.hpp"

#include "toolchains/redist/lock.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace hostpin::redist {

namespace {

std::string quoted_name(std::string_view text) {
  return std::string("'").append(text).append("'");
}

bool is_digit(char letter) {
  return std::isdigit(static_cast<unsigned char>(letter)) != 0;
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// Whether `text` has `part` where no digit, and no further part of a version, follows.
bool has_version(std::string_view text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    const std::string_view rest = text.substr(at + part.size());
    const bool goes_on =
        !rest.empty() && (is_digit(rest[0]) || (rest[0] == '.' && rest.size() > 1 && is_digit(rest[1])));
    if (!goes_on)
      return true;
  }
  return false;
}

/// `cuda12` in `..._cuda12-archive.tar.xz`, `cuda12.4` in `....cuda-12.4.tar.gz` or
/// `...-cuda-12.4-Release-external.tar.zst`; empty if there is none.
std::string variant_in(std::string_view name) {
  for (std::size_t at = name.find("cuda"); at != std::string_view::npos; at = name.find("cuda", at + 1)) {
    if (at == 0 || std::string_view("_.-").find(name[at - 1]) == std::string_view::npos)
      continue;
    std::size_t digits = at + 4;
    if (digits < name.size() && name[digits] == '-')
      ++digits;
    std::size_t end = digits;
    while (end < name.size() && (is_digit(name[end]) || (name[end] == '.' && end > digits &&
                                                         end + 1 < name.size() && is_digit(name[end + 1]))))
      ++end;
    if (end > digits)
      return "cuda" + std::string(name.substr(digits, end - digits));
  }
  return {};
}

/// `2024-04-16`.
bool is_date(std::string_view text) {
  constexpr std::string_view form = "dddd-dd-dd";
  return text.size() == form.size() && std::ranges::equal(text, form, [](char letter, char wanted) {
           return wanted == 'd' ? is_digit(letter) : letter == wanted;
         });
}

class Checker {
public:
  Checker(const Manifest& manifest, const Facts& facts, std::vector<Finding>& findings)
      : manifest_(manifest), facts_(facts), findings_(findings),
        product_(facts.product(product_of(manifest))) {}

  void check() {
    check_release();
    learn_keys();
    for (const Package& package : manifest_.packages)
      check_package(package);
  }

private:
  Finding& add(Rule rule, Position at, std::string subject, std::string explanation) {
    findings_.push_back(finding(rule, manifest_.file, at, std::move(subject), std::move(explanation)));
    return findings_.back();
  }

  Finding& add(Rule rule, Position at, const Package& package, std::string subject, std::string explanation) {
    Finding& found = add(rule, at, std::move(subject), std::move(explanation));
    found.package = package.key;
    return found;
  }

  Finding& add(Rule rule, Position at, const Package& package, const Archive& archive, std::string subject,
               std::string explanation) {
    Finding& found = add(rule, at, package, std::move(subject), std::move(explanation));
    found.platform = archive.platform;
    found.entry = archive.at;
    return found;
  }

  void check_release() {
    const Position top{1, 1};
    const std::string in_name = label_in_name(manifest_.file);
    for (const auto& [key, text] :
         {std::pair("release_label", &manifest_.label), std::pair("release_product", &manifest_.product)})
      if (!text->is_present())
        add(Rule::missing_label, top, key, quoted_name(key) + " is missing.");
    if (manifest_.label.is_present() && !in_name.empty() && manifest_.label.value != in_name)
      add(Rule::label_mismatch, manifest_.label.at, manifest_.label.value,
          "The label is " + quoted_name(manifest_.label.value) + ", and the name of the file has " +
              quoted_name(in_name) + '.');
    check_product();
    check_whole();
    if (!manifest_.date.is_present())
      add(Rule::wrong_type, top, "release_date", "'release_date' is missing.").severity = Severity::note;
    else if (!is_date(manifest_.date.value))
      add(Rule::wrong_type, manifest_.date.at, "release_date",
          quoted_name(manifest_.date.value) + " is not a date such as '2024-04-16'.");
    if (manifest_.packages.empty())
      add(Rule::wrong_type, top, "packages", "There is no package.");
  }

  /// Only directories of products say something about a product: a manifest can also lie anywhere else.
  void check_product() {
    const std::string directory = product_of_directory(manifest_);
    const std::string& product = manifest_.product.value;
    if (!manifest_.product.is_present() || product == directory)
      return;
    if (facts_.product(directory) != nullptr)
      add(Rule::product_mismatch, manifest_.product.at, product,
          "The product is " + quoted_name(product) + ", and the directory " + quoted_name(directory) + '.')
          .severity = Severity::warning;
    else if (facts_.product(product) == nullptr)
      add(Rule::product_mismatch, manifest_.product.at, product,
          quoted_name(product) + " is not a directory that NVIDIA publishes in, as far as is known.")
          .severity = Severity::warning;
  }

  /// Compares the product with the product in the URLs of the whole manifest, if these are NVIDIA's URLs.
  void check_whole() {
    const Product* const own =
        product_ != nullptr ? product_ : facts_.product(product_of_directory(manifest_));
    if (own == nullptr)
      return;
    for (const Text* const url : {&manifest_.reduced_from.base, &manifest_.reduced_from.url})
      for (const Product& other : facts_.products)
        if (!other.base.empty() && other.base != own->base && url->value.starts_with(other.base)) {
          add(Rule::product_mismatch, url->at, "release_reduced_from",
              "The product is " + quoted_name(own->name) +
                  ", and the manifest that this one claims to be a part of is of " + quoted_name(other.name) +
                  '.');
          return;
        }
  }

  /// Which optional keys this manifest uses: one that only some entries lack was lost.
  void learn_keys() {
    for (const Package& package : manifest_.packages) {
      has_license_path_ |= package.license_path.is_present();
      for (const Archive& archive : package.archives) {
        has_md5_ |= archive.md5.is_present();
        has_size_ |= archive.size.has_value();
      }
    }
    // NVIDIA's manifests have it since they have labels.
    has_license_path_ |=
        manifest_.label.is_present() && (product_ == nullptr || product_->archive_prefix.empty());
  }

  void missing(const Package& package, Position at, const char* key, Severity severity) {
    add(Rule::wrong_type, at, package, key, quoted_name(key) + " is missing.").severity = severity;
  }

  void check_package(const Package& package) {
    if (!package.name.is_present())
      missing(package, package.at, "name", Severity::warning);
    if (!package.license_path.is_present() && has_license_path_)
      missing(package, package.at, "license_path", Severity::warning);
    if (package.license_path.is_present() && !is_safe_path(package.license_path.value))
      add(Rule::unsafe_path, package.license_path.at, package, package.license_path.value,
          quoted_name(package.license_path.value) + " is not a path below its directory.");
    check_license(package);
    check_variants(package);
    if (package.archives.empty())
      add(Rule::wrong_type, package.at, package, "archives", "The package has no platform.");
    for (const Archive& archive : package.archives)
      check_archive(package, archive);
  }

  void check_license(const Package& package) {
    if (!package.license.is_present())
      add(Rule::unknown_license, package.at, package, "license", "'license' is missing.");
    else if (std::ranges::find(facts_.licenses, package.license.value) == facts_.licenses.end())
      add(Rule::unknown_license, package.license.at, package, package.license.value,
          quoted_name(package.license.value) + " is not among the known licenses.");
  }

  /// `cuda_variant` and the variants of each platform are the same, in both directions.
  void check_variants(const Package& package) {
    const auto lists = [&](const std::string& variant) {
      return std::ranges::any_of(package.cuda_variants,
                                 [&](const Text& one) { return "cuda" + one.value == variant; });
    };
    std::vector<std::string> platforms;
    for (const Archive& archive : package.archives) {
      if (!archive.variant.empty() && !lists(archive.variant))
        add(Rule::missing_variant, archive.at, package, archive, archive.variant,
            "'cuda_variant' does not list " + quoted_name(archive.variant) + ", which this platform has.");
      if (!archive.variant.empty() && std::ranges::find(platforms, archive.platform) == platforms.end())
        platforms.push_back(archive.platform);
    }
    for (const std::string& platform : platforms)
      for (const Text& variant : package.cuda_variants)
        if (std::ranges::none_of(package.archives, [&](const Archive& one) {
              return one.platform == platform && one.variant == "cuda" + variant.value;
            }))
          add(Rule::missing_variant, variant.at, package, platform + " cuda" + variant.value,
              "'cuda_variant' lists " + quoted_name(variant.value) + ", which " + platform +
                  " does not have.")
              .platform = platform;
    if (platforms.empty() && !package.cuda_variants.empty())
      add(Rule::missing_variant, package.cuda_variants.front().at, package, "cuda_variant",
          "'cuda_variant' lists variants, and no platform has any.");
  }

  void check_archive(const Package& package, const Archive& archive) {
    check_digest(package, archive, archive.sha256, "sha256", 64);
    check_digest(package, archive, archive.md5, "md5", 32);
    if (!archive.md5.is_present())
      missing_from(package, archive, "md5", has_md5_);
    if (!archive.size && archive.size_at.line == 0)
      missing_from(package, archive, "size", has_size_);
    if (archive.size == 0)
      add(Rule::wrong_type, archive.size_at, package, archive, "size",
          "'size' is 0, and no archive is empty.");
    check_known_hash(package, archive);
    if (!archive.path.is_present())
      return;
    if (!is_safe_path(archive.path.value)) {
      add(Rule::unsafe_path, archive.path.at, package, archive, archive.path.value,
          quoted_name(archive.path.value) + " is not a path below its directory.");
      return;
    }
    check_format(package, archive);
    check_variant(package, archive);
    check_name(package, archive);
    check_platform(package, archive);
  }

  /// Manifests that are made by hand may lack it everywhere.
  void missing_from(const Package& package, const Archive& archive, const char* key, bool others_have_it) {
    Finding& found =
        add(Rule::wrong_type, archive.at, package, archive, key, quoted_name(key) + " is missing.");
    found.severity = others_have_it ? Severity::warning : Severity::note;
  }

  void check_digest(const Package& package, const Archive& archive, const Text& digest,
                    const std::string& kind, std::size_t digits) {
    if (digest.is_present() && !is_hex_digest(digest.value, digits))
      add(Rule::malformed_hash, digest.at, package, archive, kind,
          quoted_name(digest.value) + " is not " + std::to_string(digits) +
              " lower-case hexadecimal digits, as " + kind + " has.");
  }

  void check_known_hash(const Package& package, const Archive& archive) {
    for (const WrongHash& row : facts_.wrong_hashes)
      if (row.path == archive.path.value && archive.sha256.value.starts_with(row.sha256))
        add(Rule::two_hashes, archive.sha256.at, package, archive, archive.path.value,
            "This SHA-256 is known to be wrong: the archive that is served has " + row.right + '.');
  }

  void check_format(const Package& package, const Archive& archive) {
    const std::string& path = archive.path.value;
    const Platform* const platform = facts_.platform(archive.platform);
    const bool is_zip = path.ends_with(".zip");
    if (archive_stem(path) == path)
      add(Rule::wrong_format, archive.path.at, package, archive, path,
          quoted_name(file_name(path)) + " is neither .tar.xz, .tar.gz, .tar.zst nor .zip.")
          .severity = of_new_form(archive);
    else if (platform != nullptr && (platform->format == "zip") != is_zip)
      add(Rule::wrong_format, archive.path.at, package, archive, path,
          "Archives for " + archive.platform + " are " + platform->format + " files, and this is " +
              quoted_name(file_name(path)) + '.');
  }

  /// A name or format that is not known need not be wrong: the hash decides which file it is.
  static Severity of_new_form(const Archive& archive) {
    return is_hex_digest(archive.sha256.value, 64) ? Severity::warning : Severity::error;
  }

  static bool has_variants(const Package& package, const std::string& platform) {
    return std::ranges::any_of(package.archives, [&](const Archive& one) {
      return one.platform == platform && !one.variant.empty();
    });
  }

  void check_variant(const Package& package, const Archive& archive) {
    const std::string named = variant_in(file_name(archive.path.value));
    const bool is_same =
        named.empty() ? archive.variant.empty() : fits_cuda(archive.variant, named.substr(4));
    // An archive without a variant next to variants is selected by none.
    const bool is_new_form =
        named.empty() || (archive.variant.empty() && has_variants(package, archive.platform));
    if (!is_same)
      add(Rule::wrong_variant, archive.path.at, package, archive, archive.path.value,
          "The archive is listed " +
              (archive.variant.empty() ? "without a CUDA variant" : "for " + archive.variant) +
              ", and named " + (named.empty() ? "for none" : "for " + named) + '.')
          .severity = is_new_form ? of_new_form(archive) : Severity::error;
  }

  void check_name(const Package& package, const Archive& archive) {
    const std::string name(file_name(archive.path.value));
    const bool has_own_names = product_ != nullptr && !product_->archive_prefix.empty();
    const std::string prefix = has_own_names ? product_->archive_prefix : package.key + '-';
    if (!name.starts_with(prefix))
      add(Rule::archive_name, archive.path.at, package, archive, archive.path.value,
          "The name " + quoted_name(name) + " does not begin with " + quoted_name(prefix) + '.');
    if (package.version.is_present() && !has_version(name, '-' + package.version.value))
      add(Rule::version_in_name, archive.path.at, package, archive, archive.path.value,
          "The version is " + quoted_name(package.version.value) + ", and the archive is called " +
              quoted_name(name) + '.');
  }

  void check_platform(const Package& package, const Archive& archive) {
    const std::string& path = archive.path.value;
    const Platform* const platform = facts_.platform(archive.platform);
    if (product_ != nullptr && !product_->archive_prefix.empty()) {
      // Names such as TensorRT-10.1.0.27.Ubuntu-22.04.aarch64-gnu.cuda-12.4.tar.gz have the machine alone.
      const bool is_named =
          platform == nullptr ||
          path.find(platform->format == "zip" ? "Windows" : platform->machine) != std::string::npos;
      if (!is_named)
        add(Rule::platform_in_path, archive.path.at, package, archive, path,
            "The path does not name the machine of " + archive.platform + '.');
      return;
    }
    const bool in_directory = path.find('/' + archive.platform + '/') != std::string::npos;
    const bool in_name = file_name(path).find('-' + archive.platform + '-') != std::string_view::npos;
    if (!in_directory || !in_name)
      add(Rule::platform_in_path, archive.path.at, package, archive, path,
          "The archive is listed for " + archive.platform + ", and its path is " + quoted_name(path) + '.');
    else if (platform == nullptr && archive.platform != "source" && archive.platform != "linux-all")
      add(Rule::platform_in_path, archive.at, package, archive, archive.platform,
          quoted_name(archive.platform) + " is not among the known platforms.");
  }

  const Manifest& manifest_;
  const Facts& facts_;
  std::vector<Finding>& findings_;
  const Product* product_;
  bool has_license_path_ = false, has_md5_ = false, has_size_ = false;
};

} // namespace

void check_manifest(const Manifest& manifest, const Facts& facts, std::vector<Finding>& findings) {
  Checker(manifest, facts, findings).check();
}

} // namespace hostpin::redist
