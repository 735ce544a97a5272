// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/report.hpp"
#include "hooks/wheel/command/commands.hpp"
#include "hooks/wheel/repair/machine.hpp"
#include "hooks/wheel/repair/rewrite.hpp"
#include "hooks/wheel/repair/sbom.hpp"
#include "toolchains/base/error_report.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/binary/draft.hpp"
#include "toolchains/options/options.hpp"

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace hostpin::wheel {

namespace {

namespace fs = std::filesystem;

/// The members' time: that of SOURCE_DATE_EPOCH, if it is a number.
Result<std::int64_t> time_of(const Environment& environment) {
  const auto text = environment["SOURCE_DATE_EPOCH"];
  std::int64_t seconds = WheelWriting().modified;
  if (!text)
    return seconds;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (read.ec != std::errc() || read.ptr != text->data() + text->size() || seconds < 0)
    return failure("SOURCE_DATE_EPOCH is not a number of seconds: " + escaped(*text),
                   "export SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)");
  return seconds;
}

class Repair {
public:
  Repair(const Context& context, const RepairOptions& options, Tables tables)
      : context_(context), options_(options), tables_(std::move(tables)) {}

  Result<int> run() {
    TRY(read_inputs());
    TRY_ASSIGN(auto site, site_of(wheel_));
    const Required required = required_by(wheel_, site, tables_.cuda_wheels, tables_.packages);
    assume(site, required);
    const HostProcesses processes;
    std::vector<std::string> directories = options_.library_paths;
    for (const std::string& one : filled_parts(context_.environment["LD_LIBRARY_PATH"].value_or(""), ":"))
      directories.push_back(one);
    TRY_ASSIGN(auto plan, plan_repair({wheel_, site, required, tables_, terms_}, options_.terms,
                                      libraries_here(std::move(directories), context_.files, processes)));
    plan_ = std::move(plan);
    TRY_ASSIGN(auto name, repaired_name(wheel_, plan_, tables_.policies));
    name_ = std::move(name);
    return write();
  }

private:
  Result<void> read_inputs() {
    TRY_ASSIGN(const auto time, time_of(context_.environment));
    writing_.level = options_.level;
    writing_.threads = reading_threads();
    writing_.modified = time;
    writing_.scratch = options_.output;
    TRY_ASSIGN(auto directory, site_directory(options_.site));
    directory_ = std::move(directory);
    if (!options_.gpus.empty()) {
      auto gpus = gpus::expand(options_.gpus, {tables_.gpus, std::nullopt, false, {}});
      if (!gpus)
        return tl::unexpected(gpus.error());
      keep_.emplace(
          DeviceCodeToKeep{{tables_.gpus, std::move(gpus->targets)}, options_.terms.licensed_to_modify});
    }
    auto zip = binary::open_blob(options_.wheel);
    if (!zip)
      return failure(escaped(options_.wheel) + " cannot be read: " + zip.error().message);
    zip_ = *std::move(zip);
    TRY_ASSIGN(auto wheel, read_wheel(zip_, options_.wheel, {reading_threads(), Depth::all, true}));
    wheel_ = std::move(wheel);
    for (const Member& member : wheel_.members)
      if (!member.trouble.empty())
        return failure(escaped(member.entry.name) + " cannot be read: " + member.trouble);
    TRY_ASSIGN(auto others, read_others(options_.with));
    others_ = std::move(others);
    return {};
  }

  Result<Site> site_of(const WheelFile& wheel) const { return Site::make(wheel, others_, directory_); }

  void assume(Site& site, const Required& required) const {
    if (directory_.empty()) // what is in a directory is all there is
      site.assume(tables_.cuda_wheels, required);
  }

  Result<int> write() {
    std::error_code error;
    fs::create_directories(options_.output, error);
    if (error)
      return failure("cannot create " + escaped(options_.output) + ": " + error.message());
    const std::string path = options_.output + '/' + name_.file_name();
    if (fs::equivalent(path, options_.wheel, error))
      return failure(escaped(path) + " is the wheel itself", "name another directory with -o");
    TRY_ASSIGN(auto files, repaired_files(zip_, wheel_, plan_, name_, keep_, writing_.scratch));
    binary::Draft draft(path);
    auto written = write_draft(draft, path, std::move(files));
    if (!written)
      return tl::unexpected(written.error());
    if (!options_.sbom)
      return publish(draft, path, *written);
    TRY_ASSIGN(auto with_sbom, add_sbom(draft, *written));
    binary::Draft whole(path);
    written = write_draft(whole, path, std::move(with_sbom));
    return written ? publish(whole, path, *written) : Result<int>(tl::unexpected(written.error()));
  }

  /// The wheel that was written, read again.
  Result<WheelFile> write_draft(binary::Draft& draft, const std::string& path,
                                std::vector<NewFile> files) const {
    if (draft.descriptor() < 0)
      return failure("cannot create a file next to " + escaped(path) + ": " + binary::system_reason());
    if (auto written = write_wheel(std::move(files), wheel_.info, writing_, draft.descriptor()); !written)
      return failure("cannot write " + escaped(path) + ": " + written.error().message, written.error().hint);
    const auto zip = binary::written_blob(draft.descriptor());
    if (!zip)
      return failure("cannot read " + escaped(path) + ": " + zip.error().message);
    return read_wheel(*zip, path, {reading_threads(), Depth::all, true});
  }

  Result<std::vector<NewFile>> add_sbom(const binary::Draft& draft, const WheelFile& wheel) const {
    const auto zip = binary::written_blob(draft.descriptor());
    auto files = zip ? files_of(*zip, wheel) : Result<std::vector<NewFile>>(tl::unexpected(zip.error()));
    if (!files)
      return files;
    Origins origins = recorded_origins(wheel_);
    origins.merge(origins_of(plan_.grafts, context_.files, HostProcesses()));
    const std::vector<Part> parts = parts_of(wheel, tables_, origins);
    const auto put = [&](const std::string& name, std::string text) {
      std::erase_if(*files, [&](const NewFile& file) { return file.name == name; });
      NewFile file;
      file.name = name;
      file.content = binary::Blob(std::move(text));
      files->push_back(std::move(file));
    };
    put(cyclonedx_member(wheel), cyclonedx_text(wheel, parts));
    put(spdx_member(wheel), spdx_text(wheel, parts, writing_.modified));
    return files;
  }

  /// That a library of CUDA is not found by the wheel's own means.
  bool is_of_toolkit(const leak::Finding& one) const {
    const bool is_absence = one.rule == leak::Rule::requires_missing ||
                            one.rule == leak::Rule::requires_wrong_major ||
                            one.rule == leak::Rule::run_path_missing;
    return is_absence && !wheels_with(tables_.cuda_wheels, one.reference).empty();
  }

  /// That a library is not there which the user excluded.
  bool is_of_excluded(const leak::Finding& one) const {
    return plan_.excluded.contains(one.reference) &&
           (one.rule == leak::Rule::missing_library || one.rule == leak::Rule::requires_missing ||
            one.rule == leak::Rule::opened_library);
  }

  /// What `check` finds, without what the user asked for.
  Result<leak::Findings> remaining(const WheelFile& wheel) const {
    TRY_ASSIGN(auto site, site_of(wheel));
    const Required required = required_by(wheel, site, tables_.cuda_wheels, tables_.packages);
    assume(site, required);
    const Checked checked{wheel, site, required, tables_, terms_};
    leak::Findings findings = findings_of(checked, needs_of(checked));
    std::erase_if(findings.found, [&](const leak::Finding& one) { return is_of_excluded(one); });
    if (options_.terms.cuda == CudaSource::system)
      std::erase_if(findings.found, [&](const leak::Finding& one) { return is_of_toolkit(one); });
    return findings;
  }

  Result<int> publish(binary::Draft& draft, const std::string& path, const WheelFile& wheel) const {
    TRY_ASSIGN(const auto findings, remaining(wheel));
    const auto severe = findings.most_severe();
    const bool fails = !findings.unseen.empty() || (severe && *severe >= leak::Severity::error);
    if (fails) {
      print_error(leak::report_text(findings, false, context_.terminal));
      print_failure({"nothing was written: the repaired wheel would have these findings", {}});
    }
    if (!findings.unseen.empty())
      return exit_failed;
    if (fails)
      return exit_found;
    if (::fchmod(draft.descriptor(), S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH) != 0)
      return failure("cannot write " + escaped(path) + ": " + binary::system_reason());
    TRY(draft.publish());
    const std::string text = summary(path, wheel);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return exit_clean;
  }

  std::string summary(const std::string& path, const WheelFile& wheel) const {
    std::string text;
    for (const auto& [member, edit] : plan_.edits) {
      if (edit.run_path)
        text +=
            fmt::format("{}: run path {}\n", escaped(member),
                        edit.run_path->directories.empty() ? "removed" : escaped(edit.run_path->directories));
      for (const auto& [old, now] : edit.renamed)
        text += fmt::format("{}: needs {} instead of {}\n", escaped(member), escaped(now), escaped(old));
      for (const std::string& name : edit.needed_first)
        text +=
            fmt::format("{}: needs {} too, which a library opens by name\n", escaped(member), escaped(name));
    }
    for (const Graft& one : plan_.grafts)
      text += fmt::format("{}: packed from {}\n", escaped(one.member), escaped(one.source));
    for (const std::string& name : plan_.excluded)
      text += fmt::format("{}: not packed, by --exclude\n", escaped(name));
    for (const auto& [member, name] : plan_.dropped)
      text += fmt::format("{}: removed, for {}\n", escaped(member), escaped(name));
    for (const auto& [distribution, requirement] : plan_.requirements)
      text += "requires " + requirement + '\n';
    return text + fmt::format("{}: {} bytes, before {}\n", escaped(path), wheel.size, wheel_.size);
  }

  const Context& context_;
  const RepairOptions& options_;
  Tables tables_;
  Terms terms_;
  WheelWriting writing_;
  std::string directory_;
  std::optional<DeviceCodeToKeep> keep_;
  binary::Blob zip_;
  WheelFile wheel_;
  std::deque<WheelFile> others_;
  RepairPlan plan_;
  WheelName name_;
};

} // namespace

Result<int> run_repair(const Context& context, Arguments arguments) {
  const auto options = repair_options(arguments);
  if (!options)
    return tl::unexpected(options.error());
  if (!options->help.empty()) {
    std::fputs(options::wrapped_help(options->help, context.terminal.width()).c_str(), stdout);
    return exit_clean;
  }
  TRY_ASSIGN(auto tables, load_tables(context, options->wheel));
  return Repair(context, *options, std::move(tables)).run();
}

} // namespace hostpin::wheel
