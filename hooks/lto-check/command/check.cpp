// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/check.hpp"

#include "hooks/lto-check/command/scans.hpp"
#include "hooks/lto-check/judge/judge.hpp"
#include "hooks/lto-check/link/files.hpp"
#include "hooks/lto-check/linker/show.hpp"
#include "hooks/lto-check/symbols/attributes.hpp"
#include "hooks/lto-check/symbols/mapped.hpp"
#include "hooks/lto-check/symbols/resolution.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

/// How a file of a link is used; of a file that is named twice the stronger use counts.
struct Use {
  bool whole = false;   ///< every member is taken
  bool eagerly = false; ///< not behind --start-lib
  bool code = false;    ///< not only for its symbols
};
using Uses = std::map<std::string, Use>; ///< by path

Uses uses_of(const std::vector<LinkFile>& files) {
  Uses uses;
  for (const LinkFile& file : files)
    uses[file.path] = {uses[file.path].whole || file.whole_archive, uses[file.path].eagerly || !file.lazy,
                       uses[file.path].code || !file.symbols};
  return uses;
}

/// What is in each of the files, in order; of one that is named twice, once.
std::vector<const Placed<LtoInput>*> inputs_of(const std::vector<LinkFile>& files, Scans& scans) {
  std::vector<const Placed<LtoInput>*> inputs;
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

bool has_streams(const Placed<LtoInput>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!inputs.content(i).streams.empty())
      return true;
  return false;
}

Commons commons_of(const Linker& linker) {
  switch (linker.family) {
  case LinkerFamily::bfd:
    return Commons::read;
  case LinkerFamily::lld: // 15 turned --fortran-common off
    return linker.version.major < 15 ? Commons::read : Commons::kept;
  case LinkerFamily::mold:
    return Commons::replaced;
  default:
    return Commons::kept;
  }
}

/// Which members of archives a link needs, found out when the first one is asked for.
class Needs {
public:
  Needs(const std::vector<LinkFile>& files, const LinkWords& words, const Linker& linker)
      : files_(files), wanted_(words.wanted), renames_(words.renames || !words.wraps.empty()),
        by_index_(linker.family == LinkerFamily::bfd || linker.family == LinkerFamily::gold),
        how_(resolving(words, linker)), linker_(linker) {
    wanted_.emplace_back("_start");
    for (const LinkFile& file : files_) {
      wanted_.insert(wanted_.end(), file.wanted.begin(), file.wanted.end());
      any_for_symbols_ = any_for_symbols_ || file.symbols;
    }
  }

  Need of(const Judgement& judgement) {
    if (!is_optional(judgement))
      return Need::certain;
    const Resolution& first = by_index_ ? resolution(own_, Index::own) : resolution(members_, Index::members);
    if (is_in(first, judgement))
      return Need::certain;
    if (by_index_ && is_missed(judgement))
      return Need::certain;
    return first.complete && !renames_ ? Need::unlikely : Need::unknown;
  }

  /// Whether the link names an object for nothing but its symbols.
  bool only_symbols(const Judgement& judgement) {
    if (!any_for_symbols_ || !judgement.member.empty())
      return false;
    if (!uses_)
      uses_ = uses_of(files_);
    const auto use = uses_->find(judgement.path);
    return use != uses_->end() && !use->second.code;
  }

  /// Whether the link needs the member and its linker would not find it, for want of an entry in the index.
  bool would_miss(const Judgement& judgement) {
    return by_index_ && is_optional(judgement) && is_missed(judgement);
  }

  /// Whether the linker turns the member's archive down for want of an index.
  bool refuses_archive(const Judgement& judgement) {
    return by_index_ && judgement.stream && !judgement.member.empty() && is_optional(judgement) &&
           unindexed(judgement.path);
  }

