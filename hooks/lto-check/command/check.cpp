// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/check.hpp"

#include "hooks/lto-check/command/needs.hpp"
#include "hooks/lto-check/command/scans.hpp"
#include "hooks/lto-check/judge/judge.hpp"
#include "hooks/lto-check/link/files.hpp"
#include "hooks/lto-check/linker/show.hpp"
#include "toolchains/cmdline/response.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

/// The content of each of the files, in order; a file that is named twice counts once.
std::vector<const FileInputs*> inputs_of(const std::vector<LinkFile>& files, Scans& scans) {
  std::vector<const FileInputs*> inputs;
  inputs.reserve(files.size());
  std::vector<bool> seen;
  for (const LinkFile& file : files) {
    const Scans::Scan& scan = scans.of(file.path);
    seen.resize(scans.size());
    if (!seen[scan.number])
      inputs.push_back(&scan.inputs);
    seen[scan.number] = true;
  }
  return inputs;
}

bool has_streams(const FileInputs& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!inputs.content(i).streams.empty())
      return true;
  return false;
}

LinkShape shape_of(const cmdline::LinkerCommand& words) {
  const bool open_ended =
      words.undefined == cmdline::Undefined::by_output && (words.shared || words.relocatable);
  return {words.shared, words.relocatable, words.fat_bitcode, words.device_lto,
          open_ended || words.undefined == cmdline::Undefined::passes};
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

/// If an object with intermediate code is named after --start-lib once, it is lazy everywhere: mold treats it
/// so, even if it is also named plainly.
void let_wait(std::vector<LinkFile>& files, Scans& scans) {
  std::set<std::string> waiting;
  for (const LinkFile& file : files)
    if (file.lazy && has_streams(scans.of(file.path).inputs))
      waiting.insert(file.path);
  if (!waiting.empty())
    for (LinkFile& file : files)
      file.lazy = file.lazy || waiting.contains(file.path);
}

/// The memory for symbols, in bytes, in addition to the inputs: enough for some two million names in a link
/// with few members.
std::size_t most_for_symbols(const Scans& scans) {
  constexpr std::size_t most = std::size_t{36} << 20U, least = std::size_t{4} << 20U;
  return std::min(most, least + scans.left());
}

bool is_linked_with_label(const Judgement& judgement, const LinkContext& context, Needs& needs) {
  return holds_device_label(judgement, context) && needs.of(judgement) == Need::certain;
}

/// For inputs that this link certainly uses.
std::size_t count_device_labels(const std::vector<const FileInputs*>& inputs, const LinkContext& context,
                                Needs& needs) {
  std::size_t count = 0;
  for (const FileInputs* file : inputs)
    for (std::size_t i = 0; i < file->size(); ++i) {
      const auto& streams = file->content(i).streams;
      if (std::ranges::none_of(streams, [](const Bitstream& stream) { return stream.device_label; }))
        continue;
      const auto judgements = judge(file->at(i), context);
      const bool linked = std::ranges::any_of(judgements, [&](const Judgement& judgement) {
        return is_linked_with_label(judgement, context, needs);
      });
      count += linked ? 1 : 0;
    }
  return count;
}

/// `together`: the files belong to one link.
Result<LinkCheck> check(const ShownLink& link, std::vector<LinkFile> files, Scans& scans,
                        const CheckContext& context, bool together = true) {
  LinkCheck result{link.linker, std::nullopt, {}};
  std::vector<const FileInputs*> inputs = inputs_of(files, scans);
  const bool any = std::ranges::any_of(inputs, [](const FileInputs* file) { return has_streams(*file); });
  if (any || context.ask_always) {
    auto linker = learn_linker(link.linker, link.words, link.driver, context.tools);
    if (!linker && any)
      return tl::unexpected(linker.error());
    if (linker)
      result.linker = *std::move(linker);
    const auto is_unread = [&](const LinkFile& file) {
      const bool lld = result.linker->family == LinkerFamily::lld;
      const bool plugin = !lld && (result.linker->gcc || result.linker->llvm);
      return (file.run_path && lld) || (file.data && !plugin);
    };
    if (result.linker && std::erase_if(files, is_unread) > 0)
      inputs = inputs_of(files, scans);
  }
  if (any && result.linker->family == LinkerFamily::mold)
    let_wait(files, scans);
  StreamReleases releases;
  if (any) {
    auto loaded = load_stream_releases(context.tools.files, context.data);
    if (!loaded)
      return tl::unexpected(loaded.error());
    releases = *std::move(loaded);
  }
  const Linker unasked{link.linker, LinkerFamily::bfd, {}, std::nullopt, std::nullopt};
  const LinkContext judging{result.linker ? *result.linker : unasked, shape_of(link.words),
                            joined(link.driver), releases, link.by_nvcc};
  Needs needs(files, link.words, judging.linker, most_for_symbols(scans));
  std::size_t count = 0;
  for (const FileInputs* file : inputs)
    count += file->size();
  result.judgements.reserve(count);
  const bool labels_clash = together && count_device_labels(inputs, judging, needs) > 1;
  for (const FileInputs* file : inputs)
    for (std::size_t i = 0; i < file->size(); ++i)
      for (Judgement& judgement : judge(file->at(i), judging)) {
        if (needs.only_symbols(judgement) && judge_for_symbols(judgement, judging.linker)) {
          // reported
        } else if (needs.refuses_archive(judgement)) {
          refuse_unindexed(judgement);
        } else if (judging.shape.undefined && goes_by_plugin(judgement, judging.linker) &&
                   needs.would_miss(judgement)) {
          // Readable or not, the linker never loads it.
          refuse_unlisted(judgement, judging.shape);
        } else if (judgement.refused) {
          const Need need = needs.of(judgement);
          doubt(judgement, need, judging, need == Need::certain ? Glance::untold : needs.glance(judgement));
        } else if (goes_by_plugin(judgement, judging.linker) && needs.would_miss(judgement)) {
          refuse_unlisted(judgement, judging.shape);
        } else if (labels_clash && is_linked_with_label(judgement, judging, needs))
          refuse_device_label(judgement, judging);
        if (needs.exhausted())
          return failure(
              "this link has more symbols than lto-check keeps in memory, so that it cannot be told "
              "which members of archives it takes: stopped at " +
                  judgement.path,
              "check its inputs by themselves with `hostpin lto-check INPUT...`, or link with "
              "HOSTPIN_LTO=warn");
        result.judgements.push_back(std::move(judgement));
      }
  return result;
}

/// The files that the link reads, without those that the command itself will write.
std::vector<LinkFile> files_of(const ShownLink& link, const LinkTools& tools, Scans& scans) {
  scans.read_ahead(link.words.inputs);
  std::vector<LinkFile> files = link_files(
      link.words, tools.files, [&](const std::string& path) { return scans.of(path).seen; },
      [&] { return own_directories(link.linker, link.words, tools); });
  std::erase_if(files, [&](const LinkFile& file) {
    return std::find(link.made.begin(), link.made.end(), file.path) != link.made.end();
  });
  return files;
}

/// Named files that do not exist. Libraries may be found elsewhere, or are optional: a script, a run path.
std::vector<std::string> missing_of(const ShownLink& link, Scans& scans) {
  std::vector<std::string> missing;
  for (const cmdline::LinkerInput& input : link.words.inputs)
    if (!input.library && !input.symbols && !input.script && scans.of(input.name).seen == Seen::nothing &&
        std::ranges::find(link.made, input.name) == link.made.end())
      missing.push_back(input.name);
  return missing;
}

/// A hash of an input and its problem: the same for every linker, almost never equal for two of them.
std::size_t mark_of(const Placed<Judgement>& judgements, std::size_t i) {
  std::string text = judgements.path(i);
  for (const std::string& name : judgements.member(i))
    (text += '\n') += name;
  (text += '\n') += judgements.content(i).reason;
  return std::hash<std::string>()(text);
}

bool reads_device_code(const Judgement& judgement) {
  return judgement.stream && judgement.stream->format == LtoFormat::cuda_ltoir;
}

} // namespace

