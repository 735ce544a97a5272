// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/features.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/version.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

namespace hostpin::redist {

namespace {

using Json = nlohmann::json; // objects are sorted by key

bool is_library_file(const Binary& binary) {
  return binary.output == "lib" && binary.kind != Binary::Kind::program; // also import libraries of Windows
}

const char* to_string(Binary::Kind kind) {
  switch (kind) {
  case Binary::Kind::library:
    return "library";
  case Binary::Kind::objects:
    return "objects";
  case Binary::Kind::program:
    break;
  }
  return "program";
}

Json architectures(const std::set<gpus::Capability>& capabilities, const char* prefix) {
  Json list = Json::array();
  for (const gpus::Capability& capability : capabilities)
    list.push_back(prefix + gpus::digits(capability));
  return list;
}

/// The directory for one CUDA release that a library is in; empty if it is in none.
std::string cuda_directory(const Contents& contents, const std::string& path) {
  const std::vector<std::string> parts = split(path, "/");
  const auto& all = contents.cuda_directories;
  return parts.size() > 2 && std::ranges::find(all, parts[1]) != all.end() ? parts[1] : "";
}

/// As in generation 2 of shared libraries: a list, or a list for each directory for a CUDA release.
Json all_architectures(const Contents& contents) {
  std::map<std::string, std::set<gpus::Capability>> found;
  for (const Binary& binary : contents.binaries)
    if (is_library_file(binary))
      found[cuda_directory(contents, binary.path)].insert(binary.machine_code.begin(),
                                                          binary.machine_code.end());
  if (contents.cuda_directories.empty())
    return architectures(found[""], "sm_");
  Json by_directory = Json::object();
  for (const std::string& directory : contents.cuda_directories)
    by_directory[directory] = architectures(found[directory], "sm_");
  return by_directory;
}

Json output_files(const Contents& contents) {
  Json outputs = Json::object();
  std::map<std::string, std::uint64_t> bytes;
  for (const TreeFile& file : contents.files) {
    bytes[file.output] += file.size;
    outputs[file.output]["bytes"] = bytes[file.output];
    outputs[file.output]["files"][file.path] = file.size;
  }
  return outputs;
}

Json provided(const Contents& contents) {
  Json list = Json::array();
  for (const Binary& binary : contents.binaries)
    if (is_library_file(binary) && !binary.soname.empty())
      list.push_back({{"file", binary.path}, {"soname", binary.soname}, {"versions", binary.versions}});
  return list;
}

Json needed(const Contents& contents) {
  std::set<std::string> names;
  for (const Binary& binary : contents.binaries)
    if (is_library_file(binary) || binary.output == "bin")
      names.insert(binary.needed.begin(), binary.needed.end());
  return names;
}

Json opened(const Contents& contents, const ContentFacts& facts) {
  std::map<std::string, std::set<std::string>> by_name;
  for (const Binary& binary : contents.binaries)
    if (!is_stub(binary))
      for (const std::string& name : binary.opened)
        by_name[name].insert(binary.path);
  Json list = Json::array();
  for (const auto& [name, by] : by_name)
    list.push_back({{"by", by}, {"name", name}, {"package", opened_package(facts, name).value_or("")}});
  return list;
}

Json device_code(const Contents& contents) {
  Json files = Json::object();
  for (const Binary& binary : contents.binaries)
    if (!binary.machine_code.empty() || !binary.ptx.empty())
      files[binary.path] = {{"elf", architectures(binary.machine_code, "sm_")},
                            {"ptx", architectures(binary.ptx, "compute_")}};
  return files;
}

void add(Json& object, const char* key, const std::string& value) {
  if (!value.empty())
    object[key] = value;
}

Json binaries(const Contents& contents) {
  Json list = Json::array();
  for (const Binary& binary : contents.binaries) {
    Json one{{"file", binary.path}, {"kind", to_string(binary.kind)}};
    add(one, "machine", binary.machine);
    add(one, "soname", binary.soname);
    add(one, "glibc", binary.glibc);
    add(one, "glibcxx", binary.glibcxx);
    add(one, "interpreter", binary.interpreter);
    if (!binary.needed.empty())
      one["needed"] = binary.needed;
    if (binary.rpath)
      one["rpath"] = *binary.rpath;
    if (binary.runpath)
      one["runpath"] = *binary.runpath;
    list.push_back(std::move(one));
  }
  return list;
}

/// What a stub replaces when programs are linked: the file of this archive with its SONAME, or `driver`.
std::string real_of(const Contents& contents, const ContentFacts& facts, const Binary& stub) {
  const auto real = std::ranges::find_if(contents.binaries, [&](const Binary& binary) {
    return is_library_file(binary) && binary.soname == stub.soname;
  });
  if (real != contents.binaries.end())
    return real->path;
  const auto& driver = facts.driver_sonames;
  return std::ranges::find(driver, stub.soname) != driver.end() ? "driver" : "";
}

Json stubs(const Contents& contents, const ContentFacts& facts) {
  Json list = Json::array();
  for (const Binary& binary : contents.binaries)
    if (is_stub(binary)) {
      Json one{{"file", binary.path}, {"soname", binary.soname}};
      add(one, "of", real_of(contents, facts, binary));
      list.push_back(std::move(one));
    }
  return list;
}

/// The newest of the versions that programs and libraries need.
std::string newest(const Contents& contents, std::string Binary::*member) {
  std::string best;
  for (const Binary& binary : contents.binaries) {
    const std::string& one = binary.*member;
    if (!one.empty() && (best.empty() || parse_version(one) > parse_version(best)))
      best = one;
  }
  return best;
}

Json includes(const Contents& contents) {
  Json headers = Json::object();
  for (const HeaderNeeds& header : contents.headers)
    headers[header.path] = header.names;
  return headers;
}

Json features(const Contents& contents, const ContentFacts& facts) {
  Json all{{"outputs", outputs_of(contents)},
           {"cudaArchitectures", all_architectures(contents)},
           {"outputFiles", output_files(contents)},
           {"providedLibs", provided(contents)},
           {"neededLibs", needed(contents)},
           {"openedLibs", opened(contents, facts)},
           {"deviceCode", device_code(contents)},
           {"binaries", binaries(contents)},
           {"stubs", stubs(contents, facts)},
           {"pkgConfig", contents.pkgconfig},
           {"cmake", contents.cmake},
           {"includes", includes(contents)}};
  if (!contents.cuda_directories.empty())
    all["cudaVersionsInLib"] = contents.cuda_directories;
  add(all, "glibc", newest(contents, &Binary::glibc));
  add(all, "glibcxx", newest(contents, &Binary::glibcxx));
  return all;
}

Json release_info(const InspectedArchive& archive) {
  Json info{{"version", archive.version}, {"name", archive.name.empty() ? archive.package : archive.name}};
  add(info, "license", archive.license);
  add(info, "licensePath", archive.license_path);
  return info;
}

unsigned digit_value(char digit) {
  return static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

} // namespace

std::vector<std::string> outputs_of(const Contents& contents) {
  std::set<std::string> found;
  for (const TreeFile& file : contents.files) {
    const bool may_be_stub_link = file.output == "lib";
    if (!may_be_stub_link)
      found.insert(file.output);
    if (file.output == "include")
      found.insert("dev");
  }
  if (std::ranges::any_of(contents.binaries, is_library_file))
    found.insert("lib");
  found.erase("out");
  std::vector<std::string> outputs{"out"};
  outputs.insert(outputs.end(), found.begin(), found.end());
  return outputs;
}

std::string features_text(const std::vector<InspectedArchive>& archives, const ContentFacts& facts) {
  Json all = Json::object();
  for (const InspectedArchive& archive : archives) {
    Json entry{{"features", features(archive.contents, facts)}};
    if (!archive.tree.empty())
      entry["recursiveHash"] = sri_of(archive.tree);
    Json& package = all[archive.package];
    package["releaseInfo"] = release_info(archive);
    package["packages"][archive.platform][archive.variant.empty() ? "None" : archive.variant] =
        std::move(entry);
  }
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string sri_of(const std::string& sha256) {
  static constexpr std::string_view alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text = "sha256-";
  for (std::size_t at = 0; at < sha256.size(); at += 6) { // three bytes are four characters
    std::uint32_t bits = 0;
    for (std::size_t i = at; i < at + 6; ++i)
      bits = bits << 4U | (i < sha256.size() ? digit_value(sha256[i]) : 0);
    const std::size_t characters = std::min<std::size_t>(4, (sha256.size() - at) * 4 / 6 + 1);
    for (std::size_t i = 0; i < 4; ++i)
      text += i < characters ? alphabet[bits >> (18 - 6 * i) & 0x3fU] : '=';
  }
  return text;
}

} // namespace hostpin::redist