  /// How the linker fares with a member that it does not need.
  Glance glance(const Judgement& judgement) {
    if (!judgement.stream || judgement.stream->format != LtoFormat::llvm_bitcode || !linker_.llvm)
      return Glance::untold;
    const bool by_no_index = linker_.family == LinkerFamily::lld && !judgement.member.empty() &&
                             unindexed(judgement.path); // lld to 14; later ones read every member anyway
    if (!by_no_index && !reads_every_member(*judgement.stream, linker_))
      return Glance::untold;
    const bool in_archive = !judgement.member.empty();
    if (in_archive && judgement.offset == 0)
      return Glance::chance; // in a thin archive, or one in another
    const MappedInput file(judgement.path);
    const std::string_view bytes = file.view();
    const auto newest = judgement.offset < bytes.size()
                            ? newest_attribute(bytes.substr(static_cast<std::size_t>(judgement.offset)))
                            : std::nullopt;
    return newest ? glance_of(linker_.llvm->major, *newest) : Glance::chance;
  }

private:
  static Resolving resolving(const LinkWords& words, const Linker& linker) {
    Resolving how{Order::in_turn,       Index::own,  commons_of(linker),
                  Wrapping::everywhere, words.wraps, words.defined};
    if (linker.family == LinkerFamily::mold)
      how.wrapping = Wrapping::machine_code;
    if (linker.family == LinkerFamily::lld) {
      how.wrapping = Wrapping::besides;
      how.defined.clear(); // it sees to them when all inputs are in
    }
    return how;
  }

  /// Whether only the index keeps the linker from it, and nothing else has what it was wanted for.
  bool is_missed(const Judgement& judgement) {
    if (!lacks(judgement.path) || !is_in(resolution(members_, Index::members), judgement))
      return false;
    const Resolution& own = resolution(own_, Index::own);
    const auto [found, fresh] = missed_.try_emplace(judgement.path);
    if (fresh)
      found->second = members_that_define(judgement.path, own.missing);
    return !is_in(own, judgement) && is_in(found->second, judgement);
  }

  bool unindexed(const std::string& archive) {
    const auto [found, fresh] = unindexed_.try_emplace(archive, false);
    if (fresh)
      found->second = has_no_index(archive);
    return found->second;
  }

  bool is_optional(const Judgement& judgement) {
    if (judgement.member.empty() && !waits(judgement))
      return false;
    if (!uses_)
      uses_ = uses_of(files_);
    const auto use = uses_->find(judgement.path);
    if (judgement.member.empty())
      return use != uses_->end() && !use->second.eagerly;
    return use == uses_->end() || !use->second.whole;
  }

  /// Whether the linker lets such an object wait behind --start-lib. GNU ld to 2.40 has no such option,
  /// gold hands each to its plugin, and lld looks into bitcode there up to 14.
  bool waits(const Judgement& judgement) const {
    const bool bitcode = judgement.stream && judgement.stream->format == LtoFormat::llvm_bitcode;
    return linker_.family == LinkerFamily::mold ||
           (linker_.family == LinkerFamily::lld && (!bitcode || linker_.version.major >= 15));
  }

  bool lacks(const std::string& archive) {
    const auto [found, fresh] = lacking_.try_emplace(archive, false);
    if (fresh)
      found->second = lacks_symbols(archive);
    return found->second;
  }

  static bool is_in(const Resolution& resolution, const Judgement& judgement) {
    if (judgement.offset != 0)
      return resolution.places.contains({judgement.path, judgement.offset});
    const std::string member = judgement.member.empty() ? "" : judgement.member.front();
    return judgement.member.size() <= 1 && resolution.pulled.contains({judgement.path, member});
  }

  const Resolution& resolution(std::optional<Resolution>& kept, Index index) {
    if (!kept) {
      how_.order = by_index_ ? Order::in_turn : Order::together;
      how_.index = index;
      kept = resolve(files_, wanted_, how_);
    }
    return *kept;
  }

  const std::vector<LinkFile>& files_;
  std::optional<Uses> uses_;
  std::vector<std::string> wanted_;
  bool renames_; ///< symbols are wanted that no input names
  bool any_for_symbols_ = false;
  bool by_index_; ///< GNU ld and gold go by the archive's index, others look into the members
  Resolving how_;
  const Linker& linker_;
  std::map<std::string, bool> lacking_, unindexed_;
  std::map<std::string, Resolution> missed_;
  std::optional<Resolution> own_, members_;
};

