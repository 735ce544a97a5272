// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/variants/split.hpp"

#include "hooks/wheel/variants/nvidia.hpp"
#include "hooks/wheel/variants/serving.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/threads.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/binary/draft.hpp"
#include "toolchains/binary/pieces.hpp"
#include "toolchains/devicecode/objects.hpp"
#include "toolchains/devicecode/slimming.hpp"
#include "toolchains/devicecode/vendor.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <optional>
#include <sys/stat.h>
#include <utility>

#include <fmt/format.h>

namespace hostpin::wheel {

namespace {

/// A program or library with device code that variants have less of.
struct Divided {
  std::size_t index = 0; ///< in the wheel's files
  DeviceFile content;
};

/// A variant before it is written.
struct Planned {
  std::string label;
  gpus::Capability gpu{}; ///< of the null variant none
  Properties properties;
  std::vector<DeviceFile> contents; ///< of the divided files
};

std::string label_of(gpus::Capability gpu) {
  return "sm_" + gpus::digits(gpu);
}

binary::Blob made_of(const binary::Blob& source, const devicecode::Rewriting& content) {
  std::vector<binary::Blob> parts;
  for (const binary::Piece& piece : content.pieces())
    if (piece.from)
      parts.push_back(source.part(*piece.from, piece.size));
    else
      parts.emplace_back(piece.bytes.empty() ? std::string(static_cast<std::size_t>(piece.size), '\0')
                                             : piece.bytes);
  return binary::Blob(std::move(parts));
}

Error in_member(const std::string& member, const Error& error) {
  return {"its member " + escaped(member) + ": " + error.message, error.hint};
}

/// Calls `work` for each number below `count`, some at the same time; the first error.
Result<void> for_each(std::size_t count, unsigned threads,
                      const std::function<Result<void>(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::optional<Error> error;
  run_in_threads(std::min<std::size_t>(threads, count), [&] {
    for (std::size_t each = next++; each < count; each = next++)
      if (auto done = work(each); !done) {
        const std::lock_guard lock(mutex);
        error = error ? error : done.error();
        next = count;
      }
  });
  return error ? Result<void>(tl::unexpected(*std::move(error))) : Result<void>();
}

class Splitter {
public:
  Splitter(const binary::Blob& zip, const WheelFile& wheel, const Tables& tables, const Splitting& how,
           std::string directory)
      : zip_(zip), wheel_(wheel), tables_(tables), how_(how), directory_(std::move(directory)) {}

  Result<SplitResult> run() {
    TRY_ASSIGN(auto files, files_of(zip_, wheel_));
    files_ = std::move(files);
    TRY(divide());
    if (divided_.empty())
      return failure("it has no device code that could be split", "hostpin fatbin lists what files contain");
    TRY(plan());
    TRY(prove_others());
    return write();
  }

private:
  Result<void> divide() {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const NewFile& file = files_[i];
      const Member* const member = wheel_.member(file.name);
      if (member == nullptr || !member->elf || member->elf->device_code.fatbins == 0 || !file.packed)
        continue;
      // What is stored was verified when the wheel was read.
      auto content = file.packed->is_deflated ? decompressed(*file.packed, how_.scratch)
                                              : Result<binary::Blob>(file.packed->bytes);
      if (!content)
        return tl::unexpected(in_member(file.name, content.error()));
      const binary::InputFile input(*content);
      const auto library = devicecode::nvidia_library(binary::Bytes(input));
      if (library && !how_.may_change_nvidia)
        result_.left.push_back({file.name, "it is NVIDIA's " + *library +
                                               ", whose licence forbids changes (use --licensed-to-modify if "
                                               "NVIDIA permits them)"});
      else if (auto read = read_device_file(*std::move(content)))
        divided_.push_back({i, *std::move(read)});
      else
        return tl::unexpected(in_member(file.name, read.error()));
    }
    return {};
  }

  fatbin::ChoiceTerms terms_for(gpus::Capability gpu) const { return {tables_.gpus, gpu}; }

  Result<void> plan() {
    for (const gpus::Capability& gpu : how_.gpus)
      planned_.push_back({label_of(gpu), gpu, {}, std::vector<DeviceFile>(divided_.size())});
    return for_each(planned_.size(), how_.threads, [&](std::size_t i) { return plan(planned_[i]); });
  }

  Result<void> plan(Planned& variant) const {
    bool is_served = false, has_machine_code = false;
    for (std::size_t i = 0; i < divided_.size(); ++i) {
      const std::string& name = files_[divided_[i].index].name;
      if (auto made = slim(divided_[i].content, variant.gpu))
        variant.contents[i] = *std::move(made);
      else
        return tl::unexpected(in_member(name, made.error()));
      for (const FatbinService& each : services(variant.contents[i], terms_for(variant.gpu))) {
        is_served |= each.is_served;
        has_machine_code |= each.is_served && !each.is_compiled;
      }
    }
    if (!is_served)
      return failure("it has no code that runs on " + gpus::to_string(variant.gpu),
                     "leave that GPU out of --gpus, or compile for it");
    const Needs needs = needs_of_variant(variant);
    variant.properties = nvidia_properties(sm_value(variant.gpu, !has_machine_code),
                                           needs.driver ? needs.driver->cuda : Version{});
    return {};
  }

  /// The file with the device code of one GPU, which gets the same code of it.
  Result<DeviceFile> slim(const DeviceFile& content, gpus::Capability gpu) const {
    const binary::InputFile input(content.blob);
    const devicecode::Keeping keeping{tables_.gpus, {{gpu}}, devicecode::PtxPolicy::needed};
    devicecode::Slimming numbers;
    const auto slimmed = devicecode::slim_program(binary::Bytes(input), keeping, numbers);
    if (input.trouble())
      return tl::unexpected(*input.trouble());
    if (!slimmed)
      return failure(slimmed.error().what);
    auto made = read_device_file(made_of(content.blob, *slimmed));
    TRY_ASSIGN(const auto differs,
               made ? difference(content, *made, terms_for(gpu)) : tl::unexpected(made.error()));
    if (!differs.empty())
      return failure(fmt::format("in the variant for {}, {}", gpus::to_string(gpu), differs),
                     "this is a defect of hostpin: please report it with the wheel");
    return made;
  }

  /// What the variant needs of a driver: the wheel's libraries, and how its own device code is compressed.
  Needs needs_of_variant(const Planned& variant) const {
    WheelFile changed = wheel_;
    for (std::size_t i = 0; i < divided_.size(); ++i)
      for (Member& member : changed.members)
        if (member.entry.name == files_[divided_[i].index].name && member.elf) {
          member.elf->device_code = {};
          const binary::InputFile input(variant.contents[i].blob);
          static_cast<void>(fatbin::read_device_code(binary::Bytes(input), member.elf->device_code));
        }
    const Terms terms;
    auto site = Site::make(changed, {}, {});
    if (!site)
      return {};
    const Required required = required_by(changed, *site, tables_.cuda_wheels, tables_.packages);
    return needs_of({changed, *site, required, tables_, terms});
  }

  /// An installer gives a variant for 8.0 to a GPU of 8.6 too, unless there is a better one: then everything
  /// that the wheel has for 8.6 has to be there in some form.
  Result<void> prove_others() const {
    VariantsFile file = nvidia_variants();
    for (const Planned& variant : planned_)
      file.variants.emplace(variant.label, variant.properties);
    for (const gpus::Gpu& row : tables_.gpus) {
      const Version newest = tables_.drivers.back().cuda;
      const auto labels = ordered_variants(file, nvidia_machine(row.capability, newest));
      const auto variant =
          labels.empty() ? planned_.end()
                         : std::find_if(planned_.begin(), planned_.end(),
                                        [&](const Planned& one) { return one.label == labels.front(); });
      if (variant != planned_.end() && variant->gpu != row.capability)
        TRY(prove_other(*variant, row.capability));
    }
    return {};
  }

  Result<void> prove_other(const Planned& variant, gpus::Capability gpu) const {
    for (std::size_t i = 0; i < divided_.size(); ++i) {
      const auto before = services(divided_[i].content, terms_for(gpu));
      const auto after = services(variant.contents[i], terms_for(gpu));
      for (const FatbinService& one : after) {
        const auto was = std::find_if(before.begin(), before.end(),
                                      [&](const FatbinService& each) { return each.fatbin == one.fatbin; });
        if (one.is_served || was == before.end() || !was->is_served)
          continue;
        return failure(
            fmt::format("an installer would give the variant {} to a GPU of {}, for which the wheel has "
                        "code in {} (fatbin {}) that the variant does not have",
                        variant.label, gpus::to_string(gpu), escaped(files_[divided_[i].index].name),
                        one.fatbin),
            "name " + gpus::to_string(gpu) + " in --gpus too");
      }
    }
    return {};
  }

  std::string path_of(const std::string& label) const {
    const std::string name(base_name(wheel_.path));
    return fmt::format("{}/{}-{}.whl", directory_, name.substr(0, name.size() - 4), label);
  }

  NewFile description_of(const std::string& label, const Properties& properties) const {
    VariantsFile own = nvidia_variants();
    own.variants.emplace(label, properties);
    NewFile file;
    file.name = wheel_.info + "/variant.json";
    file.content = binary::Blob(variants_text(own));
    return file;
  }

  Result<WrittenVariant> write_one(const Planned& variant, binary::Draft& draft) const {
    std::vector<NewFile> files = files_;
    for (std::size_t i = 0; i < variant.contents.size(); ++i)
      files[divided_[i].index].set(variant.contents[i].blob);
    files.push_back(description_of(variant.label, variant.properties));
    const std::string path = path_of(variant.label);
    if (draft.descriptor() < 0)
      return failure(path + " cannot be written: " + binary::system_reason());
    WheelWriting writing;
    writing.level_of_new = how_.level;
    writing.scratch = how_.scratch;
    const auto rows = write_wheel(std::move(files), wheel_.info, writing, draft.descriptor());
    if (!rows)
      return tl::unexpected(Error{path + ": " + rows.error().message, rows.error().hint});
    struct stat status {};
    fstat(draft.descriptor(), &status);
    return WrittenVariant{path, variant.label, variant.properties,
                          static_cast<std::uint64_t>(status.st_size)};
  }

  Result<SplitResult> write() {
    planned_.push_back({std::string(null_label), {}, {}, {}});
    const std::string variants_path =
        directory_ + '/' + variants_file_name(wheel_.name.distribution, wheel_.name.version);
    auto described = described_with(variants_path);
    if (!described)
      return tl::unexpected(Error{variants_path + ": " + described.error().message,
                                  "remove it if it is of an earlier build, or split to another directory"});
    std::deque<binary::Draft> drafts;
    for (const Planned& variant : planned_)
      drafts.emplace_back(path_of(variant.label));
    result_.wheels.resize(planned_.size());
    if (auto done = for_each(planned_.size(), how_.threads,
                             [&](std::size_t i) -> Result<void> {
                               auto one = write_one(planned_[i], drafts[i]);
                               if (one)
                                 result_.wheels[i] = *std::move(one);
                               return one ? Result<void>() : tl::unexpected(one.error());
                             });
        !done)
      return tl::unexpected(done.error());
    binary::Draft& description = drafts.emplace_back(variants_path);
    const binary::Blob text(variants_text(*described));
    if (description.descriptor() < 0)
      return failure(variants_path + " cannot be written: " + binary::system_reason());
    if (auto done = binary::write_pieces(text, {binary::Piece::of(0, text.size())}, description.descriptor());
        !done)
      return tl::unexpected(Error{variants_path + ": " + done.error().message, {}});
    if (zip_.has_changed())
      return failure("it changed while it was read", "split it again");
    constexpr mode_t mode = 0666;
    const mode_t mask = umask(0);
    umask(mask);
    for (binary::Draft& draft : drafts) {
      fchmod(draft.descriptor(), mode & ~mask);
      TRY(draft.publish());
    }
    result_.variants_file = variants_path;
    return std::move(result_);
  }

  /// The variants of this wheel, and those of others of the version that are described already.
  Result<VariantsFile> described_with(const std::string& path) const {
    VariantsFile file = nvidia_variants();
    for (const Planned& variant : planned_)
      file.variants.emplace(variant.label, variant.properties);
    if (std::error_code failed; !std::filesystem::exists(path, failed))
      return file;
    constexpr std::size_t limit = std::size_t{16} << 20U;
    const auto blob = binary::open_blob(path);
    TRY_ASSIGN(const auto text, blob ? blob->all(limit) : tl::unexpected(blob.error()));
    auto known = read_variants(text);
    if (!known)
      return known;
    TRY(merge_variants(*known, file));
    return known;
  }

  const binary::Blob& zip_;
  const WheelFile& wheel_;
  const Tables& tables_;
  const Splitting& how_;
  std::string directory_;
  std::vector<NewFile> files_;
  std::vector<Divided> divided_;
  std::vector<Planned> planned_;
  SplitResult result_;
};

} // namespace

Result<SplitResult> split(const std::string& path, const Tables& tables, const Splitting& how,
                          const std::string& directory) {
  const auto zip = binary::open_blob(path);
  if (!zip)
    return failure(escaped(path) + " cannot be read: " + zip.error().message);
  TRY_ASSIGN(const auto wheel, read_wheel(*zip, path, {how.threads, Depth::all, true}));
  if (!wheel.name.variant.empty())
    return failure(escaped(path) + " is the variant " + escaped(wheel.name.variant) + " already",
                   "split the wheel that it was made of");
  for (const Member& member : wheel.members)
    if (!member.trouble.empty())
      return failure(escaped(path) + ": its member " + escaped(member.entry.name) + ": " + member.trouble);
  auto result = Splitter(*zip, wheel, tables, how, directory).run();
  if (!result)
    return tl::unexpected(Error{escaped(path) + ": " + result.error().message, result.error().hint});
  return result;
}

} // namespace hostpin::wheel
