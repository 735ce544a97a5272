// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/gpu_calls.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/cmdline/launchers.hpp"
#include "toolchains/cmdline/tokens.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/command/json_text.hpp"
#include "wrapper/hot/decision.hpp"
#include "wrapper/nvcc/nvcc_environment.hpp"
#include "wrapper/plan/plan.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

constexpr std::size_t longest_database = std::size_t{1} << 30;

/// Options files of calls that run in another directory.
class FilesFrom final : public cmdline::ArgumentFiles {
public:
  explicit FilesFrom(std::string directory) : directory_(std::move(directory)) {}
  std::optional<cmdline::ArgumentText> read(const std::string& path, Pipes /*pipes*/) const override {
    return disk_.read(path.starts_with('/') ? path : directory_ + '/' + path, Pipes::leave);
  }

private:
  std::string directory_;
  cmdline::DiskArgumentFiles disk_;
};

/// One entry of compile_commands.json.
struct Entry {
  std::string directory, file;
  std::vector<std::string> words;
};

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<Entry> entry_of(const Json& json) {
  if (!json.is_object())
    return failure("an entry is not an object");
  Entry entry{text_of(json, "directory"), text_of(json, "file"), {}};
  if (const auto list = json.find("arguments"); list != json.end()) {
    if (!list->is_array() || list->empty())
      return failure("an entry's \"arguments\" are not an array of strings");
    for (const Json& word : *list)
      if (word.is_string())
        entry.words.push_back(word.get<std::string>());
      else
        return failure("an entry's \"arguments\" are not an array of strings");
    return entry;
  }
  if (text_of(json, "command").empty())
    return failure("an entry has neither \"command\" nor \"arguments\"");
  auto words = cmdline::command_words(text_of(json, "command"));
  if (!words)
    return tl::unexpected(words.error());
  entry.words = *std::move(words);
  return entry;
}

/// A bound directory, with its list in the form of the launcher.
struct BoundList {
  std::string directory;
  bind::BoundCapabilities capabilities;
  std::vector<std::string_view> arguments, variants;
  bool escaped_quotes; ///< as in cmdline::NvccCall
};

/// The list that a program is bound with. Nothing if it is not bound, or bound without a list.
Result<std::optional<BoundList>> read_list(const Context& context, const hot::Self& self) {
  const std::string& directory = self.directory;
  const auto exists = [&](const char* name) { return context.files.status(directory + name).has_value(); };
  if (!exists("/plan") && !exists("/binding.toml"))
    return std::nullopt;
  auto recorded = bind::read_recorded(context.files, directory);
  const std::string refresh = hot::bind_command(context.program, {"--refresh", hot::bound_by_user(self)});
  if (!recorded)
    return failure(recorded.error().message, refresh);
  if (!recorded->capabilities)
    return std::nullopt;
  const auto plan = plan::read_plan<std::string>(
      context.files.read(directory + "/plan", hot::plan_limit).value_or(std::string()));
  if (!plan || recorded->capabilities->arguments.empty())
    return failure(fmt::format("{} is damaged, or was bound by a release of hostpin that compares no GPUs",
                               escaped(directory)),
                   refresh);
  return BoundList{directory, *std::move(recorded->capabilities), {}, {}, plan->nvcc_escapes_quotes};
}

class Comparison {
public:
  explicit Comparison(const Context& context) : context_(context) {}

  Result<void> add(const Entry& entry) {
    const std::size_t at = cmdline::driver_position(entry.words);
    if (at == entry.words.size() || base_name(entry.words[at]) != "nvcc")
      return {};
    TRY_ASSIGN(const auto program, path_of(entry.words[at], entry.directory));
    TRY_ASSIGN(const auto bound, list_of(program));
    if (bound != nullptr)
      compare(*bound, entry, std::span(entry.words).subspan(at + 1));
    return {};
  }

  std::vector<GpuCalls> results;

private:
  Result<std::string> path_of(const std::string& program, const std::string& directory) const {
    if (program.find('/') != std::string::npos)
      return program.starts_with('/') ? program : directory + '/' + program;
    // As Bear writes what a shell searched.
    auto found = executable(program, context_.environment);
    if (!found)
      return failure(program + ", which calls name without a directory, is not found on PATH",
                     "set PATH as it was in the build");
    return *std::move(found);
  }

  /// The list of the directory that a program is bound in; null if there is none.
  Result<const BoundList*> list_of(const std::string& program) {
    const auto [place, is_new] = lists_.try_emplace(program);
    std::optional<BoundList>& list = place->second;
    if (is_new) {
      TRY_ASSIGN(auto read, read_list(context_, hot::self_of(program.c_str())));
      list = std::move(read);
      if (list) {
        list->arguments.assign(list->capabilities.arguments.begin(), list->capabilities.arguments.end());
        list->variants.assign(list->capabilities.variants.begin(), list->capabilities.variants.end());
      }
    }
    return list ? &*list : nullptr;
  }

