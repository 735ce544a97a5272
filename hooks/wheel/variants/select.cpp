// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/variants/select.hpp"

#include "hooks/wheel/metadata/fields.hpp"
#include "hooks/wheel/metadata/requirement.hpp"
#include "hooks/wheel/variants/nvidia.hpp"
#include "hooks/wheel/variants/serving.hpp"
#include "toolchains/archive/packed.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace hostpin::wheel {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> platforms_of(const Machine& machine) {
  const int oldest = machine.architecture == "x86_64" ? 5 : 17; // glibc that the first policy of each has
  std::vector<std::string> platforms;
  for (int minor = machine.glibc; minor >= oldest; --minor) {
    platforms.push_back(fmt::format("manylinux_2_{}_{}", minor, machine.architecture));
    for (const auto& [with, name] :
         {std::pair(17, "manylinux2014"), {12, "manylinux2010"}, {5, "manylinux1"}})
      if (minor == with)
        platforms.push_back(fmt::format("{}_{}", name, machine.architecture));
  }
  platforms.push_back("linux_" + machine.architecture);
  return platforms;
}

struct Candidate {
  std::string file;
  WheelName name;
  std::size_t tag = 0; ///< the position of the best one
  long build = -1;     ///< the number of its build tag; -1 without one
};

long build_number(const std::string& build) {
  long number = -1;
  std::from_chars(build.data(), build.data() + build.size(), number);
  return number;
}

/// A wheel's Requires-Python; empty if it has none, or cannot be read.
std::string required_python(const std::string& directory, const std::string& file) {
  constexpr std::size_t limit = std::size_t{16} << 20U;
  const auto zip = binary::open_blob(directory + '/' + file);
  const auto entries = zip ? central_directory(*zip) : tl::unexpected(zip.error());
  if (!entries)
    return {};
  const auto entry = std::find_if(entries->begin(), entries->end(), [](const DirectoryEntry& one) {
    return one.name.ends_with(".dist-info/METADATA") &&
           std::count(one.name.begin(), one.name.end(), '/') == 1;
  });
  if (entry == entries->end() || entry->size > limit)
    return {};
  const auto packed = packed_data(*zip, *entry);
  const auto content = packed ? decompressed(*packed, directory) : tl::unexpected(packed.error());
  const auto text = content ? content->all(limit) : tl::unexpected(content.error());
  const auto values = text ? values_of(read_fields(*text), "requires-python") : std::vector<std::string>();
  return values.empty() ? std::string() : values.front();
}

class Selecting {
public:
  Selecting(const Wanted& wanted, const Machine& machine) : wanted_(wanted), machine_(machine) {}

  Result<Selection> run() {
    TRY(read_directory());
    TRY(choose_release());
    judge_tags();
    judge_python();
    judge_variants();
    std::vector<std::pair<std::tuple<std::size_t, std::size_t, long, std::string>, const Candidate*>> order;
    for (const Candidate& one : candidates_)
      order.emplace_back(std::tuple(rank_of(one.name.variant), one.tag, -one.build, one.file), &one);
    std::sort(order.begin(), order.end());
    std::vector<RejectedWheel> later;
    for (const auto& [key, one] : order)
      if (selection_.chosen.empty())
        choose(*one);
      else
        later.push_back({one->file, "it is compatible, and less preferred"});
    selection_.rejected.insert(selection_.rejected.begin(), later.begin(), later.end());
    return std::move(selection_);
  }

private:
  Result<void> read_directory() {
    std::error_code failed;
    std::vector<std::string> files;
    for (fs::directory_iterator each(wanted_.directory, failed), end; !failed && each != end;
         each.increment(failed))
      if (std::string name = each->path().filename().string(); name.ends_with(".whl"))
        files.push_back(std::move(name));
    if (failed)
      return failure(escaped(wanted_.directory) + " cannot be read: " + failed.message(),
                     "name a directory of wheels");
    std::sort(files.begin(), files.end());
    for (std::string& file : files)
      if (auto name = read_wheel_name(file))
        candidates_.push_back({std::move(file), *std::move(name)});
      else
        selection_.rejected.push_back({file, name.error().message});
    return {};
  }

