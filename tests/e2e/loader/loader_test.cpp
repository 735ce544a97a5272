// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/process.hpp"
#include "toolchains/loader/cache.hpp"
#include "toolchains/loader/loader.hpp"
#include "toolchains/loader/places.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

namespace fs = std::filesystem;

std::string real(const std::string& path) {
  std::error_code ignored;
  return fs::canonical(path, ignored).string();
}

struct Truth {
  std::map<std::string, std::string> found;
  std::set<std::string> missing;
};

/// What `ld.so --list` prints: `name => path (address)`, `name => not found`, `path (address)`.
Truth truth_of(const std::string& output) {
  Truth truth;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t arrow = line.find(" => ");
    const std::size_t end = line.find(" (0x");
    if (arrow == std::string::npos)
      continue;
    const std::string name =
        line.substr(line.find_first_not_of(" \t"), arrow - line.find_first_not_of(" \t"));
    if (end == std::string::npos)
      truth.missing.insert(name);
    else
      truth.found[name] = real(line.substr(arrow + 4, end - arrow - 4));
  }
  return truth;
}

struct Subject {
  std::string path;
  binary::Image image;
};

std::vector<Subject> subjects() {
  std::vector<std::string> directories = {"/usr/bin", "/usr/lib/x86_64-linux-gnu", "/usr/local/cuda/bin",
                                          "/usr/local/cuda/lib64", "/usr/lib/llvm-19/bin"};
  const char* const home = std::getenv("HOME");
  const char* const named = std::getenv("HOSTPIN_LAB");
  const std::string lab =
      named != nullptr ? named : std::string(home != nullptr ? home : "") + "/.cache/hostpin/lab";
  for (const char* const root : {"bullseye", "trixie", "sid"})
    directories.push_back(lab + "/roots/" + root + "/usr/bin");
  std::vector<Subject> found;
  for (const std::string& directory : directories) {
    std::error_code missing;
    std::vector<std::string> paths;
    for (const auto& entry : fs::directory_iterator(directory, missing))
      paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());
    // Every file would take minutes on a small machine; a stride meets all kinds of them.
    const bool all = std::getenv("HOSTPIN_FULL") != nullptr;
    const std::size_t step = all ? 1 : std::max<std::size_t>(1, paths.size() / 60);
    for (std::size_t i = 0; i < paths.size(); i += step)
      if (auto image = loader::image_on_disk(paths[i]);
          image && image->kind.machine == 62 && !image->needed.empty())
        found.push_back({paths[i], *std::move(image)});
  }
  return found;
}

/// A random tree of libraries that need each other, with copies of each in several directories, and run paths
/// of every kind between them.
class RandomTree {
public:
  RandomTree(std::string root, unsigned seed) : root_(std::move(root)), random_(seed) {
    for (const char* const directory : {"stubs", "p", "x", "y", "z"})
      fs::create_directories(root_ + '/' + directory);
    for (const std::string& name : names)
      link("stubs/" + name, {"-shared", "-Wl,-soname," + name});
    for (const std::string& directory : {std::string("x"), std::string("y"), std::string("z")})
      for (const std::string& name : names)
        if (odds(60)) {
          std::vector<std::string> words = {"-shared", "-Wl,-soname," + name};
          append_needs(words, odds(70) ? 1 : 0);
          link(directory + '/' + name, std::move(words));
        }
    std::vector<std::string> words = {"-Wl,-e,0", "-pie"};
    append_needs(words, 2);
    link("p/program", std::move(words));
    for (const char* const directory : {"x", "y", "z"})
      if (odds(25))
        library_path_.push_back(root_ + '/' + directory);
  }

  const std::vector<Command>& commands() const { return commands_; }
  const std::vector<std::string>& library_path() const { return library_path_; }
  std::string program() const { return root_ + "/p/program"; }

private:
  bool odds(unsigned percent) { return random_() % 100 < percent; }

