// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/check.hpp"

#include "hooks/lto-check/command/needs.hpp"
#include "hooks/lto-check/command/scans.hpp"
#include "hooks/lto-check/judge/judge.hpp"
#include "hooks/lto-check/link/files.hpp"
#include "hooks/lto-check/linker/show.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/cmdline/response.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace hostpin::lto {

namespace {

/// The content of the files, in order; a file that is named twice counts once.
std::vector<const LtoInput*> inputs_of(const std::vector<LinkFile>& files, Scans& scans) {
  std::vector<const LtoInput*> inputs;
  std::set<const Scans::Scan*> seen;
  for (const LinkFile& file : files)
    if (const Scans::Scan& scan = scans.of(file.path); seen.insert(&scan).second)
      for (const LtoInput& input : scan.inputs)
        inputs.push_back(&input);
  return inputs;
}

bool has_streams(const LtoInput& input) {
  return !input.streams.empty();
}

LinkShape shape_of(const cmdline::LinkerCommand& words) {
  const bool open_ended =
      words.undefined == cmdline::Undefined::by_output && (words.shared || words.relocatable);
  return {words.shared, words.relocatable, words.fat_bitcode, words.device_lto,
          open_ended || words.undefined == cmdline::Undefined::passes};
}

/// If an object with intermediate code is named after --start-lib once, it is lazy everywhere: mold treats it
/// so, even if it is also named plainly.
void make_lazy(std::vector<LinkFile>& files, Scans& scans) {
  std::set<std::string> lazy;
  for (const LinkFile& file : files)
    if (file.lazy && std::ranges::any_of(scans.of(file.path).inputs, has_streams))
      lazy.insert(file.path);
  for (LinkFile& file : files)
    file.lazy = file.lazy || lazy.contains(file.path);
}

bool is_linked_with_label(const Judgement& judgement, const LinkContext& context, Needs& needs) {
  return holds_device_label(judgement, context) && needs.of(judgement) == Need::certain;
}

/// For inputs that this link certainly uses.
std::size_t count_device_labels(const std::vector<const LtoInput*>& inputs, const LinkContext& context,
                                Needs& needs) {
  return static_cast<std::size_t>(std::ranges::count_if(inputs, [&](const LtoInput* input) {
    return std::ranges::any_of(input->streams, &Bitstream::device_label) &&
           std::ranges::any_of(judge(*input, context), [&](const Judgement& judgement) {
             return is_linked_with_label(judgement, context, needs);
           });
  }));
}

/// Changes a judgement by what is known of the link as a whole.
void refine(Judgement& judgement, const LinkContext& context, Needs& needs, bool labels_clash) {
  if (needs.only_symbols(judgement) && judge_for_symbols(judgement, context.linker))
    return;
  const bool by_plugin = goes_by_plugin(judgement, context.linker);
  if (needs.refuses_archive(judgement)) {
    refuse_unindexed(judgement);
  } else if (by_plugin && (context.shape.undefined || !judgement.refused) && needs.would_miss(judgement)) {
    // Readable or not, the linker never loads it.
    refuse_unlisted(judgement, context.shape);
  } else if (judgement.refused) {
    const Need need = needs.of(judgement);
    doubt(judgement, need, context, need == Need::certain ? Glance::unexamined : needs.glance(judgement));
  } else if (labels_clash && is_linked_with_label(judgement, context, needs)) {
    refuse_device_label(judgement, context);
  }
}

/// `together`: the files belong to one link.
Result<LinkCheck> check(const ShownLink& link, std::vector<LinkFile> files, Scans& scans, MemoryBound& bound,
                        const CheckContext& context, bool together = true) {
  LinkCheck result{link.linker, std::nullopt, {}};
  std::vector<const LtoInput*> inputs = inputs_of(files, scans);
  const bool any = std::ranges::any_of(inputs, [](const LtoInput* input) { return has_streams(*input); });
  if (any || context.ask_always) {
    auto linker = learn_linker(link.linker, link.words, link.driver, context.tools, link.run);
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
    make_lazy(files, scans);
  StreamReleases releases;
  if (any) {
    TRY_ASSIGN(auto loaded, load_stream_releases(context.tools.files, context.data));
    releases = std::move(loaded);
  }
  const Linker unasked{link.linker, LinkerFamily::bfd, {}, std::nullopt, std::nullopt};
  const LinkContext judging{result.linker ? *result.linker : unasked, shape_of(link.words),
                            joined(link.driver, " "), releases, link.by_nvcc};
  Needs needs(files, link.words, judging.linker, bound);
  result.judgements.reserve(inputs.size());
  const bool labels_clash = together && count_device_labels(inputs, judging, needs) > 1;
  for (const LtoInput* const input : inputs)
    for (Judgement& judgement : judge(*input, judging)) {
      refine(judgement, judging, needs, labels_clash);
      result.judgements.push_back(std::move(judgement));
    }
  if (!bound.too_large().empty())
    return failure("the symbols of " + bound.too_large() +
                       " exceed the limit of 512 MB for the symbols of a link's inputs",
                   "link fewer inputs at a time, or link with HOSTPIN_LTO=warn");
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

/// Stores which named files do not exist; unless the link follows, each is an input that cannot be checked.
void find_missing(LinkCheck& check, const ShownLink& link, Scans& scans, const CheckContext& context) {
  check.missing = missing_of(link, scans);
  if (context.before_link)
    return;
  for (const std::string& name : check.missing)
    check.judgements.push_back({.path = name,
                                .member = {},
                                .stream = std::nullopt,
                                .verdict = LtoVerdict::unreadable,
                                .refused = false,
                                .expected = {},
                                .reason = "there is no such file",
                                .fix = "check its name"});
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
  const auto problem = [](const Judgement& judgement) {
    return std::tuple(judgement.path, judgement.member, judgement.reason);
  };
  std::set<std::tuple<std::string, std::vector<std::string>, std::string>> earlier;
  for (LinkCheck& check : checks) {
    const bool is_device = device(check);
    std::erase_if(check.judgements, [&](const Judgement& judgement) {
      return judgement.verdict == LtoVerdict::unreadable ? earlier.contains(problem(judgement))
                                                         : reads_device_code(judgement) != is_device;
    });
    for (const Judgement& judgement : check.judgements)
      if (judgement.verdict == LtoVerdict::unreadable)
        earlier.insert(problem(judgement));
  }
}

Result<std::vector<LinkCheck>> check_link(const std::vector<std::string>& command,
                                          const CheckContext& context) {
  TRY_ASSIGN(const auto links, show_links(command, context.tools));
  // Later GCCs show a link of start files alone.
  const bool reads_nothing = std::ranges::all_of(
      links, [](const ShownLink& link) { return link.words.inputs.empty() || !link.driver.empty(); });
  if (!context.before_link && reads_nothing && !names_input(command, context.tools))
    return failure(joined(command, " ") + " names no input, so there is nothing to check",
                   "give the whole link command after --");
  std::vector<LinkCheck> checks;
  MemoryBound bound;
  Scans scans(context.tools.files, true, bound);
  for (const ShownLink& link : links) {
    TRY_ASSIGN(auto checked, check(link, files_of(link, context.tools, scans), scans, bound, context));
    find_missing(checked, link, scans, context);
    checks.push_back(std::move(checked));
  }
  share_out(checks);
  return checks;
}

Result<LinkCheck> check_inputs(const std::vector<std::string>& inputs, const std::vector<std::string>& linker,
                               const CheckContext& context) {
  std::vector<std::string> command = linker;
  // Without inputs a driver shows no link.
  command.emplace_back("hostpin-input.o");
  TRY_ASSIGN(auto links, show_links(command, context.tools));
  if (links.empty())
    return failure(joined(linker, " ") + " does not link",
                   "name a compiler driver or a linker, with the options of a link");
  ShownLink& link = links.back();
  link.words.inputs.clear();
  const std::vector<std::string> expanded = cmdline::with_responses(inputs, context.tools.files);
  if (auto unread = cmdline::unread_response(expanded, context.tools.files))
    return tl::unexpected(*std::move(unread));
  for (const std::string& input : expanded)
    link.words.inputs.push_back({.name = input, .whole_archive = true});
  MemoryBound bound;
  Scans scans(context.tools.files, false, bound);
  link.made.clear(); // by a link that is not run
  auto checked = check(link, files_of(link, context.tools, scans), scans, bound, context, false);
  if (!checked)
    return checked;
  find_missing(*checked, link, scans, context);
  return checked;
}

bool has_device_code(const LinkCheck& check) {
  return std::ranges::any_of(check.judgements, reads_device_code);
}

} // namespace hostpin::lto
