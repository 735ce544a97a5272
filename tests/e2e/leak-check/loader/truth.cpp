// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// leak_truth REPORT TREE: a report of leak-check --json over TREE beside what the loaders of the x86-64
// programs and libraries in it resolve. The report's binding must pin a libstdc++ and a libgcc_s that nobody
// loads, so that the report names those that are. Exit code 1 for a difference, 2 where nothing could be
// compared.
#include "toolchains/base/process.hpp"
#include "toolchains/loader/loader.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace {

using namespace hostpin;
namespace fs = std::filesystem;

using Names = std::set<std::string>;

/// What is known of one file, from either side.
struct Resolved {
  std::map<std::string, std::string> runtime; ///< libstdc++.so.6 and libgcc_s.so.1, real paths
  Names missing;                              ///< libraries
  Names unmet;                                ///< symbol versions
  std::vector<std::string> loaded;            ///< real paths; of a loader's answer alone
  bool unfollowed = false;                    ///< the report says that its loader is not known
};

std::string real(const std::string& path) {
  std::error_code ignored;
  return fs::canonical(path, ignored).string();
}

bool is_runtime(std::string_view name) {
  return name == "libstdc++.so.6" || name == "libgcc_s.so.1";
}

/// `name => path (address)`, `name => not found`; and of what is needed by its path, `path (address)`.
void read_list(const std::string& output, Resolved& truth) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t start = line.find_first_not_of(" \t");
    const std::size_t arrow = line.find(" => "), end = line.find(" (0x");
    if (end == std::string::npos) {
      if (arrow != std::string::npos)
        truth.missing.insert(line.substr(start, arrow - start));
      continue;
    }
    const std::size_t from = arrow == std::string::npos ? start : arrow + 4;
    const std::string path = real(line.substr(from, end - from));
    if (path.empty())
      continue; // linux-vdso.so.1 is no file
    truth.loaded.push_back(path);
    if (path.find("/libstdc++") == std::string::npos && path.find("/libgcc_s") == std::string::npos)
      continue;
    if (const auto image = loader::image_on_disk(path); image && is_runtime(image->soname))
      truth.runtime[image->soname] = path;
  }
}

/// FILE: LIBRARY: version `NAME' not found (required by FILE)
void read_complaints(const std::string& errors, Resolved& truth) {
  constexpr std::string_view before = ": version `", after = "' not found";
  std::istringstream lines(errors);
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t at = line.find(before), end = line.find(after, at); end != std::string::npos)
      truth.unmet.insert(line.substr(at + before.size(), end - at - before.size()));
}

struct Subject {
  std::string path; ///< below the tree
  std::string loader;
};

std::vector<Subject> subjects(const std::string& tree) {
  std::vector<Subject> found;
  for (const auto& entry : fs::recursive_directory_iterator(tree)) {
    if (entry.is_symlink() || !entry.is_regular_file())
      continue;
    const auto image = loader::image_on_disk(entry.path().string());
    if (image && image->kind == binary::ElfKind{true, 62} && !image->needed.empty())
      found.push_back({fs::relative(entry.path(), tree).string(),
                       image->interpreter.empty() ? "/lib64/ld-linux-x86-64.so.2" : image->interpreter});
  }
  std::sort(found.begin(), found.end(), [](const Subject& a, const Subject& b) { return a.path < b.path; });
  return found;
}

std::string text(const nlohmann::json& finding, const char* key) {
  return finding[key].is_string() ? finding[key].get<std::string>() : std::string();
}

std::map<std::string, Resolved> told_by(const nlohmann::json& report) {
  std::map<std::string, Resolved> told;
  for (const nlohmann::json& finding : report["findings"]) {
    Resolved& file = told[text(finding, "path")];
    const std::string rule = text(finding, "rule"), reference = text(finding, "reference");
    if (!finding["member"].empty())
      continue;
    if (rule == "wrong-libstdcxx")
      file.runtime[reference] = text(finding, "resolved");
    else if (rule == "unmet-version-need")
      file.unmet.insert(reference);
    else if (rule == "missing-library" && text(finding, "section") == ".interp")
      file.unfollowed = true;
    else if (rule == "missing-library")
      file.missing.insert(reference);
  }
  return told;
}

class Comparison {
public:
  Comparison(std::string tree, std::map<std::string, Resolved> told)
      : tree_(std::move(tree)), told_(std::move(told)) {
    for (const auto& [path, file] : told_)
      by_real_.emplace(real(tree_ + '/' + path), &file);
  }

