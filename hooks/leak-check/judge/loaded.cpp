// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/judge/judges.hpp"
#include "hooks/leak-check/scan/elf.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/cuda_runtime.hpp"
#include "toolchains/binary/machine.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hostpin::leak {

namespace {

/// Whether both are in the same archive, or in none.
bool in_same_archive(const Location& a, const Location& b) {
  return a.member.size() == b.member.size() &&
         (a.member.empty() ||
          (a.path == b.path && std::equal(a.member.begin(), a.member.end() - 1, b.member.begin())));
}

std::string_view cuda_runtime(const binary::Image& image, std::string_view asked_for) {
  return binary::shared_cuda_runtime(image, file_name(asked_for));
}

std::string by_what(const loader::LoadedImage& image) {
  switch (image.found_by) {
  case loader::FoundBy::rpath:
    return "by RPATH";
  case loader::FoundBy::runpath:
    return "by RUNPATH";
  case loader::FoundBy::library_path:
    return "by LD_LIBRARY_PATH";
  case loader::FoundBy::cache:
    return "by ld.so.cache";
  case loader::FoundBy::directories:
    return "in the loader's own directories";
  case loader::FoundBy::itself:
    break;
  }
  return "by its path";
}

bool by_run_path(const loader::LoadedImage& image) {
  return image.found_by == loader::FoundBy::rpath || image.found_by == loader::FoundBy::runpath ||
         image.found_by == loader::FoundBy::itself;
}

/// The first version that `wanted` defines and `given` does not; empty when there is none.
std::string lacking(const binary::Image& wanted, const binary::Image& given) {
  const auto& defined = given.version_definitions;
  const auto lacked = std::find_if(
      wanted.version_definitions.begin(), wanted.version_definitions.end(), [&](const std::string& version) {
        return std::find(defined.begin(), defined.end(), version) == defined.end();
      });
  const bool base = lacked != wanted.version_definitions.end() && lacked->find(".so") != std::string::npos;
  return lacked == wanted.version_definitions.end() || base ? std::string() : *lacked;
}

class LoadedJudge {
public:
  LoadedJudge(const std::deque<TreeElf>& elfs, const World& world, const Report& report)
      : elfs_(elfs), world_(world), report_(report) {
    for (const TreeElf& elf : elfs_)
      if (!elf.file.empty() && elf.facts.image) {
        const std::string& file = real(elf.file);
        const std::string& soname = elf.facts.image->soname;
        by_file_.emplace(file, &elf);
        by_name_.emplace(file_name(file), &elf);
        if (!soname.empty() && soname != file_name(file))
          by_name_.emplace(soname, &elf);
      }
  }

  /// Programs first, so that what they load is known when libraries are judged.
  void run() {
    for (const bool programs : {true, false})
      for (const TreeElf& elf : elfs_)
        if (!elf.file.empty() && elf.facts.image && (elf.facts.type == ElfFacts::Type::program) == programs)
          follow(elf);
  }

private:
  struct Followed {
    const TreeElf& elf;
    const loader::Closure& closure;
    bool is_program = false;
    const loader::LoaderPlaces& places;
    /// Files that the loader would skip because they are for another machine, by file name.
    const std::map<std::string, std::string>& skipped = {};
  };

  /// A shared CUDA runtime that a process would have.
  struct Runtime {
    std::string name;    ///< as in NEEDED
    std::string release; ///< such as `libcudart.so.13`, whatever the name
    std::string path;
    std::string by; ///< path of the file that loads it
  };

  /// The libraries in the tree that `owner` lacks, and how to make the loader find them.
  struct Remedy {
    std::string file; ///< the only one, if `owner` is judged itself: --fix may add its directory
    std::string explanation, fix;
  };

