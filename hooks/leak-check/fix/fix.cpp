// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/fix.hpp"

#include "hooks/leak-check/fix/elf.hpp"
#include "hooks/leak-check/fix/place.hpp"
#include "hooks/leak-check/fix/text_file.hpp"

#include <cstdint>
#include <utility>

namespace hostpin {

namespace {

using FindingsOfFile = std::vector<const Finding*>;

class Fixer {
public:
  Fixer(const World& world, const Processes& processes) : world_(world), processes_(processes) {}

  void mend(const std::string& path, const std::string& file, const FindingsOfFile& findings) {
    const auto place = fix_place(file, world_);
    if (!place)
      return leave(path, place.error());
    if (auto mended = fix_run_path(*place, findings, world_, processes_); !mended)
      leave(path, mended.error());
    else if (*mended)
      done(path, **std::move(mended));
    if (auto mended = fix_text_file(*place, findings, world_); !mended)
      leave(path, mended.error());
    else
      tell(path, *std::move(mended));
  }

  Fixes fixes() { return std::move(fixes_); }

private:
  void leave(const std::string& path, const Error& error) {
    fixes_.left.push_back({path, {}, error.message, error.hint});
  }
  void done(const std::string& path, Fixed one) {
    one.path = path;
    fixes_.done.push_back(std::move(one));
  }
  void tell(const std::string& path, Fixes&& of_file) {
    for (Fixed& one : of_file.done)
      done(path, std::move(one));
    for (Unfixed& one : of_file.left) {
      one.path = path;
      fixes_.left.push_back(std::move(one));
    }
  }

  const World& world_;
  const Processes& processes_;
  Fixes fixes_;
};

std::string plain(const std::string& text) {
  return shown({text, {}, {}, std::nullopt});
}

} // namespace

Fixes fix(const FindingList& findings, const FixableFiles& files, const std::set<Rule>& left,
          const World& world, const Processes& processes) {
  std::map<std::string, std::vector<std::uint32_t>> by_path;
  for (std::uint32_t i = 0; i < findings.size(); ++i)
    if (!left.contains(findings.view(i).rule))
      if (const std::string path = findings.whole_path_of(i);
          files.contains(path) && !findings.is_in_member(i))
        by_path[path].push_back(i);
  Fixer fixer(world, processes);
  for (const auto& [path, here] : by_path) {
    std::vector<Finding> of_file;
    for (const std::uint32_t one : here)
      of_file.push_back(findings[one]);
    FindingsOfFile told;
    for (const Finding& one : of_file)
      told.push_back(&one);
    fixer.mend(path, files.at(path), told);
  }
  return fixer.fixes();
}

std::string fixes_text(const Fixes& fixes) {
  std::string text;
  for (const Fixed& one : fixes.done)
    text += "fixed: " + plain(one.path) + ", " + one.place + "\n    - " + plain(one.before) + "\n    + " +
            plain(one.after) + '\n';
  for (const Unfixed& left : fixes.left)
    text += "left as it is: " + plain(left.path) + (left.place.empty() ? "" : ", " + plain(left.place)) +
            ": " + plain(left.reason) + '\n' +
            (left.hint.empty() ? "" : "    hint: " + plain(left.hint) + '\n');
  return text;
}

} // namespace hostpin