void share_out(std::vector<LinkCheck>& checks) {
  const auto device = [](const LinkCheck& check) {
    return check.linker ? check.linker->family == LinkerFamily::nvlink : check.program.ends_with("nvlink");
  };
  if (std::ranges::none_of(checks, device) || std::ranges::all_of(checks, device))
    return;
  std::vector<std::size_t> earlier; // in order
  for (LinkCheck& check : checks) {
    const bool is_device = device(check);
    std::vector<std::size_t> fresh;
    check.judgements.erase_if([&](std::size_t i) {
      const Judgement& judgement = check.judgements.content(i);
      if (judgement.verdict != LtoVerdict::unreadable)
        return reads_device_code(judgement) != is_device;
      fresh.push_back(mark_of(check.judgements, i));
      return std::ranges::binary_search(earlier, fresh.back());
    });
    earlier.insert(earlier.end(), fresh.begin(), fresh.end());
    std::ranges::sort(earlier);
  }
}

Result<std::vector<LinkCheck>> check_link(const std::vector<std::string>& command,
                                          const CheckContext& context) {
  const auto links = show_links(command, context.tools);
  if (!links)
    return tl::unexpected(links.error());
  std::vector<LinkCheck> checks;
  Scans scans(context.tools.files, true);
  for (const ShownLink& link : *links) {
    auto checked = check(link, files_of(link, context.tools, scans), scans, context);
    if (!checked)
      return tl::unexpected(checked.error());
    checked->missing = missing_of(link, scans);
    checks.push_back(*std::move(checked));
  }
  share_out(checks);
  return checks;
}

Result<LinkCheck> check_inputs(const std::vector<std::string>& inputs, const std::vector<std::string>& linker,
                               const CheckContext& context) {
  std::vector<std::string> command = linker;
  // Without inputs a driver shows no link.
  command.emplace_back("hostpin-input.o");
  auto links = show_links(command, context.tools);
  if (!links)
    return tl::unexpected(links.error());
  if (links->empty())
    return failure(joined(linker) + " does not link",
                   "name a compiler driver or a linker, with the options of a link");
  ShownLink& link = links->back();
  link.words.inputs.clear();
  const std::vector<std::string> expanded = cmdline::with_responses(inputs, context.tools.files);
  if (auto unread = cmdline::unread_response(expanded, context.tools.files))
    return tl::unexpected(*std::move(unread));
  for (const std::string& input : expanded)
    link.words.inputs.push_back({.name = input, .whole_archive = true});
  Scans scans(context.tools.files, false);
  link.made.clear(); // by a link that is not run
  auto checked = check(link, files_of(link, context.tools, scans), scans, context, false);
  if (!checked)
    return checked;
  checked->missing = missing_of(link, scans);
  for (const std::string& name : checked->missing)
    checked->judgements.push_back({.path = name,
                                   .member = {},
                                   .stream = std::nullopt,
                                   .verdict = LtoVerdict::unreadable,
                                   .refused = false,
                                   .expected = {},
                                   .reason = "there is no such file",
                                   .cure = "check its name"});
  return checked;
}

bool has_device_code(const LinkCheck& check) {
  for (std::size_t i = 0; i < check.judgements.size(); ++i)
    if (reads_device_code(check.judgements.content(i)))
      return true;
  return false;
}

} // namespace hostpin
