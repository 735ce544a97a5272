// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/repair/sbom.hpp"

#include "hooks/wheel/metadata/fields.hpp"
#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/devicecode/vendor.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hostpin::wheel {

namespace {

using Json = nlohmann::ordered_json;

const char* text_of(Part::Delivery delivery) {
  switch (delivery) {
  case Part::Delivery::packed:
    return "packed";
  case Part::Delivery::linked:
    return "statically linked";
  case Part::Delivery::distribution:
    return "required distribution";
  case Part::Delivery::system:
    return "system";
  }
  return "";
}

/// Hexadecimal digits of a hash as RECORD has it; empty for another kind of hash.
std::string hex_of(std::string_view record_hash) {
  constexpr std::string_view kind = "sha256=", digits = "0123456789abcdef";
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  if (!record_hash.starts_with(kind))
    return {};
  std::string hex;
  std::uint32_t held = 0;
  unsigned bits = 0;
  for (const char c : record_hash.substr(kind.size())) {
    held = held << 6U | static_cast<std::uint32_t>(letters.find(c) & 63U);
    for (bits += 6; bits >= 4; bits -= 4)
      hex += digits[held >> (bits - 4) & 15U];
  }
  return hex;
}

/// `libgomp.so.1` of `libgomp-a34b3233.so.1`.
std::string without_hash(std::string_view name) {
  constexpr std::size_t digits = 8;
  const std::size_t end = std::min(name.find(".so"), name.size());
  const std::size_t dash = name.substr(0, end).rfind('-');
  const bool has_hash =
      dash != std::string_view::npos && end - dash == digits + 1 && is_hex(name.substr(dash + 1, digits));
  return std::string(has_hash ? name.substr(0, dash) : name.substr(0, end)) + std::string(name.substr(end));
}

/// A text like a UUID, of what identifies a document.
std::string uuid_of(const std::string& text) {
  std::string digits = sha256_of(text).substr(0, 32);
  digits[12] = '8'; // version 8: by a hash of one's choice (RFC 9562)
  digits[16] = 'a';
  return fmt::format("{}-{}-{}-{}-{}", digits.substr(0, 8), digits.substr(8, 4), digits.substr(12, 4),
                     digits.substr(16, 4), digits.substr(20));
}

/// The licence of the CUDA Toolkit's libraries (toolchains/data/licenses.toml has it for `hostpin setup`).
constexpr const char* cuda_license = "NVIDIA CUDA EULA";
constexpr const char* cuda_license_address = "https://docs.nvidia.com/cuda/eula/";
constexpr const char* cuda_license_id = "LicenseRef-NVIDIA-CUDA-EULA"; // SPDX has none for it

/// Whether a library is of the CUDA Toolkit, whose metapackage requires it: cuDNN and NCCL are not.
bool is_of_toolkit(const std::vector<CudaWheel>& table, const std::string& soname) {
  const auto rows = wheels_with(table, soname);
  return !rows.empty() && !rows.front()->extra.empty();
}

/// The version that a requirement names, or those that it admits, as text.
void set_versions(Part& part, const Requirement& requirement) {
  for (const Specifier& one : requirement.specifiers) {
    part.versions += (part.versions.empty() ? "" : ",") + one.comparison + one.version;
    if (one.comparison == "==" && !one.version.ends_with('*'))
      part.version = one.version;
  }
}

std::string purl_of(const std::string& distribution, const std::string& version) {
  return "pkg:pypi/" + distribution + (version.empty() ? "" : "@" + version);
}

Json properties_of(const Part& part) {
  Json properties = Json::array();
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty())
      properties.push_back({{"name", name}, {"value", value}});
  };
  add("hostpin:delivery", text_of(part.delivery));
  add(file_property, part.by);
  add("hostpin:required-versions", part.versions);
  if (part.license != cuda_license)
    add(license_property, part.license);
  return properties;
}

/// CycloneDX's `licenses` of the wheel itself: an SPDX expression (PEP 639), else what `License` says.
Json licenses_of(const WheelFile& wheel) {
  if (const auto expression = value_of(wheel.metadata, "license-expression"))
    return Json::array({Json{{"expression", *expression}}});
  const auto license = value_of(wheel.metadata, "license");
  if (!license || license->empty() || license->find('\n') != std::string::npos) // perhaps the whole text
    return Json::array();
  return Json::array({Json{{"license", {{"name", *license}}}}});
}

