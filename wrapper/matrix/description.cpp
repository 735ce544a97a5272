// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/description.hpp"

#include "toolchains/document/reader.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

namespace fs = std::filesystem;

constexpr const char* project_hint =
    "a project has source, configure, build, install, test, junit, needs, environment, lto, memory, disk, "
    "time, size_limit";
constexpr const char* document_hint = "a matrix has name, [axes], [project.NAME] and [[exclude]]";
constexpr const char* axes_hint = "the axes are project, toolkit, stdenv, host, gpus, c_library";

bool is_name(std::string_view text) {
  return !text.empty() && text.front() != '-' && text.front() != '.' &&
         std::ranges::all_of(text, [](char character) {
           return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
                  (character >= '0' && character <= '9') || character == '-' || character == '_' ||
                  character == '.';
         });
}

class Reader {
public:
  Reader(const Files& files, const std::string& path, const document::Value& document)
      : files_(files), document_(path, document) {
    description_.path = path;
    std::error_code error;
    directory_ = fs::absolute(path, error).parent_path().string();
  }

  Result<Description> run() {
    description_.name = document_.string("name").value_or(fs::path(description_.path).stem().string());
    document_.require("project");
    if (const document::Member* const projects = document_.member("project")) {
      if (projects->value.kind != document::Value::Kind::object || projects->value.members.empty())
        document_.refuse("project", "project is not a table of projects", "write [project.NAME]");
      for (const document::Member& member : projects->value.members)
        read_project(member);
    }
    if (const document::Value* const axes = document_.table("axes"))
      read_axes(*axes);
    complete();
    if (const std::vector<document::Value>* const rows = document_.tables("exclude"))
      for (const document::Value& row : *rows)
        read_exclusion(row);
    TRY(document_.finish(document_hint));
    return std::move(description_);
  }

private:
  void read_project(const document::Member& member) {
    if (!is_name(member.key) || member.value.kind != document::Value::Kind::object) {
      document_.refuse(member.at, document::quoted(member.key) + " is not a project",
                       "a project is a table, and its name has letters, digits, `-`, `_` and `.`");
      return;
    }
    document::Reader row(document_.path(), member.value);
    Project project;
    project.name = member.key;
    const std::string source = row.required("source");
    project.source = fs::path(directory_ + '/' + source).lexically_normal().string();
    if (source.starts_with('/'))
      project.source = fs::path(source).lexically_normal().string();
    if (project.source.size() > 1 && project.source.ends_with('/'))
      project.source.pop_back();
    if (!source.empty() && !is_directory(files_, project.source))
      row.refuse("source", project.source + " is not a directory");
    project.configure = row.string("configure").value_or("");
    project.build = row.string("build").value_or("");
    project.install = row.string("install").value_or("");
    project.test = row.string("test").value_or("");
    if (project.configure.empty() && project.build.empty() && project.test.empty())
      row.refuse(member.at, fmt::format("project {} runs nothing", member.key),
                 "name a configure, build or test command");
    project.junit = row.string("junit").value_or("");
    if (project.junit.starts_with('/') || ('/' + project.junit + '/').find("/../") != std::string::npos)
      row.refuse("junit", document::quoted(project.junit) + " is not below $BUILD",
                 "write a pattern like tests.xml, or */results/*.xml");
    project.needs = row.strings("needs");
    for (const std::string& need : project.needs)
      if (need != "gpu" && !need.starts_with("gpu:"))
        row.refuse("needs", document::quoted(need) + " is nothing that a test can need",
                   "write gpu, or gpu:9.0");
    project.environment = row.strings("environment");
    project.lto = row.boolean("lto").value_or(false);
    read_bytes(row, "memory", project.memory);
    read_bytes(row, "disk", project.disk);
    read_time(row, project);
    read_size_limit(row, project);
    document_.adopt(row.finish(project_hint));
    description_.projects.push_back(std::move(project));
  }