  void follow(const TreeElf& elf) {
    const binary::Image& image = *elf.facts.image;
    const loader::LoaderPlaces* const places = world_.loader(image.interpreter, image.kind);
    if (places == nullptr) {
      if (!image.interpreter.empty())
        add(Rule::missing_library, Severity::note, elf, ".interp", image.interpreter, {},
            "Its loader is not one of this machine, or not glibc's, so what it would load is not known.");
      return;
    }
    std::string blocked;
    std::map<std::string, std::string> skipped;
    const loader::ReadImage read_and_note = [&](const std::string& path) {
      auto found = read(path);
      if (found && found->kind != image.kind)
        skipped.emplace(file_name(path), path);
      if (!found && blocked.empty() && blocking_.contains(path))
        blocked = path;
      return found;
    };
    const loader::Closure closure = loader::load(elf.file, image, *places, read_and_note);
    const Followed one{elf, closure, elf.facts.type == ElfFacts::Type::program, *places, skipped};
    if (one.is_program)
      add_loaded(closure);
    judge_missing(one);
    judge_blocked(one, blocked);
    judge_unmet(one);
    judge_pinned(one, "libstdc++.so.6", world_.policy.libstdcxx);
    judge_pinned(one, "libgcc_s.so.1", world_.policy.libgcc);
    judge_runtimes(one);
    judge_names(one);
    judge_functions(one);
  }

  void add_loaded(const loader::Closure& closure) {
    for (const loader::LoadedImage& image : closure.images) {
      const std::string& file = real(image.path);
      if (!by_file_.contains(file))
        continue;
      loaded_.insert(file);
      for (const std::string& name : image.image.needed)
        if (closure.serving(name) != nullptr)
          resolved_by_program_.emplace(file, name);
    }
  }

  Severity downgrade_if_resolved(const Followed& one, const loader::LoadedImage& by, const std::string& name,
                                 Severity otherwise) {
    return !one.is_program && resolved_by_program_.contains({real(by.path), name}) ? Severity::note
                                                                                   : otherwise;
  }

  /// Where a missing library would be found if a directory above `by` were the root, as in a staged install
  /// (DESTDIR); empty: nowhere.
  std::string path_after_install(const loader::LoadedImage& by, const std::string& name,
                                 const loader::LoaderPlaces& places) {
    if (world_.root != nullptr)
      return {}; // the tree is already judged as installed
    std::vector<std::string> directories;
    for (const auto& [text, directory] : loader::run_path(by.path, by.image, places))
      directories.push_back(directory);
    directories.insert(directories.end(), places.directories.begin(), places.directories.end());
    std::string root = real(by.path);
    for (std::size_t slash = root.rfind('/'); slash != std::string::npos && slash > 0;
         slash = root.rfind('/')) {
      root.resize(slash);
      for (const std::string& directory : directories) {
        if (!directory.starts_with('/'))
          continue; // it depends on where the program is started
        if (directory.starts_with("/lib"))
          continue; // every prefix has such a directory, and its programs need a run path
        std::string path = lexically_normal(root + directory + '/' + name);
        const TreeElf* const library = in_tree(path);
        if (library != nullptr && library->facts.image->kind == by.image.kind)
          return path;
      }
    }
    return {};
  }

  /// Every such file, by path.
  std::vector<std::string> candidates(const TreeElf& by, const std::string& name) {
    constexpr int most = 64; // with more of one name, none of them is meant
    int number = 0;
    std::set<std::string> all;
    const auto [first, last] = by_name_.equal_range(name);
    for (auto at = first; at != last; ++at) {
      if (++number > most)
        return {};
      const std::string& file = real(at->second->file);
      std::string path =
          file.substr(0, file.rfind('/') + 1) + name; // the name may be that of a symlink next to it
      const TreeElf* const library = in_tree(path);
      const bool fits = library != nullptr && library->facts.image->kind == by.facts.image->kind &&
                        library->where.tree == by.where.tree && in_same_archive(library->where, by.where);
      if (fits)
        all.insert(std::move(path));
    }
    return {all.begin(), all.end()};
  }

  /// The library of that name in the tree of `by`, if there is exactly one.
  std::string candidate(const TreeElf& by, const std::string& name) {
    const std::vector<std::string> all = candidates(by, name);
    return all.size() == 1 ? all.front() : std::string();
  }

  std::optional<binary::Image> read(const std::string& path) {
    const auto known = images_.find(path);
    if (known != images_.end())
      return known->second;
    if (const TreeElf* const own = in_tree(path))
      return own->facts.image;
    const auto& image = images_.emplace(path, read_image_of(on_disk(path, world_))).first->second;
    if (!image && blocks(path))
      blocking_.insert(path);
    return image;
  }