LinkShape shape_of(const LinkWords& words) {
  return {words.shared, words.relocatable, words.fat_bitcode, words.device_lto};
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

/// An object with intermediate code that stands behind --start-lib once waits wherever it stands: so mold
/// does it, even if it is named plainly as well.
void let_wait(std::vector<LinkFile>& files, Scans& scans) {
  std::set<std::string> waiting;
  for (const LinkFile& file : files)
    if (file.lazy && has_streams(scans.of(file.path).inputs))
      waiting.insert(file.path);
  if (!waiting.empty())
    for (LinkFile& file : files)
      file.lazy = file.lazy || waiting.contains(file.path);
}

Result<LinkCheck> check(const ShownLink& link, std::vector<LinkFile> files, Scans& scans,
                        const CheckContext& context) {
  LinkCheck result{link.linker, std::nullopt, {}};
  std::vector<const Placed<LtoInput>*> inputs = inputs_of(files, scans);
  const bool any =
      std::ranges::any_of(inputs, [](const Placed<LtoInput>* file) { return has_streams(*file); });
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
                            joined(link.driver), releases};
  Needs needs(files, link.words, judging.linker);
  std::size_t count = 0;
  for (const Placed<LtoInput>* file : inputs)
    count += file->size();
  result.judgements.reserve(count);
  for (const Placed<LtoInput>* file : inputs)
    for (std::size_t i = 0; i < file->size(); ++i)
      for (Judgement& judgement : judge(file->at(i), judging)) {
        if (needs.only_symbols(judgement) && judge_for_symbols(judgement, judging.linker)) {
          // said
        } else if (needs.refuses_archive(judgement)) {
          refuse_unindexed(judgement);
        } else if (judgement.refused) {
          const Need need = needs.of(judgement);
          doubt(judgement, need, judging, need == Need::certain ? Glance::untold : needs.glance(judgement));
        } else if (goes_by_plugin(judgement, judging.linker) && needs.would_miss(judgement))
          refuse_unlisted(judgement);
        result.judgements.push_back(std::move(judgement));
      }
  return result;
}

/// Files that the link reads, without those that the command itself is going to write.
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

/// The same for an input and what is wrong with it, whichever linker it is said of; of others as good as
/// never.
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
  std::vector<std::size_t> said; // in order
  for (LinkCheck& check : checks) {
    const bool is_device = device(check);
    std::vector<std::size_t> fresh;
    check.judgements.erase_if([&](std::size_t i) {
      const Judgement& judgement = check.judgements.content(i);
      if (judgement.verdict != LtoVerdict::unreadable)
        return reads_device_code(judgement) != is_device;
      fresh.push_back(mark_of(check.judgements, i));
      return std::ranges::binary_search(said, fresh.back());
    });
    said.insert(said.end(), fresh.begin(), fresh.end());
    std::ranges::sort(said);
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
    checks.push_back(*std::move(checked));
  }
  share_out(checks);
  return checks;
}

Result<LinkCheck> check_inputs(const std::vector<std::string>& inputs, const std::vector<std::string>& linker,
                               const CheckContext& context) {
  std::vector<std::string> command = linker;
  // A driver that is given nothing shows no link.
  command.emplace_back("hostpin-input.o");
  auto links = show_links(command, context.tools);
  if (!links)
    return tl::unexpected(links.error());
  if (links->empty())
    return failure(joined(linker) + " does not link",
                   "name a compiler driver or a linker, with the options of a link");
  ShownLink& link = links->back();
  link.words.inputs.clear();
  const std::vector<std::string> expanded = with_responses(inputs);
  if (auto unread = unread_response(expanded))
    return tl::unexpected(*std::move(unread));
  for (const std::string& input : expanded)
    link.words.inputs.push_back({.name = input, .whole_archive = true});
  Scans scans(context.tools.files, false);
  link.made.clear(); // by a link that is not run
  auto checked = check(link, files_of(link, context.tools, scans), scans, context);
  if (!checked)
    return checked;
  for (const NamedInput& input : link.words.inputs)
    if (scans.of(input.name).seen == Seen::nothing)
      checked->judgements.push_back({.path = input.name,
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