  void append_needs(std::vector<std::string>& words, unsigned at_least) {
    words.insert(words.end(), {"-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined", "-L" + root_ + "/stubs"});
    for (std::size_t i = 0; i < names.size(); ++i)
      if (i < at_least || odds(40))
        words.push_back("-l:" + names[(i + seed_of_order_) % names.size()]);
    ++seed_of_order_;
    constexpr std::array places = {"/x", "/y", "/z", "$ORIGIN/../x", "${ORIGIN}/../z", "/none"};
    std::string list;
    for (const std::string_view place : places)
      if (odds(25))
        list +=
            (list.empty() ? "" : ":") + (place.starts_with('/') ? root_ : std::string()) + std::string(place);
    if (!list.empty() && odds(75))
      words.insert(words.end(),
                   {"-Wl,-rpath," + list, odds(50) ? "-Wl,--enable-new-dtags" : "-Wl,--disable-new-dtags"});
    if (odds(5))
      words.push_back("-Wl,-z,nodefaultlib");
  }

  void link(const std::string& output, std::vector<std::string> words) {
    Command command;
    command.argv = {"cc", "-nostdlib", "-x", "c", "/dev/null", "-x", "none", "-o", root_ + '/' + output};
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    commands_.push_back(std::move(command));
  }

  const std::vector<std::string> names = {"a.so", "b.so", "c.so", "d.so"};
  std::string root_;
  std::mt19937 random_;
  std::size_t seed_of_order_ = 0;
  std::vector<Command> commands_;
  std::vector<std::string> library_path_;
};

} // namespace

TEST_CASE(
    "in random trees of libraries, run paths and LD_LIBRARY_PATH, each is found where the loader finds it") {
  const DiskFiles files;
  const HostProcesses processes;
  const std::string loader = "/lib64/ld-linux-x86-64.so.2";
  loader::LoaderPlaces places = loader::loader_places(loader, "x86_64-linux-gnu", files, processes);
  std::string root = (fs::temp_directory_path() / "hostpin-loader.XXXXXX").string();
  REQUIRE(mkdtemp(root.data()) != nullptr);
  const unsigned trials = std::getenv("HOSTPIN_FULL") != nullptr ? 400 : 40;
  std::size_t compared = 0, missed = 0;
  for (unsigned trial = 0; trial < trials; ++trial) {
    CAPTURE(trial);
    const RandomTree tree(root + '/' + std::to_string(trial), trial);
    const std::vector<Command>& links = tree.commands();
    constexpr std::size_t stubs = 4; // the others are linked with them
    const std::vector<Outcome> first = processes.run(std::span(links).first(stubs));
    const std::vector<Outcome> rest = processes.run(std::span(links).subspan(stubs));
    for (const Outcome& outcome : rest)
      REQUIRE_MESSAGE(outcome.ok(), outcome.errors);
    std::string variable = "LD_LIBRARY_PATH=";
    for (const std::string& directory : tree.library_path())
      variable += (variable.ends_with('=') ? "" : ":") + directory;
    Command list;
    // unlike --list, this goes on where a library is missing
    list.argv = {"env", variable, "LD_TRACE_LOADED_OBJECTS=1", loader, tree.program()};
    if (tree.library_path().empty())
      list.argv[1] = "--unset=LD_LIBRARY_PATH";
    const Truth truth = truth_of(processes.run({&list, 1}).front().output);
    places.library_path = tree.library_path();
    const auto program = loader::image_on_disk(tree.program());
    REQUIRE(program);
    const loader::Closure closure = loader::load(tree.program(), *program, places);
    for (const auto& [name, path] : truth.found) {
      CAPTURE(name);
      const loader::LoadedImage* const ours = closure.serving(name);
      CHECK((ours == nullptr ? "missing" : real(ours->path)) == path);
      ++compared;
    }
    std::set<std::string> missing;
    for (const loader::MissingLibrary& library : closure.missing)
      missing.insert(library.name);
    CHECK(missing == truth.missing);
    missed += missing.size();
  }
  fs::remove_all(root);
  MESSAGE(compared << " libraries, " << missed << " missing");
  CHECK(compared > trials);
  CHECK(missed > 0);
}