  /// Whether the path exists and can be opened, but is not a library.
  bool blocks(const std::string& path) const {
    const auto status = world_.files.status(path);
    // The loader skips what it cannot open.
    return status &&
           (status->kind == FileStatus::Kind::directory || binary::open_blob(on_disk(path, world_)));
  }

  const std::string& real(const std::string& path) {
    const auto known = real_.find(path);
    if (known != real_.end())
      return known->second;
    return real_.emplace(path, world_.files.real_path(path).value_or(path)).first->second;
  }

  const TreeElf* in_tree(const std::string& path) {
    const auto found = by_file_.find(real(path));
    return found == by_file_.end() ? nullptr : found->second;
  }

  /// In a section of `elf`.
  void add(Rule rule, Severity severity, const TreeElf& elf, const char* section, std::string reference,
           std::string resolved, std::string explanation, std::string fix = {}) {
    report_({rule, severity, elf.at(section), std::move(reference), std::move(resolved),
             std::move(explanation), std::move(fix)});
  }

  Remedy remedy(const TreeElf& owner, const std::string& name, bool owner_is_judged) {
    constexpr std::size_t most = 4; // nobody reads more
    Remedy remedy;
    std::vector<std::string> there = candidates(owner, name);
    const auto way = [&](const std::string& path) {
      return loader::run_path_to(directory_of(path), real(owner.file));
    };
    std::erase_if(there, [&](const std::string& path) {
      const bool unnameable = way(path).find(':') != std::string::npos;
      if (unnameable)
        remedy.explanation +=
            " " + path + " is in a directory that no run path can name: a colon ends an entry.";
      return unnameable;
    });
    if (there.empty())
      return remedy;
    const std::string first = way(there.front());
    const std::string command = "Add " + first + " to the run path of " + shown(owner.where) +
                                ": patchelf --add-rpath '" + first + '\'';
    if (there.size() == 1) {
      if (owner_is_judged)
        remedy.file = there.front();
      else
        remedy.explanation += " There is " + there.front() + '.';
      remedy.fix =
          command + (owner.where.member.empty() ? ", or hostpin leak-check --fix." : ", before packing it.");
      return remedy;
    }
    remedy.explanation += " There are " + std::to_string(there.size()) + ": " + there.front();
    remedy.fix = command + " for the first";
    for (std::size_t i = 1; i < there.size() && i < most; ++i) {
      remedy.explanation += ", " + there[i];
      remedy.fix += ", " + way(there[i]) + " for " + there[i];
    }
    remedy.explanation += there.size() > most ? " ..." : ".";
    remedy.fix += there.size() > most ? " ..." : "";
    remedy.fix += owner.where.member.empty() ? "." : ", before packing it.";
    return remedy;
  }

  /// The file for another machine that is the only one of a missing library's name; empty if there is none.
  /// Directories of this machine's system may have files of many machines.
  std::string only_for_another(const Followed& one, const loader::LoadedImage& by, const std::string& name) {
    const auto found = one.skipped.find(std::string(file_name(name)));
    if (found == one.skipped.end())
      return {};
    const auto own = loader::run_path(by.path, by.image, one.places);
    const bool is_meant =
        in_tree(found->second) != nullptr ||
        std::any_of(own.begin(), own.end(), [&](const loader::RunPathEntry& entry) {
          return lexically_normal(entry.directory + '/' + name) == lexically_normal(found->second);
        });
    return is_meant ? found->second : std::string();
  }

  void judge_skipped(const Followed& one, const loader::LoadedImage& by, const std::string& name,
                     const std::string& path) {
    const auto image = read(path);
    const Severity severity = one.is_program ? Severity::error : Severity::warning;
    add(Rule::foreign_machine,
        capped_for_vendor(downgrade_if_resolved(one, by, name, severity), one.elf.vendor, Severity::note),
        one.elf, ".dynamic", name, path,
        by.path + " is for " + binary::machine_name(by.image.kind) +
            " and needs it; the only file of that name on its search path, " + path + ", is for " +
            binary::machine_name(image ? image->kind : binary::ElfKind{}) + ": the loader skips it.");
  }

