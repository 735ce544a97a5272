// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/repair/packages.hpp"

#include "hooks/wheel/repair/sbom.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/table/distribution.hpp"

#include <cctype>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hostpin::wheel {

namespace {

/// Percent encoding, as package URLs have it for versions and names.
std::string encoded(std::string_view text) {
  constexpr std::string_view plain = ".-_~:";
  std::string result;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || plain.find(c) != std::string_view::npos)
      result += c;
    else
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return result;
}

/// This machine's distribution, by its os-release.
struct System {
  std::string id, version;

  explicit System(const Files& files) {
    constexpr std::size_t limit = std::size_t{1} << 20U;
    for (const char* const path : {"/etc/os-release", "/usr/lib/os-release"})
      if (const auto text = files.read(path, limit)) {
        id = os_release_value(*text, "ID");
        version = os_release_value(*text, "VERSION_ID");
        return;
      }
  }

  std::string purl(const char* type, const std::string& name, const std::string& release,
                   const std::string& architecture) const {
    const std::string distro = version.empty() ? id : id + '-' + version;
    return fmt::format("pkg:{}/{}/{}@{}?arch={}{}", type, id.empty() ? "linux" : encoded(id), encoded(name),
                       encoded(release), encoded(architecture),
                       distro.empty() ? "" : "&distro=" + encoded(distro));
  }
};

/// The names under which a package may have a file: the loader's path, the file that it leads to, and both
/// without /usr, where that is a link to /.
std::vector<std::string> names_of(const std::string& path) {
  std::error_code error;
  std::vector<std::string> names = {path};
  if (const auto real = std::filesystem::canonical(path, error); !error && real.string() != path)
    names.insert(names.begin(), real.string());
  for (const std::string& name : std::vector<std::string>(names))
    names.push_back(name.starts_with("/usr/") ? name.substr(4) : "/usr" + name);
  return names;
}

std::string text_of(const nlohmann::json& from, const char* key) {
  const auto found = from.find(key);
  return found != from.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// A value of a component's `properties`.
std::string property_of(const nlohmann::json& component, std::string_view name) {
  const auto properties = component.find("properties");
  if (properties != component.end() && properties->is_array())
    for (const nlohmann::json& one : *properties)
      if (text_of(one, "name") == name)
        return text_of(one, "value");
  return {};
}

class Packages {
public:
  Packages(const Files& files, const Processes& processes) : system_(files), processes_(processes) {}

  std::optional<Origin> of(const std::string& path) const {
    auto origin = of_dpkg(path);
    return origin ? origin : of_rpm(path);
  }

private:
  std::string output(std::vector<std::string> argv) const {
    Command command;
    command.argv = std::move(argv);
    const auto outcomes = processes_.run({&command, 1});
    // dpkg-query fails if it does not know one of several paths.
    return outcomes.front().end == Outcome::End::exited ? outcomes.front().output : std::string();
  }

  std::optional<Origin> of_dpkg(const std::string& path) const {
    std::vector<std::string> argv = {"dpkg-query", "-S"};
    const std::vector<std::string> names = names_of(path);
    argv.insert(argv.end(), names.begin(), names.end());
    const auto owners = dpkg_owners(output(std::move(argv)));
    for (const std::string& name : names)
      if (const auto owner = owners.find(name); owner != owners.end()) {
        const auto fields = split(
            output({"dpkg-query", "-W", "-f", "${Package}\\t${Version}\\t${Architecture}", owner->second}),
            "\t");
        if (fields.size() == 3)
          return Origin{system_.purl("deb", fields[0], fields[1], fields[2]), fields[1], {}};
      }
    return std::nullopt;
  }

  std::optional<Origin> of_rpm(const std::string& path) const {
    const auto fields = split(
        output({"rpm", "-qf", "--qf", "%{NAME}\\t%{VERSION}-%{RELEASE}\\t%{ARCH}\\t%{LICENSE}\\t", path}),
        "\t");
    if (fields.size() < 5)
      return std::nullopt;
    return Origin{system_.purl("rpm", fields[0], fields[1], fields[2]), fields[1], fields[3]};
  }

  System system_;
  const Processes& processes_;
};

} // namespace

std::map<std::string, std::string> dpkg_owners(std::string_view text) {
  std::map<std::string, std::string> owners;
  for (const std::string& line : split(text, "\n")) {
    const std::size_t end = line.find(": /");
    if (end == std::string::npos || line.starts_with("diversion "))
      continue;
    const std::string packages = line.substr(0, end); // perhaps several, by commas
    owners.emplace(line.substr(end + 2), packages.substr(0, packages.find(", ")));
  }
  return owners;
}

Origins origins_of(const std::vector<Graft>& grafts, const Files& files, const Processes& processes) {
  Origins origins;
  if (grafts.empty())
    return origins;
  const Packages packages(files, processes);
  for (const Graft& graft : grafts)
    if (auto origin = packages.of(graft.source))
      origins.emplace(graft.member, *std::move(origin));
  return origins;
}

Origins recorded_origins(const WheelFile& wheel) {
  Origins origins;
  const Member* const document = wheel.member(cyclonedx_member(wheel));
  if (document == nullptr)
    return origins;
  const auto json = nlohmann::json::parse(document->text, nullptr, false);
  const auto components = json.find("components");
  if (components == json.end() || !components->is_array())
    return origins;
  for (const nlohmann::json& one : *components) {
    const std::string member = property_of(one, file_property);
    Origin origin{text_of(one, "purl"), text_of(one, "version"), property_of(one, license_property)};
    const bool is_packed = one.is_object() && one.contains("hashes"); // others have the purl of a wheel
    if (is_packed && wheel.member(member) != nullptr && !origin.purl.empty())
      origins.emplace(member, std::move(origin));
  }
  return origins;
}

} // namespace hostpin::wheel