  GpuCalls& result_of(const BoundList& bound) {
    const auto found = std::find_if(results.begin(), results.end(),
                                    [&](const GpuCalls& each) { return each.directory == bound.directory; });
    if (found != results.end())
      return *found;
    GpuCalls& calls = results.emplace_back();
    calls.directory = bound.directory;
    calls.policy = bound.capabilities.policy;
    calls.list = nvcc::list_text({bound.arguments, bound.variants});
    calls.capabilities = bound.capabilities.list;
    return calls;
  }

  void compare(const BoundList& bound, const Entry& entry, std::span<const std::string> words) {
    std::vector<const char*> arguments;
    for (const std::string& word : words)
      arguments.push_back(word.c_str());
    const auto prepend = context_.environment["NVCC_PREPEND_FLAGS"];
    const auto append = context_.environment["NVCC_APPEND_FLAGS"];
    const cmdline::NvccCall call{prepend, arguments, append, std::nullopt, false, bound.escaped_quotes};
    const cmdline::NvccCommand command = cmdline::nvcc_command(call, FilesFrom(entry.directory));
    nvcc::GpuChange change;
    change.decide(command, {bound.arguments, bound.variants});
    GpuCalls& calls = result_of(bound);
    ++calls.compared;
    if (change.kind() == nvcc::GpuChange::Kind::none)
      return;
    if (change.kind() == nvcc::GpuChange::Kind::unread) {
      calls.differ.push_back({entry.file, "?", {}, "its GPU options are not understood", origins(command)});
      return;
    }
    const bool is_left = change.kind() == nvcc::GpuChange::Kind::left;
    calls.differ.push_back({entry.file, change.asked_text(), is_left ? std::string() : change.made_text(),
                            std::string(change.reason()), origins(command)});
  }

  static std::vector<std::string> origins(const cmdline::NvccCommand& command) {
    std::vector<std::string> found;
    add_origins(command.before(), " (NVCC_PREPEND_FLAGS)", found);
    add_origins(command.line(), "", found);
    add_origins(command.after(), " (NVCC_APPEND_FLAGS)", found);
    return found;
  }

  static void add_origins(std::span<const cmdline::NvccWord> words, std::string_view where,
                          std::vector<std::string>& found) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const cmdline::NvccWord& word = words[i];
      if (word.meaning == cmdline::NvccMeaning::options_file && word.inside != 0) {
        add_origins(words.subspan(i + 1, word.inside), fmt::format(" ({})", word.value()), found);
        i += word.inside;
      } else if (cmdline::names_gpus(word.meaning)) {
        const std::string_view option = word.apart && i > 0 ? words[i - 1].text : std::string_view();
        found.push_back(fmt::format("{}{}{}{}", option, option.empty() ? "" : " ", word.text, where));
      }
    }
  }

  const Context& context_;
  std::map<std::string, std::optional<BoundList>> lists_;
};

} // namespace

bool GpuCalls::is_violated_by(const GpuCall& call) const {
  return policy == GpuPolicy::check || (policy == GpuPolicy::enforce && call.made.empty());
}

bool GpuCalls::is_violated() const {
  return std::any_of(differ.begin(), differ.end(), [&](const GpuCall& call) { return is_violated_by(call); });
}

Result<std::vector<GpuCalls>> gpu_calls(const Context& context, const std::string& build) {
  const std::string path = build + "/compile_commands.json";
  const auto status = context.files.status(path);
  if (!status)
    return std::vector<GpuCalls>();
  const auto wrong = [&](const std::string& what, std::string hint = {}) {
    return failure(
        fmt::format("the calls of {} are not compared with a list of GPUs: {}", escaped(path), what),
        hint.empty() ? "configure the build again, with CMAKE_EXPORT_COMPILE_COMMANDS=ON" : std::move(hint));
  };
  const auto text = context.files.read(path, longest_database);
  if (!text)
    return wrong("it cannot be read");
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_array())
    return wrong("it is not a JSON array");
  Comparison comparison(context);
  for (const Json& each : json) {
    const auto entry = entry_of(each);
    if (!entry)
      return wrong(entry.error().message);
    if (auto added = comparison.add(*entry); !added)
      return wrong(added.error().message, std::move(added.error().hint));
  }
  for (GpuCalls& calls : comparison.results)
    calls.build = build;
  return std::move(comparison.results);
}

} // namespace hostpin::command