  void judge_missing(const Followed& one) {
    for (const loader::MissingLibrary& missing : one.closure.missing) {
      const loader::LoadedImage& by = one.closure.images[missing.needed_by];
      const TreeElf* const owner = in_tree(by.path);
      // Reported when that library is followed itself.
      if (owner != nullptr && owner != &one.elf && !one.is_program)
        continue;
      if (const std::string path = only_for_another(one, by, missing.name); !path.empty()) {
        judge_skipped(one, by, missing.name, path);
        continue;
      }
      Severity severity = one.is_program ? Severity::error : Severity::warning;
      std::string explanation = by.path + " needs it, and the loader does not find it.";
      if (loader::is_of_driver(missing.name)) {
        severity = Severity::note;
        explanation += " It comes with the NVIDIA driver of the machine that runs this.";
      }
      const std::string staged = path_after_install(by, missing.name, one.places);
      Remedy found_in_tree;
      if (!staged.empty()) {
        severity = std::min(severity, one.is_program ? Severity::warning : Severity::note);
        explanation += " It would find " + staged + " once the staged tree is installed.";
      } else if (owner != nullptr && !loader::is_of_driver(missing.name)) {
        // --fix changes the file that needs it when that is judged itself
        found_in_tree = remedy(*owner, missing.name, owner == &one.elf);
      }
      severity = capped_for_vendor(downgrade_if_resolved(one, by, missing.name, severity),
                                   one.elf.vendor || (owner != nullptr && owner->vendor), Severity::note);
      add(Rule::missing_library, severity, one.elf, ".dynamic", missing.name, std::move(found_in_tree.file),
          std::move(explanation) + found_in_tree.explanation, std::move(found_in_tree.fix));
    }
  }

  /// `path`: the first file at which the loader would give up; empty for none.
  void judge_blocked(const Followed& one, const std::string& path) {
    const std::string name(file_name(path));
    const auto& missing = one.closure.missing;
    if (path.empty() || std::any_of(missing.begin(), missing.end(),
                                    [&](const loader::MissingLibrary& other) { return other.name == name; }))
      return;
    add(Rule::missing_library,
        capped_for_vendor(one.is_program ? Severity::error : Severity::warning, one.elf.vendor,
                          Severity::note),
        one.elf, ".dynamic", name, path,
        path + " is the first file of that name on the loader's search path, but not a library: the loader "
               "stops there.");
  }

  void judge_unmet(const Followed& one) {
    for (const loader::UnmetNeed& unmet : loader::unmet_needs(one.closure)) {
      const loader::LoadedImage& by = one.closure.images[unmet.image];
      const loader::LoadedImage& library = one.closure.images[unmet.library];
      const TreeElf* const owner = in_tree(by.path);
      if (owner != nullptr && owner != &one.elf && !one.is_program)
        continue;
      const bool certain = one.is_program || by_run_path(library);
      Severity severity = certain ? Severity::error : Severity::warning;
      if (!one.is_program && loaded_.contains(real(by.path)) && !certain)
        severity = Severity::note;
      add(Rule::unmet_version_need, capped_for_vendor(severity, one.elf.vendor, Severity::warning), one.elf,
          ".gnu.version_r", unmet.version, library.path,
          by.path + " needs " + unmet.version + " of " + unmet.needed_of + "; the loader would load " +
              library.path + ' ' + by_what(library) + ", which does not define it.");
    }
  }

  void judge_pinned(const Followed& one, const std::string& name, const std::string& wanted) {
    const loader::LoadedImage* const loaded = one.closure.serving(name);
    if (wanted.empty() || loaded == nullptr || loaded == &one.closure.images.front())
      return;
    const std::string& file = real(loaded->path);
    if (file == real(wanted))
      return;
    std::optional<binary::Image> pinned = read(wanted);
    if (!pinned && world_.root != nullptr)
      pinned = read_image_of(wanted); // the stdenv need not be in the tree that it builds for
    if (!pinned || pinned->kind != loaded->image.kind)
      return; // for a machine that the stdenv does not build for
    const UnwantedPath* const row = world_.unwanted.covering(file);
    const std::string lacked = lacking(*pinned, loaded->image);
    Severity severity = row != nullptr || !lacked.empty() ? Severity::error : Severity::note;
    if (severity == Severity::error && !by_run_path(*loaded)) {
      // The system's library is found, not one that the vendor's run path names: unmet-version-need reports
      // it if it is too old.
      if (one.elf.vendor)
        severity = Severity::note;
      else if (!one.is_program)
        severity = loaded_.contains(real(one.elf.file)) ? Severity::note : Severity::warning;
    }
    std::string why =
        "It is found " + by_what(*loaded) + " of " + one.closure.images[loaded->loaded_by.value_or(0)].path;
    if (row != nullptr)
      why += ", and is " + std::string(to_string(row->kind)) + " (" + row->path + ')';
    why += lacked.empty() ? ". It defines all that the stdenv's does (" + wanted + ")."
                          : ". It is older than the stdenv's, " + wanted + ": it lacks " + lacked + '.';
    add(Rule::wrong_libstdcxx, capped_for_vendor(severity, one.elf.vendor, Severity::warning), one.elf,
        ".dynamic", name, file, std::move(why));
  }