std::string whole_text(const Json& document) {
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace

std::vector<Part> parts_of(const WheelFile& wheel, const Tables& tables, const Origins& origins) {
  std::set<std::string, std::less<>> own, system;
  std::set<Part> parts;
  for (const Member& member : wheel.members)
    if (member.elf) {
      own.emplace(base_name(member.entry.name));
      own.insert(member.elf->image.soname);
    }
  for (const ManylinuxPolicy& policy : tables.policies)
    system.insert(policy.libraries.begin(), policy.libraries.end());
  for (const Member& member : wheel.members) {
    if (!member.elf)
      continue;
    const std::string& name = member.entry.name;
    const binary::Image& image = member.elf->image;
    const auto nvidias = devicecode::nvidia_library(image);
    const auto add = [&](Part part) {
      if (part.is_nvidias &&
          (part.delivery == Part::Delivery::linked || is_of_toolkit(tables.cuda_wheels, part.name)))
        part.license = cuda_license;
      parts.insert(std::move(part));
    };
    const auto part = [&](std::string part_name, Part::Delivery delivery, bool is_nvidias) {
      Part one;
      one.name = std::move(part_name);
      one.delivery = delivery;
      one.by = name;
      one.is_nvidias = is_nvidias;
      return one;
    };
    if (directory_of(name).ends_with(".libs") || nvidias) {
      Part one =
          part(nvidias.value_or(without_hash(base_name(name))), Part::Delivery::packed, nvidias.has_value());
      one.sha256 = hex_of(member.hash);
      if (const auto origin = origins.find(name); origin != origins.end()) {
        one.version = origin->second.version;
        one.purl = origin->second.purl;
        one.license = origin->second.license;
      }
      add(std::move(one));
    }
    if (member.elf->has_static_runtime)
      add(part("libcudart_static.a", Part::Delivery::linked, true));
    for (const std::string& needed : image.needed) {
      if (own.contains(needed) || system.contains(needed) || needed.starts_with("ld-linux"))
        continue;
      Part one = part(needed, Part::Delivery::system, loader::is_of_driver(needed));
      for (const CudaWheel* const row : wheels_with(tables.cuda_wheels, needed)) {
        one.is_nvidias = true;
        for (const Requirement& requirement : wheel.requirements)
          if (requirement.name == row->distribution && one.from.empty()) {
            one.delivery = Part::Delivery::distribution;
            one.from = row->distribution;
            set_versions(one, requirement);
            one.purl = purl_of(one.from, one.version);
          }
      }
      add(std::move(one));
    }
  }
  return {parts.begin(), parts.end()};
}

std::string cyclonedx_member(const WheelFile& wheel) {
  return wheel.info + "/sboms/hostpin.cdx.json";
}

std::string spdx_member(const WheelFile& wheel) {
  return wheel.info + "/sboms/hostpin.spdx.json";
}

std::string cyclonedx_text(const WheelFile& wheel, const std::vector<Part>& parts) {
  const std::string own = purl_of(wheel.distribution(), wheel.name.version);
  Json components = Json::array(), needs = Json::array();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    const std::string reference = fmt::format("part-{}", i);
    Json component{{"type", "library"}, {"bom-ref", reference}, {"name", part.name}};
    if (part.is_nvidias)
      component["supplier"] = {{"name", "NVIDIA Corporation"}};
    if (!part.sha256.empty())
      component["hashes"] = Json::array({Json{{"alg", "SHA-256"}, {"content", part.sha256}}});
    if (!part.version.empty())
      component["version"] = part.version;
    if (part.license == cuda_license)
      component["licenses"] =
          Json::array({Json{{"license", {{"name", cuda_license}, {"url", cuda_license_address}}}}});
    else if (!part.license.empty())
      component["licenses"] = Json::array({Json{{"license", {{"name", part.license}}}}});
    if (!part.purl.empty())
      component["purl"] = part.purl;
    component["properties"] = properties_of(part);
    components.push_back(std::move(component));
    needs.push_back(reference);
  }
  Json document{{"bomFormat", "CycloneDX"}, {"specVersion", "1.6"}, {"version", 1}};
  Json whole{
      {"type", "library"}, {"bom-ref", own}, {"name", wheel.distribution()}, {"version", wheel.name.version}};
  if (Json licenses = licenses_of(wheel); !licenses.empty())
    whole["licenses"] = std::move(licenses);
  whole["purl"] = own;
  document["metadata"] = {
      {"component", std::move(whole)},
      {"tools", {{"components", Json::array({Json{{"type", "application"}, {"name", "hostpin"}}})}}}};
  document["components"] = std::move(components);
  document["dependencies"] = Json::array({Json{{"ref", own}, {"dependsOn", std::move(needs)}}});
  document["serialNumber"] =
      "urn:uuid:" + uuid_of(document.dump(-1, ' ', false, Json::error_handler_t::replace));
  return whole_text(document);
}