  /// One distribution and version remains.
  Result<void> choose_release() {
    const std::string name = normalised(wanted_.name);
    std::erase_if(candidates_, [&](const Candidate& one) {
      return (!name.empty() && normalised(one.name.distribution) != name) ||
             (!wanted_.version.empty() && one.name.version != wanted_.version);
    });
    std::set<std::string> names, versions;
    for (const Candidate& one : candidates_) {
      names.insert(normalised(one.name.distribution));
      versions.insert(one.name.version);
    }
    if (candidates_.empty())
      return failure(escaped(wanted_.directory) + " has no wheel" + (name.empty() ? "" : " of that name") +
                     (wanted_.version.empty() ? "" : " and version"));
    if (names.size() > 1)
      return failure(escaped(wanted_.directory) +
                         " has wheels of several distributions: " + joined(names, ", ", escaped),
                     "choose one with --name");
    if (versions.size() > 1)
      return failure(escaped(wanted_.directory) +
                         " has wheels of several versions: " + joined(versions, ", ", escaped),
                     "choose one with --version");
    return {};
  }

  void reject(const std::function<std::string(Candidate&)>& reason_of) {
    std::erase_if(candidates_, [&](Candidate& one) {
      std::string reason = reason_of(one);
      const bool is_rejected = !reason.empty();
      if (is_rejected)
        selection_.rejected.push_back({one.file, std::move(reason)});
      return is_rejected;
    });
  }

  void judge_tags() {
    const std::vector<std::string> accepted = accepted_tags(machine_);
    reject([&](Candidate& one) {
      one.build = build_number(one.name.build);
      one.tag = accepted.size();
      for (const std::string& tag : one.name.tags())
        one.tag = std::min(one.tag, static_cast<std::size_t>(
                                        std::find(accepted.begin(), accepted.end(), tag) - accepted.begin()));
      return one.tag < accepted.size() ? std::string()
                                       : fmt::format("its tags are not for Python 3.{} with glibc 2.{} on {}",
                                                     machine_.python, machine_.glibc, machine_.architecture);
    });
  }

  void judge_python() {
    const Version python{3, machine_.python, machine_.python_patch};
    reject([&](Candidate& one) {
      const std::string required = required_python(wanted_.directory, one.file);
      const auto range = read_requirement("python " + required);
      return !range || range->admits(python) ? std::string()
                                             : fmt::format("it requires Python {}, and this one is {}",
                                                           escaped(required), to_string(python));
    });
  }

  /// The variants that the machine is compatible with, by the file that an index has.
  void judge_variants() {
    const bool has_variants = std::any_of(candidates_.begin(), candidates_.end(),
                                          [](const Candidate& one) { return !one.name.variant.empty(); });
    if (!has_variants)
      return;
    const WheelName& name = candidates_.front().name;
    const std::string file = variants_file_name(name.distribution, name.version);
    std::string trouble;
    constexpr std::size_t limit = std::size_t{16} << 20U;
    const auto blob = binary::open_blob(wanted_.directory + '/' + file);
    const auto text = blob ? blob->all(limit) : tl::unexpected(blob.error());
    if (!text)
      trouble = file + " cannot be read: " + text.error().message;
    else if (auto read = read_variants(*text))
      described_ = *std::move(read);
    else
      trouble = file + ": " + read.error().message;
    Compatible compatible;
    if (machine_.gpu && machine_.driver)
      compatible = nvidia_machine(*machine_.gpu, machine_.driver->cuda);
    order_ = ordered_variants(described_, compatible);
    reject([&](Candidate& one) -> std::string {
      const std::string& label = one.name.variant;
      if (label.empty())
        return {};
      if (!trouble.empty())
        return trouble;
      const auto properties = described_.variants.find(label);
      if (properties == described_.variants.end())
        return file + " does not describe its label";
      const std::string lacks = incompatible(properties->second, compatible);
      return lacks.empty() ? std::string() : "the machine does not have " + lacks;
    });
  }

