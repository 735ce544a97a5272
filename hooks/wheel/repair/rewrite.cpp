// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/repair/rewrite.hpp"

#include "hooks/wheel/repair/metadata.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/devicecode/objects.hpp"
#include "toolchains/devicecode/vendor.hpp"

#include <algorithm>
#include <utility>

namespace hostpin::wheel {

namespace {

class Rewriter {
public:
  Rewriter(const WheelFile& wheel, const RepairPlan& plan, const std::optional<DeviceCodeToKeep>& keep,
           const std::string& scratch)
      : wheel_(wheel), plan_(plan), keep_(keep), scratch_(scratch) {}

  Result<void> change(NewFile& file) const {
    const Member* const member = wheel_.member(file.name);
    if (keep_ && member != nullptr && member->elf && !member->elf->device_code.empty() &&
        (keep_->licensed_to_modify || !devicecode::nvidia_library(member->elf->image)))
      if (auto cut = cut_device_code(file); !cut)
        return in_file(file.name, cut.error());
    if (const auto edit = plan_.edits.find(file.name); edit != plan_.edits.end())
      if (auto edited = edit_dynamic(file, edit->second); !edited)
        return in_file(file.name, edited.error());
    return {};
  }

  Result<NewFile> graft(const Graft& one) const {
    auto content = binary::open_blob(one.source);
    if (!content)
      return failure(escaped(one.source) + " cannot be read: " + content.error().message);
    NewFile file;
    file.name = one.member;
    file.is_executable = true; // as linkers make them
    file.content = *std::move(content);
    if (!one.edit.empty())
      if (auto edited = edit_dynamic(file, one.edit); !edited)
        return in_file(one.source, edited.error());
    return file;
  }

private:
  static tl::unexpected<Error> in_file(const std::string& name, const Error& error) {
    return failure(escaped(name) + " cannot be changed: " + error.message, error.hint);
  }

  Result<binary::Blob> content_of(const NewFile& file) const {
    return file.packed ? decompressed(*file.packed, scratch_) : Result<binary::Blob>(file.content);
  }

  Result<void> edit_dynamic(NewFile& file, const binary::DynamicEdit& edit) const {
    TRY_ASSIGN(const auto content, content_of(file));
    return replace(file, [&](int descriptor) { return binary::write_edited(content, edit, descriptor); });
  }

  Result<void> cut_device_code(NewFile& file) const {
    TRY_ASSIGN(const auto content, content_of(file));
    const binary::InputFile input(content);
    devicecode::Slimming numbers;
    const auto less = devicecode::slim_program(binary::Bytes(input), keep_->keeping, numbers);
    if (!less)
      return failure(less.error().what);
    if (!numbers.unserved.empty()) {
      const devicecode::Unserved& one = numbers.unserved.front();
      return failure("nothing would be left for GPU " + gpus::to_string(one.gpu) + " in the " + one.fatbin,
                     "compile for it too, or leave it out of --gpus");
    }
    if (!numbers.changes())
      return {};
    return replace(file,
                   [&](int descriptor) { return binary::write_pieces(content, less->pieces(), descriptor); });
  }

  template <typename Write>
  Result<void> replace(NewFile& file, const Write& write) const {
    TRY_ASSIGN(const auto to, binary::open_scratch(scratch_));
    TRY(write(to->descriptor()));
    TRY_ASSIGN(auto changed, binary::written_blob(to->descriptor()));
    file.set(std::move(changed));
    return {};
  }

  const WheelFile& wheel_;
  const RepairPlan& plan_;
  const std::optional<DeviceCodeToKeep>& keep_;
  const std::string& scratch_;
};

/// Replaces a text if it changes, so that an unchanged one stays as it is compressed.
void set_text(NewFile& file, const std::string& old, std::string text) {
  if (text != old)
    file.set(binary::Blob(std::move(text)));
}

} // namespace

Result<WheelName> repaired_name(const WheelFile& wheel, const RepairPlan& plan,
                                const std::vector<ManylinuxPolicy>& policies) {
  WheelName name = wheel.name;
  if (plan.machine == 0)
    return name;
  if (name.platforms.front().starts_with("musllinux"))
    return failure(escaped(wheel.path) + " is for musl, and hostpin knows the loader of glibc only",
                   "use auditwheel");
  const std::string architecture(architecture_of(plan.machine));
  const ManylinuxPolicy* policy = plan.policy(policies);
  if (policy != nullptr && policy->architecture != architecture)
    return failure("the platform tag of " + escaped(wheel.path) +
                       " is not that of its files, which are for " +
                       (architecture.empty() ? "another processor" : architecture),
                   "build it on, or for, the machine that its tag names");
  if (policy == nullptr)
    return failure(
        "no manylinux policy has what " + escaped(wheel.path) + " needs",
        "see what it needs with hostpin wheel check, and build it with an older GCC or on an older system");
  name.platforms = {policy->name + '_' + architecture};
  if (!policy->legacy.empty())
    name.platforms.insert(name.platforms.begin(), policy->legacy + '_' + architecture);
  return name;
}

Result<std::vector<NewFile>> repaired_files(const binary::Blob& zip, const WheelFile& wheel,
                                            const RepairPlan& plan, const WheelName& name,
                                            const std::optional<DeviceCodeToKeep>& keep,
                                            const std::string& scratch) {
  auto files = files_of(zip, wheel);
  if (!files)
    return files;
  std::erase_if(*files, [&](const NewFile& file) { return plan.dropped.contains(file.name); });
  const Rewriter rewriter(wheel, plan, keep, scratch);
  for (NewFile& file : *files) {
    TRY(rewriter.change(file));
    const Member* const member = wheel.member(file.name);
    if (file.name == wheel.info + "/METADATA" && !plan.requirements.empty())
      set_text(file, member->text, with_requirements(member->text, plan.requirements));
    if (file.name == wheel.info + "/WHEEL" && values_of(wheel.wheel, "tag") != name.tags())
      set_text(file, member->text, with_tags(member->text, name.tags()));
  }
  for (const Graft& one : plan.grafts) {
    TRY_ASSIGN(auto file, rewriter.graft(one));
    files->push_back(std::move(file));
  }
  return files;
}

} // namespace hostpin::wheel