std::string spdx_text(const WheelFile& wheel, const std::vector<Part>& parts, std::int64_t time) {
  const auto package = [](const std::string& id, const std::string& name) {
    return Json{{"SPDXID", id},
                {"name", name},
                {"downloadLocation", "NOASSERTION"},
                {"filesAnalyzed", false},
                {"licenseConcluded", "NOASSERTION"},
                {"licenseDeclared", "NOASSERTION"},
                {"copyrightText", "NOASSERTION"}};
  };
  const auto purl = [](const std::string& text) {
    return Json::array({Json{
        {"referenceCategory", "PACKAGE-MANAGER"}, {"referenceType", "purl"}, {"referenceLocator", text}}});
  };
  const auto relation = [](const std::string& from, const char* kind, const std::string& to) {
    return Json{{"spdxElementId", from}, {"relationshipType", kind}, {"relatedSpdxElement", to}};
  };
  const std::string own = "SPDXRef-wheel";
  Json whole = package(own, wheel.distribution());
  whole["versionInfo"] = wheel.name.version;
  if (const auto expression = value_of(wheel.metadata, "license-expression");
      expression && expression->find("LicenseRef-") == std::string::npos)
    whole["licenseDeclared"] = *expression;
  whole["externalRefs"] = purl(purl_of(wheel.distribution(), wheel.name.version));
  Json packages = Json::array({std::move(whole)});
  Json relations = Json::array({relation("SPDXRef-DOCUMENT", "DESCRIBES", own)});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    const std::string id = fmt::format("SPDXRef-part-{}", i);
    Json one = package(id, part.name);
    if (part.is_nvidias)
      one["supplier"] = "Organization: NVIDIA Corporation";
    if (!part.sha256.empty())
      one["checksums"] = Json::array({Json{{"algorithm", "SHA256"}, {"checksumValue", part.sha256}}});
    if (!part.version.empty())
      one["versionInfo"] = part.version;
    if (part.license == cuda_license)
      one["licenseDeclared"] = cuda_license_id;
    else if (!part.license.empty())
      one["licenseComments"] = part.license;
    if (!part.purl.empty())
      one["externalRefs"] = purl(part.purl);
    one["comment"] = fmt::format("{}; {}{}{}", text_of(part.delivery), part.by,
                                 part.versions.empty() ? "" : "; " + part.from, part.versions);
    packages.push_back(std::move(one));
    const char* const kind = part.delivery == Part::Delivery::packed   ? "CONTAINS"
                             : part.delivery == Part::Delivery::linked ? "STATIC_LINK"
                                                                       : "DEPENDS_ON";
    relations.push_back(relation(own, kind, id));
  }
  const std::chrono::sys_seconds moment{std::chrono::seconds(time)};
  const std::string created =
      fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(moment)));
  const std::string digest = sha256_of(packages.dump(-1, ' ', false, Json::error_handler_t::replace));
  Json document{{"spdxVersion", "SPDX-2.3"},
                {"dataLicense", "CC0-1.0"},
                {"SPDXID", "SPDXRef-DOCUMENT"},
                {"name", wheel.distribution() + ' ' + wheel.name.version},
                {"documentNamespace", "https://spdx.org/spdxdocs/" + wheel.distribution() + '-' + digest},
                {"creationInfo", {{"created", created}, {"creators", Json::array({"Tool: hostpin"})}}},
                {"packages", std::move(packages)},
                {"relationships", std::move(relations)}};
  if (std::any_of(parts.begin(), parts.end(), [](const Part& one) { return one.license == cuda_license; }))
    document["hasExtractedLicensingInfos"] =
        Json::array({Json{{"licenseId", cuda_license_id},
                          {"name", cuda_license},
                          {"extractedText", std::string("The text is at ") + cuda_license_address},
                          {"seeAlsos", Json::array({cuda_license_address})}}});
  return whole_text(document);
}

} // namespace hostpin::wheel