  void compare(const Subject& subject, const Resolved& truth) {
    static const Resolved nothing;
    const auto known = told_.find(subject.path);
    const Resolved& told = known == told_.end() ? nothing : known->second;
    ++files_;
    if (told.unfollowed)
      return differ(subject, "its loader", subject.loader, "not followed");
    for (const auto& [name, path] : truth.runtime) {
      const auto ours = told.runtime.find(name);
      const std::string said = ours == told.runtime.end() ? "nothing" : ours->second;
      // a library does not load itself
      if (said != path && path != real(tree_ + '/' + subject.path))
        differ(subject, name, path, said);
      ++runtimes_;
    }
    for (const auto& [name, path] : told.runtime)
      if (!truth.runtime.contains(name))
        differ(subject, name, "nothing", path);
    sets("missing ", subject, truth, &Resolved::missing, told, missing_);
    sets("unmet ", subject, truth, &Resolved::unmet, told, unmet_);
  }

  /// The loader gives up before it has told anything; the report must hold something against that file, too.
  void refused(const Subject& subject, const std::string& why) {
    ++files_;
    const auto told = told_.find(subject.path);
    if (told != told_.end() && !(told->second.missing.empty() && told->second.unmet.empty()))
      return;
    ++differences_;
    std::printf("%s: its loader refuses it: %s\n", subject.path.c_str(), why.c_str());
  }

  int finish() const {
    std::printf("%s: %zu files, %zu libstdc++ and libgcc_s, %zu missing libraries, %zu unmet versions: %zu "
                "differences\n",
                tree_.c_str(), files_, runtimes_, missing_, unmet_, differences_);
    return files_ == 0 ? 2 : differences_ == 0 ? 0 : 1;
  }

private:
  void differ(const Subject& subject, const std::string& what, const std::string& truth,
              const std::string& told) {
    ++differences_;
    std::printf("%s: %s: the loader says %s, leak-check %s\n", subject.path.c_str(), what.c_str(),
                truth.c_str(), told.c_str());
  }

  /// What a library of the same tree lacks is told of that one, and of each program, but not of every library
  /// that loads it.
  bool told_elsewhere(const Resolved& truth, Names Resolved::*which, const std::string& name) const {
    return std::any_of(truth.loaded.begin(), truth.loaded.end(), [&](const std::string& path) {
      const auto other = by_real_.find(path);
      return other != by_real_.end() && (other->second->*which).contains(name);
    });
  }

  void sets(const std::string& kind, const Subject& subject, const Resolved& truth, Names Resolved::*which,
            const Resolved& told, std::size_t& count) {
    for (const std::string& name : truth.*which) {
      if (!(told.*which).contains(name) && !told_elsewhere(truth, which, name))
        differ(subject, kind + name, "yes", "nothing");
      ++count;
    }
    for (const std::string& name : told.*which)
      if (!(truth.*which).contains(name))
        differ(subject, kind + name, "nothing", "yes");
  }

  std::string tree_;
  std::map<std::string, Resolved> told_;
  std::map<std::string, const Resolved*> by_real_;
  std::size_t files_ = 0, runtimes_ = 0, missing_ = 0, unmet_ = 0, differences_ = 0;
};

} // namespace

int main(int argc, char** argv) {
  if (argc < 3)
    return 2;
  std::ifstream stream(argv[1]);
  const nlohmann::json report = nlohmann::json::parse(stream, nullptr, false);
  if (report.is_discarded() || !report.contains("findings"))
    return 2;
  const std::vector<Subject> all = subjects(argv[2]);
  std::vector<Command> commands;
  for (const Subject& subject : all) {
    Command& command = commands.emplace_back();
    // What --list does, but on behalf of a file that lacks a library too.
    command.argv = {"env", "LD_TRACE_LOADED_OBJECTS=1", subject.loader,
                    std::string(argv[2]) + '/' + subject.path};
    command.unset = {"LD_LIBRARY_PATH", "LD_PRELOAD"};
  }
  const std::vector<Outcome> outcomes = HostProcesses().run(commands);
  Comparison comparison(argv[2], told_by(report));
  for (std::size_t i = 0; i < all.size(); ++i) {
    Resolved truth;
    read_list(outcomes[i].output, truth);
    read_complaints(outcomes[i].errors, truth);
    if (!outcomes[i].ok() || (truth.loaded.empty() && truth.missing.empty()))
      comparison.refused(all[i], describe(outcomes[i]) + ' ' + outcomes[i].errors);
    else
      comparison.compare(all[i], truth);
  }
  return comparison.finish();
}
