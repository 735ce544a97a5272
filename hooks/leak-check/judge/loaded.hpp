// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/judge/world.hpp"

#include <deque>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hostpin {

/// The rules that need everything that a program would load: wrong-libstdcxx, unmet-version-need,
/// missing-library, two-cuda-runtimes, own-static-and-shared-cudart, needed-and-version-names-differ.
///
/// A library alone is followed as `ld.so --list` would. Since the program that loads it may have loaded the
/// right libraries before, only the library's own run path can be an error. A library that some program of
/// the tree finds for it is not reported as missing.
class LoadedJudge {
public:
  /// Keeps references to both. `elfs`: all of the tree; those in archives with an unknown layout are skipped.
  LoadedJudge(const std::deque<TreeElf>& elfs, const World& world, Report report);

  /// Programs first, so that what they load is known when libraries are judged.
  void run();

private:
  struct Followed {
    const TreeElf& elf;
    const Closure& closure;
    bool is_program = false;
    const LoaderPlaces& places;
  };

  void follow(const TreeElf& elf);
  void judge_missing(const Followed& one);
  /// `path`: the first file at which the loader would give up; empty for none.
  void judge_blocked(const Followed& one, const std::string& path);
  void judge_unmet(const Followed& one);
  void judge_pinned(const Followed& one, const std::string& name, const std::string& wanted);
  void judge_runtimes(const Followed& one);
  /// A shared CUDA runtime that a process would have.
  struct Runtime {
    std::string name;    ///< as in NEEDED
    std::string release; ///< such as `libcudart.so.13`, whatever the name
    std::string path;
    std::string by; ///< path of the file that loads it
  };
  static std::vector<Runtime> runtimes_in(const Closure& closure);
  std::vector<Runtime> shared_runtimes(const Followed& one);
  /// Those in the closure of a library of the tree.
  const std::vector<Runtime>& runtimes_of(const std::string& library, const LoaderPlaces& places);
  void judge_names(const Followed& one);
  void add_loaded(const Closure& closure);

  std::optional<Image> read(const std::string& path);
  /// Whether the path exists and can be opened, but is not a library.
  bool blocks(const std::string& path) const;
  const std::string& real(const std::string& path);
  const TreeElf* in_tree(const std::string& path);
  /// Where a missing library would be found if a directory above `by` were the root, as in a staged install
  /// (DESTDIR); empty: nowhere.
  std::string path_after_install(const LoadedImage& by, const std::string& name, const LoaderPlaces& places);
  Severity downgrade_if_resolved(const Followed& one, const LoadedImage& by, const std::string& name,
                                 Severity otherwise);
  /// The library of that name in the tree of `by`, if there is exactly one.
  std::string candidate(const TreeElf& by, const std::string& name);
  /// Every such file, by path.
  std::vector<std::string> candidates(const TreeElf& by, const std::string& name);

  /// The libraries in the tree that `owner` lacks, and how to make the loader find them.
  struct Remedy {
    std::string file; ///< the only one, if `owner` is judged itself: --fix may add its directory
    std::string explanation, cure;
  };
  Remedy remedy(const TreeElf& owner, const std::string& name, bool owner_is_judged);
  /// In a section of `elf`.
  void add(Rule rule, Severity severity, const TreeElf& elf, const char* section, std::string reference,
           std::string resolved, std::string explanation, std::string cure = {});

  const std::deque<TreeElf>& elfs_;
  const World& world_;
  std::unordered_map<std::string, const TreeElf*> by_file_;      ///< real path
  std::unordered_multimap<std::string, const TreeElf*> by_name_; ///< of the file, and its soname
  std::unordered_map<std::string, std::optional<Image>> images_; ///< of files outside the tree, cached
  std::set<std::string> blocking_;                    ///< those of them at which the loader would give up
  std::unordered_map<std::string, std::string> real_; ///< paths with their symlinks resolved
  std::set<std::pair<std::string, std::string>>
      resolved_by_program_;      ///< file, and a NEEDED name that a program of the tree finds for it
  std::set<std::string> loaded_; ///< files that programs of the tree load
  std::map<std::string, std::vector<Runtime>> runtimes_; ///< by library
  Report report_;
};

} // namespace hostpin