TEST_CASE("libraries for this processor are found where the loader and ldconfig's cache have them") {
  const DiskFiles files;
  const HostProcesses processes;
  const std::string loader = "/lib64/ld-linux-x86-64.so.2";
  loader::LoaderPlaces places = loader::loader_places(loader, "x86_64-linux-gnu", files, processes);
  if (places.capabilities.empty()) {
    MESSAGE("skipped: this processor, or its glibc, knows no glibc-hwcaps");
    return;
  }
  std::string root = (fs::temp_directory_path() / "hostpin-loader.XXXXXX").string();
  REQUIRE(mkdtemp(root.data()) != nullptr);
  std::vector<Command> links;
  for (const std::string& below : {std::string(), "/glibc-hwcaps/" + places.capabilities.back()}) {
    fs::create_directories(root + below);
    links.emplace_back().argv = {"cc", "-nostdlib", "-shared", "-Wl,-soname,liba.so.1",    "-x",
                                 "c",  "/dev/null", "-o",      root + below + "/liba.so.1"};
  }
  links.emplace_back().argv = {
      "cc",        "-nostdlib", "-pie", "-Wl,-e,0,--no-as-needed", "-x", "c",
      "/dev/null", "-x",        "none", root + "/liba.so.1",       "-o", root + "/program"};
  for (const Command& link : links)
    REQUIRE(processes.run({&link, 1}).front().ok());
  const std::string better = real(root + "/glibc-hwcaps/" + places.capabilities.back() + "/liba.so.1");

  Command list;
  list.argv = {"env", "LD_LIBRARY_PATH=" + root, loader, "--list", root + "/program"};
  CHECK(truth_of(processes.run({&list, 1}).front().output).found["liba.so.1"] == better);
  places.library_path = {root};
  const loader::Closure closure =
      loader::load(root + "/program", *loader::image_on_disk(root + "/program"), places);
  REQUIRE(closure.serving("liba.so.1") != nullptr);
  CHECK(real(closure.serving("liba.so.1")->path) == better);

  std::ofstream(root + "/conf") << root << '\n';
  Command cache;
  cache.argv = {"/sbin/ldconfig", "-X", "-C", root + "/cache", "-f", root + "/conf"};
  if (const Outcome outcome = processes.run({&cache, 1}).front(); !outcome.ok())
    MESSAGE("ldconfig not compared: " << describe(outcome) << outcome.errors);
  else {
    const auto bytes = files.read(root + "/cache", std::size_t{1} << 24U);
    REQUIRE(bytes);
    const auto found = loader::cached_libraries(*bytes, "liba.so.1", places.capabilities);
    REQUIRE(found.size() == 2);
    CHECK(real(std::string(found[0])) == better);
    CHECK(real(std::string(found[1])) == real(root + "/liba.so.1"));
    CHECK(loader::cached_libraries(*bytes, "liba.so.1").size() == 1);
  }
  fs::remove_all(root);
}

TEST_CASE("every library is found where the real loader finds it") {
  const DiskFiles files;
  const HostProcesses processes;
  const std::string usual = "/lib64/ld-linux-x86-64.so.2";
  std::map<std::string, loader::LoaderPlaces> places;
  std::vector<Command> commands;
  const std::vector<Subject> all = subjects();
  for (const Subject& subject : all) {
    const std::string& loader = subject.image.interpreter.empty() ? usual : subject.image.interpreter;
    if (!places.contains(loader))
      places[loader] = loader::loader_places(loader, "x86_64-linux-gnu", files, processes);
    Command& command = commands.emplace_back();
    command.argv = {loader, "--list", subject.path};
    command.unset = {"LD_LIBRARY_PATH", "LD_PRELOAD"};
  }
  const std::vector<Outcome> outcomes = processes.run(commands);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!outcomes[i].ok() && outcomes[i].output.empty())
      continue; // the loader itself refuses the file
    const Truth truth = truth_of(outcomes[i].output);
    const loader::Closure closure = loader::load(all[i].path, all[i].image, places[commands[i].argv.front()]);
    CAPTURE(all[i].path);
    for (const auto& [name, path] : truth.found) {
      CAPTURE(name);
      const loader::LoadedImage* const ours = closure.serving(name);
      CHECK_MESSAGE(ours != nullptr, "not found by us");
      if (ours != nullptr)
        CHECK(real(ours->path) == path);
      ++compared;
    }
    std::set<std::string> missing;
    for (const loader::MissingLibrary& library : closure.missing)
      missing.insert(library.name);
    CHECK(missing == truth.missing);
  }
  MESSAGE(compared << " libraries of " << all.size() << " files");
  CHECK(compared > 100);
}