  static std::vector<Runtime> runtimes_in(const loader::Closure& closure) {
    std::vector<Runtime> found;
    for (const loader::LoadedImage& image : closure.images)
      if (const std::string_view release = cuda_runtime(image.image, image.name); !release.empty())
        found.push_back(
            {image.name, std::string(release), image.path, closure.images[image.loaded_by.value_or(0)].path});
    return found;
  }

  /// Those in the closure of a library of the tree.
  const std::vector<Runtime>& runtimes_of(const std::string& library, const loader::LoaderPlaces& places) {
    const auto [found, fresh] = runtimes_.try_emplace(library);
    if (fresh)
      found->second = runtimes_in(loader::load(library, *in_tree(library)->facts.image, places,
                                               [this](const std::string& file) { return read(file); }));
    return found->second;
  }

  std::vector<Runtime> shared_runtimes(const Followed& one) {
    std::vector<Runtime> all = runtimes_in(one.closure);
    // The missing libraries must have been loaded before this one, as Python modules rely on each other's.
    // What they have loaded under the name that this one needs is not searched for again.
    for (const loader::MissingLibrary& missing : one.closure.missing)
      if (const std::string path = candidate(one.elf, missing.name); !path.empty())
        for (const Runtime& runtime : runtimes_of(path, one.places))
          if (std::none_of(all.begin(), all.end(), [&](const Runtime& other) {
                return other.name == runtime.name || real(other.path) == real(runtime.path);
              }))
            all.push_back(runtime);
    return all;
  }

  void judge_runtimes(const Followed& one) {
    const std::vector<Runtime> shared = shared_runtimes(one);
    const bool is_one_itself = !shared.empty() && shared.front().path == one.elf.file;
    const auto shown = [](const Runtime& runtime) {
      const std::string_view name = file_name(runtime.name);
      return std::string(name) +
             (name == runtime.release ? "" : ", which is " + runtime.release + " by its symbols,");
    };
    for (std::size_t i = 1; i < shared.size(); ++i)
      add(Rule::two_cuda_runtimes, capped_for_vendor(Severity::error, one.elf.vendor, Severity::warning),
          one.elf, ".dynamic", shared[i].name, shared[i].path,
          shown(shared.front()) + " is loaded by " + shared.front().by + "; " + shown(shared[i]) +
              " is loaded by " + shared[i].by + '.');
    if (shared.empty() || is_one_itself)
      return;
    for (const loader::LoadedImage& image : one.closure.images) {
      const TreeElf* const own = in_tree(image.path);
      if (own == nullptr || own->vendor || !own->facts.has_cudart ||
          !cuda_runtime(*own->facts.image, file_name(own->file)).empty())
        continue;
      add(Rule::own_static_and_shared_cudart, Severity::warning, *own, ".rodata", shared.front().name,
          shared.front().path,
          "It contains the static runtime, and " + shared.front().by + " loads the shared one.");
    }
  }

  void judge_names(const Followed& one) {
    const binary::Image& image = one.closure.images.front().image;
    for (const binary::VersionNeed& need : image.version_needs) {
      if (std::find(image.needed.begin(), image.needed.end(), need.library) != image.needed.end())
        continue;
      const bool loaded = one.closure.serving(need.library) != nullptr;
      add(Rule::needed_and_version_names_differ,
          loaded ? Severity::note : capped_for_vendor(Severity::error, one.elf.vendor, Severity::warning),
          one.elf, ".gnu.version_r", need.library, {},
          loaded ? "Another library loads it, so that the loader accepts the file." : "");
    }
  }