  /// The number in front of a unit, from 1 to `most`.
  static std::optional<unsigned> number_before(std::string_view text, std::string_view unit, unsigned most) {
    unsigned number = 0;
    if (!text.ends_with(unit))
      return std::nullopt;
    text.remove_suffix(unit.size());
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > most)
      return std::nullopt;
    return number;
  }

  static void read_bytes(document::Reader& row, const char* key, std::uint64_t& bytes) {
    constexpr unsigned most = 1'000'000;
    const auto text = row.string(key);
    if (!text)
      return;
    const std::pair<const char*, unsigned> units[] = {{"M", 20}, {"G", 30}};
    for (const auto& [unit, shift] : units)
      if (const auto number = number_before(*text, unit, most))
        bytes = std::uint64_t{*number} << shift;
    if (bytes == 0)
      row.refuse(key, document::quoted(*text) + " is no amount of bytes", "write \"500M\" or \"4G\"");
  }

  static void read_time(document::Reader& row, Project& project) {
    constexpr unsigned most = 7 * 24 * 60;
    const document::Member* const time = row.member("time");
    if (time == nullptr)
      return;
    if (const auto number = time->value.integer(); number && *number >= 1 && *number <= most)
      project.time = std::chrono::minutes(*number);
    else if (const auto seconds = time->value.kind == document::Value::Kind::string
                                      ? number_before(time->value.text, "s", most * 60)
                                      : std::nullopt)
      project.time = std::chrono::seconds(*seconds);
    else
      row.refuse("time", "time is not a number of minutes",
                 "write minutes, from 1 to 10080, or seconds: \"90s\"");
  }

  static void read_size_limit(document::Reader& row, Project& project) {
    constexpr unsigned most = 1000;
    const auto text = row.string("size_limit");
    if (!text)
      return;
    project.size_limit = number_before(*text, "%", most);
    if (!project.size_limit)
      row.refuse("size_limit", document::quoted(*text) + " is not a percentage", "write \"1%\" to \"1000%\"");
    else if (project.install.empty())
      row.refuse("size_limit", "what is not installed has no size", "name an install command");
  }

  void read_axes(const document::Value& table) {
    document::Reader axes(document_.path(), table);
    for (std::size_t axis = 0; axis < axis_count; ++axis) {
      if (axes.member(axis_names[axis]) == nullptr)
        continue;
      auto& values = description_.values[axis];
      values = axes.strings(axis_names[axis]);
      if (values.empty())
        axes.refuse(axis_names[axis], fmt::format("axis {} has no values", axis_names[axis]),
                    "list them, or remove the axis");
      for (auto value = values.begin(); value != values.end(); ++value)
        if (std::find(values.begin(), value, *value) != value)
          axes.refuse(axis_names[axis], fmt::format("{} is there twice", document::quoted(*value)));
      if (axis == static_cast<std::size_t>(Axis::c_library))
        for (const std::string& root : values)
          if (!root.starts_with('/') || !is_directory(files_, root))
            axes.refuse(axis_names[axis],
                        document::quoted(root) + " is not a directory with an absolute path",
                        "name the root of a system with that C library, or / for this machine's own");
    }
    for (const document::Member& member : table.members)
      if (std::ranges::find(axis_names, member.key) == axis_names.end())
        axes.refuse(member.at, fmt::format("there is no axis {}", document::quoted(member.key)), axes_hint);
    document_.adopt(axes.finish(axes_hint));
  }

  /// Projects in the order of their axis, and the empty value for axes that are not there.
  void complete() {
    auto& names = description_.values[static_cast<std::size_t>(Axis::project)];
    if (names.empty())
      for (const Project& project : description_.projects)
        names.push_back(project.name);
    std::vector<Project> chosen;
    for (const std::string& name : names)
      if (const Project* const project = description_.project(name))
        chosen.push_back(*project);
      else
        document_.refuse("axes", fmt::format("there is no project {}", document::quoted(name)),
                         fmt::format("describe it in [project.{}]", name));
    description_.projects = std::move(chosen);
    for (auto& values : description_.values)
      if (values.empty())
        values.emplace_back();
  }

  void read_exclusion(const document::Value& table) {
    document::Reader row(document_.path(), table);
    Coordinates values;
    for (std::size_t axis = 0; axis < axis_count; ++axis) {
      const auto value = row.string(axis_names[axis]);
      if (!value)
        continue;
      const auto& known = description_.values[axis];
      if (std::ranges::find(known, *value) == known.end())
        row.refuse(axis_names[axis],
                   fmt::format("axis {} has no value {}", axis_names[axis], document::quoted(*value)));
      values[axis] = *value;
    }
    if (values == Coordinates{})
      row.refuse(table.at, "this excludes every cell", "name values of axes");
    document_.adopt(row.finish(axes_hint));
    description_.excluded.push_back(std::move(values));
  }

  const Files& files_;
  document::Reader document_;
  std::string directory_;
  Description description_;
};

} // namespace

const Project* Description::project(std::string_view wanted) const {
  const auto found = std::ranges::find(projects, wanted, &Project::name);
  return found == projects.end() ? nullptr : &*found;
}

Result<Description> read_description(const Files& files, const std::string& path) {
  TRY_ASSIGN(const auto document, document::read_toml(files, path));
  return Reader(files, path, document).run();
}

} // namespace hostpin::matrix
