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

/// What only shows when everything is there that a program would load: wrong-libstdcxx, unmet-version-need,
/// missing-library, two-cuda-runtimes, own-static-and-shared-cudart, needed-and-version-names-differ.
///
/// A program decides for itself what it loads. A library alone is followed as `ld.so --list` would, and since
/// a program that loads it may bring the right ones along, only its own run path can be an error. What some
/// program of the tree makes good is not held against its libraries.
class LoadedJudge {
public:
  /// Keeps references to both. `elfs`: all of the tree, those within archives too, which are passed over.
  LoadedJudge(const std::deque<TreeElf>& elfs, const World& world, Tell tell);

  /// Programs first, so that what they provide is known when libraries are judged.
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
  /// `path`: the first that the loader would open and not go past; empty for none.
  void judge_blocked(const Followed& one, const std::string& path);
  void judge_unmet(const Followed& one);
  void judge_pinned(const Followed& one, const std::string& name, const std::string& wanted);
  void judge_runtimes(const Followed& one);
  /// A shared CUDA runtime that a process would have.
  struct Runtime {
    std::string name;    ///< as it is asked for
    std::string release; ///< such as `libcudart.so.13`, whatever the name
    std::string path;
    std::string by; ///< who loads it
  };
  static std::vector<Runtime> runtimes_in(const Closure& closure);
  std::vector<Runtime> shared_runtimes(const Followed& one);
  /// Those of a library of the tree with all that it loads.
  const std::vector<Runtime>& runtimes_of(const std::string& library, const LoaderPlaces& places);
  void judge_names(const Followed& one);
  void remember(const Closure& closure);

  std::optional<Image> read(const std::string& path);
  /// Whether something is there that is no library of any kind.
  bool blocks(const std::string& path) const;
  const std::string& real(const std::string& path);
  const TreeElf* in_tree(const std::string& path);
  /// Where a library that is missing would be found if a directory above `by` were the root, as that of a
  /// staged install (DESTDIR) will be; empty: nowhere.
  std::string once_installed(const LoadedImage& by, const std::string& name, const LoaderPlaces& places);
  Severity unless_made_good(const Followed& one, const LoadedImage& by, const std::string& name,
                            Severity otherwise);
  /// The library of that name in the tree of `by`, where there is but one.
  std::string candidate(const TreeElf& by, const std::string& name);
  /// Every such file, by path.
  std::vector<std::string> candidates(const TreeElf& by, const std::string& name);

  /// What the tree has for a missing library of `owner`'s.
  struct Remedy {
    std::string file; ///< the only one, where `owner` is what is judged: --fix may lead there
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
  std::unordered_map<std::string, std::optional<Image>> images_; ///< of files outside the tree that were read
  std::set<std::string> blocking_;                    ///< those of them at which the loader gives up
  std::unordered_map<std::string, std::string> real_; ///< paths with their symlinks resolved
  std::set<std::pair<std::string, std::string>>
      made_good_;                ///< file, and a NEEDED name that a program finds for it
  std::set<std::string> loaded_; ///< files that programs of the tree load
  std::map<std::string, std::vector<Runtime>> runtimes_; ///< by library
  Tell tell_;
};

} // namespace hostpin