  const loader::CudaFunctions* functions_of(const std::string& path) {
    const TreeElf* const own = in_tree(path);
    const auto& functions =
        own != nullptr
            ? own->facts.cuda
            : functions_.try_emplace(path, read_cuda_functions_of(on_disk(path, world_))).first->second;
    return functions ? &*functions : nullptr;
  }

  /// Judges the files of the tree that a program loads; a library alone only if no program of the tree was
  /// judged with it.
  void judge_functions(const Followed& one) {
    std::vector<const TreeElf*> judged;
    for (const loader::LoadedImage& image : one.closure.images)
      if (const TreeElf* const own = in_tree(image.path);
          own != nullptr && own->facts.cuda && !own->facts.cuda->needed.empty() &&
          (one.is_program || (own == &one.elf && !loaded_.contains(real(own->file)))))
        judged.push_back(own);
    if (judged.empty() || !loader::is_whole(one.closure))
      return;
    std::vector<const loader::CudaFunctions*> loaded;
    for (const loader::LoadedImage& image : one.closure.images)
      loaded.push_back(functions_of(image.path));
    if (std::find(loaded.begin(), loaded.end(), nullptr) == loaded.end())
      for (const TreeElf* const own : judged)
        judge_functions(one, *own, loaded);
  }

  void judge_functions(const Followed& one, const TreeElf& elf,
                       const std::vector<const loader::CudaFunctions*>& loaded) {
    const auto serving = [&](const std::string& function) {
      const std::string_view prefix = loader::cuda_prefix_of(function);
      const auto found = std::find_if(loaded.begin(), loaded.end(), [&](const loader::CudaFunctions* other) {
        return other != &*elf.facts.cuda && other->defines_prefix(prefix);
      });
      return found == loaded.end() ? nullptr
                                   : &one.closure.images[static_cast<std::size_t>(found - loaded.begin())];
    };
    // If no loaded library has such functions, the program that loads the file provides them.
    const auto lacked = loader::lacked_functions(*elf.facts.cuda, loaded, [&](const std::string& function) {
      return serving(function) == nullptr || is_elsewhere(function, one.closure);
    });
    if (lacked.empty())
      return;
    const loader::LoadedImage& library = *serving(lacked.front());
    const Severity severity = one.is_program || by_run_path(library) ? Severity::error : Severity::warning;
    add(Rule::missing_function, capped_for_vendor(severity, elf.vendor, Severity::warning), elf, ".dynsym",
        lacked.front(), library.path,
        "It is loaded " + by_what(library) + " of " + one.closure.images[library.loaded_by.value_or(0)].path +
            ", and no library that is loaded defines the function" +
            (lacked.size() > 1 ? ", and " + std::to_string(lacked.size() - 1) + " more." : "."));
  }

  /// Whether a library of the tree that another file may have loaded globally defines a function: a library
  /// with a soname that no file of the closure serves.
  bool is_elsewhere(const std::string& function, const loader::Closure& closure) const {
    return std::any_of(elfs_.begin(), elfs_.end(), [&](const TreeElf& other) {
      return other.facts.cuda && other.facts.cuda->defined.contains(function) &&
             (other.facts.image->soname.empty() || closure.serving(other.facts.image->soname) == nullptr);
    });
  }

  const std::deque<TreeElf>& elfs_;
  const World& world_;
  std::unordered_map<std::string, const TreeElf*> by_file_;      ///< real path
  std::unordered_multimap<std::string, const TreeElf*> by_name_; ///< of the file, and its soname
  std::unordered_map<std::string, std::optional<binary::Image>>
      images_; ///< of files outside the tree, cached
  std::unordered_map<std::string, std::optional<loader::CudaFunctions>> functions_; ///< likewise
  std::set<std::string> blocking_;                    ///< those of them at which the loader would give up
  std::unordered_map<std::string, std::string> real_; ///< paths with their symlinks resolved
  std::set<std::pair<std::string, std::string>>
      resolved_by_program_;      ///< file, and a NEEDED name that a program of the tree finds for it
  std::set<std::string> loaded_; ///< files that programs of the tree load
  std::map<std::string, std::vector<Runtime>> runtimes_; ///< by library
  const Report& report_;
};

} // namespace

void judge_loaded(const std::deque<TreeElf>& elfs, const World& world, const Report& report) {
  LoadedJudge(elfs, world, report).run();
}

} // namespace hostpin::leak