  std::size_t rank_of(const std::string& label) const {
    return label.empty()
               ? order_.size() + 1
               : static_cast<std::size_t>(std::find(order_.begin(), order_.end(), label) - order_.begin());
  }

  void choose(const Candidate& one) {
    selection_.chosen = one.file;
    selection_.label = one.name.variant;
    if (const auto found = described_.variants.find(one.name.variant); found != described_.variants.end())
      selection_.properties = found->second;
  }

  const Wanted& wanted_;
  const Machine& machine_;
  std::vector<Candidate> candidates_;
  VariantsFile described_;
  std::vector<std::string> order_; ///< of labels
  Selection selection_;
};

Result<void> add_missing(Selection& selection, const std::string& directory,
                         const fatbin::ChoiceTerms& terms) {
  const std::string path = directory + '/' + selection.chosen;
  const auto zip = binary::open_blob(path);
  if (!zip)
    return failure(escaped(path) + " cannot be read: " + zip.error().message);
  constexpr unsigned threads = 4;
  TRY_ASSIGN(const auto wheel, read_wheel(*zip, path, {threads, Depth::all, false}));
  const auto entries = central_directory(*zip);
  if (!entries)
    return tl::unexpected(Error{escaped(path) + ": " + entries.error().message, entries.error().hint});
  for (const DirectoryEntry& entry : *entries) {
    const Member* const member = wheel.member(entry.name);
    const auto fail = [&](const Error& error) {
      return tl::unexpected(
          Error{escaped(path) + ": its member " + escaped(entry.name) + ": " + error.message, error.hint});
    };
    if (member != nullptr && !member->trouble.empty())
      return fail({member->trouble, {}});
    if (member == nullptr || !member->elf || member->elf->device_code.fatbins == 0)
      continue;
    const auto data = packed_data(*zip, entry);
    const auto content = data ? decompressed(*data, directory) : tl::unexpected(data.error());
    const auto file = content ? read_device_file(*content) : tl::unexpected(content.error());
    if (!file)
      return fail(file.error());
    for (const FatbinService& one : services(*file, terms))
      if (!one.is_served)
        selection.missing.push_back({entry.name, one.fatbin, one.names, one.reason});
  }
  return {};
}

} // namespace

std::vector<std::string> accepted_tags(const Machine& machine) {
  const std::vector<std::string> platforms = platforms_of(machine);
  const std::string own = fmt::format("cp3{}", machine.python);
  std::vector<std::string> tags;
  const auto add = [&](const std::string& interpreter) {
    for (const std::string& platform : platforms)
      tags.push_back(interpreter + '-' + platform);
  };
  for (const char* const abi : {own.c_str(), "abi3", "none"})
    add(own + '-' + abi);
  for (int minor = machine.python - 1; minor >= 2; --minor)
    add(fmt::format("cp3{}-abi3", minor));
  std::vector<std::string> any{fmt::format("py3{}", machine.python), "py3"};
  for (int minor = machine.python - 1; minor >= 0; --minor)
    any.push_back(fmt::format("py3{}", minor));
  for (const std::string& interpreter : any)
    add(interpreter + "-none");
  tags.push_back(own + "-none-any");
  for (const std::string& interpreter : any)
    tags.push_back(interpreter + "-none-any");
  return tags;
}

Result<Selection> select(const Wanted& wanted, const Machine& machine, const std::vector<gpus::Gpu>& gpus) {
  auto selection = Selecting(wanted, machine).run();
  if (!selection || selection->chosen.empty() || !machine.gpu)
    return selection;
  TRY(add_missing(*selection, wanted.directory, {gpus, *machine.gpu, machine.driver}));
  return selection;
}

} // namespace hostpin::wheel
