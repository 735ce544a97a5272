// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/cxx/role.hpp"

#include "wrapper/cxx/options.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace hostpin {

namespace {

bool listed(std::span<const std::string_view> list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// GCC's list; Clang knows fewer and would hand the others to the linker, which cannot read a header either.
constexpr std::array<std::string_view, 9> header_suffixes = {"h",   "H",   "hh",  "hp", "hpp",
                                                             "HPP", "hxx", "h++", "tcc"};
// The directories and programs that belong to compiling. All else that can be asked for belongs to linking.
constexpr std::array<std::string_view, 3> host_files = {"include", "include-fixed", "plugin"};
constexpr std::array<std::string_view, 6> host_programs = {"as", "cc1", "cc1plus", "cpp", "clang", "clang++"};

bool is_header(std::string_view input) {
  const auto dot = input.rfind('.');
  return dot != std::string_view::npos && listed(header_suffixes, input.substr(dot + 1));
}

/// One pass over the arguments; each takes effect as GCC and Clang would let it.
class Reading {
public:
  /// `inputs`: where to put them; null when nobody asks.
  explicit Reading(LinkInputs* inputs = nullptr) : inputs_(inputs) {}

  void take(std::span<const std::string_view> arguments) {
    for (std::size_t i = 0; i < arguments.size();)
      i += take_one(arguments.subspan(i));
  }

  CxxCall call() const {
    CxxCall result;
    result.role = role();
    if (!output_.empty())
      result.output = output_;
    result.other_root = other_root_;
    result.verbose = verbose_;
    result.shows = shows_;
    const bool compiles = result.role == CxxCall::Role::compile && translate_ && !preprocess_ && !check_;
    result.generates_code = !shows_ && (compiles || result.role == CxxCall::Role::link);
    for (std::size_t i = 1; i < toggles_.size(); ++i)
      if (!toggles_[i].empty())
        result.features[static_cast<std::size_t>(feature_of(static_cast<CxxSwitch>(i)))] = toggles_[i];
    if (!sanitizers_.empty())
      result.features[static_cast<std::size_t>(RuntimeFeature::sanitize)] =
          "-fsanitize=" + std::string(sanitizers_.front());
    return result;
  }

private:
  /// Takes the first argument and its value; returns how many that were.
  std::size_t take_one(std::span<const std::string_view> arguments) {
    const std::string_view argument = arguments.front();
    if (rest_inputs_ || !argument.starts_with('-') || argument.size() == 1) {
      take_input(argument);
      return 1;
    }
    const CxxOption* const option = find_cxx_option(argument);
    if (option == nullptr)
      return 1;
    const bool attached = option->value == CxxValue::joined ||
                          (option->value == CxxValue::joined_or_separate && argument != option->spelling);
    if (attached || option->value == CxxValue::none) {
      take_option(*option, argument, argument.substr(option->spelling.size()));
      return 1;
    }
    if (arguments.size() == 1) // the driver will say that the value is missing
      return 1;
    take_option(*option, argument, arguments[1]);
    return 2;
  }

  void take_input(std::string_view input) {
    if (inputs_ != nullptr)
      inputs_->files.emplace_back(input);
    const bool header = language_.empty() ? is_header(input) : language_.ends_with("-header");
    (header ? headers_ : linkables_) = true;
  }

  void take_option(const CxxOption& option, std::string_view argument, std::string_view value) {
    switch (option.meaning) {
    case CxxMeaning::nothing:
      break;
    case CxxMeaning::preprocess:
      preprocess_ = true;
      break;
    case CxxMeaning::check:
      check_ = true;
      break;
    case CxxMeaning::translate:
      translate_ = true;
      break;
    case CxxMeaning::link_input:
      linkables_ = true;
      if (inputs_ != nullptr)
        take_linker_words(value);
      break;
    case CxxMeaning::language:
      language_ = value == "none" ? std::string_view() : value;
      break;
    case CxxMeaning::library:
      linkables_ = true;
      if (inputs_ != nullptr)
        inputs_->libraries.emplace_back(value);
      break;
    case CxxMeaning::directory:
      if (inputs_ != nullptr)
        inputs_->directories.emplace_back(value);
      break;
    case CxxMeaning::script:
      if (inputs_ != nullptr)
        inputs_->in_other_files = true;
      break;
    case CxxMeaning::output:
      output_ = value;
      break;
    case CxxMeaning::sysroot:
      other_root_ = true;
      break;
    case CxxMeaning::verbose:
      verbose_ = true;
      break;
    case CxxMeaning::show:
      shows_ = true;
      break;
    case CxxMeaning::ask_now:
      ask_now_ = true;
      break;
    case CxxMeaning::ask_host:
      ask_host_ = true;
      break;
    case CxxMeaning::ask_link:
      ask_link_ = true;
      break;
    case CxxMeaning::ask_file:
      (listed(host_files, value) ? ask_host_ : ask_link_) = true;
      break;
    case CxxMeaning::ask_program:
      (listed(host_programs, value) ? ask_host_ : ask_link_) = true;
      break;
    case CxxMeaning::rest_inputs:
      rest_inputs_ = true;
      break;
    case CxxMeaning::runtime_on:
      toggles_[static_cast<std::size_t>(option.toggle)] = argument;
      break;
    case CxxMeaning::runtime_off:
      toggles_[static_cast<std::size_t>(option.toggle)] = {};
      break;
    case CxxMeaning::sanitize_on:
    case CxxMeaning::sanitize_off:
      take_sanitizers(value, option.meaning == CxxMeaning::sanitize_on);
      break;
    }
  }

  /// What -Wl and -Xlinker pass on can name inputs too, each by itself or in a file.
  void take_linker_words(std::string_view list) {
    while (!list.empty()) {
      const std::string_view word = list.substr(0, list.find(','));
      list.remove_prefix(std::min(word.size() + 1, list.size()));
      if (word.starts_with('@'))
        inputs_->in_other_files = true;
      else if (!word.empty() && word.front() != '-')
        inputs_->files.emplace_back(word);
      else if (word.size() > 2 &&
               (word.starts_with("-R") || word.starts_with("-T"))) // to GNU ld a file's name
        inputs_->files.emplace_back(word.substr(2));
      else if (take_library_words(word))
        continue;
      else if (const std::size_t equals = word.find('='); equals != std::string_view::npos)
        inputs_->files.emplace_back(word.substr(equals + 1));
    }
  }

  /// A library or a directory of libraries that the linker is told of.
  bool take_library_words(std::string_view word) {
    struct Row {
      std::string_view option;
      std::vector<std::string> LinkInputs::*member;
    };
    constexpr auto rows = std::to_array<Row>({{"--library=", &LinkInputs::libraries},
                                              {"--library-path=", &LinkInputs::directories},
                                              {"-l", &LinkInputs::libraries},
                                              {"-L", &LinkInputs::directories}});
    for (const Row& row : rows)
      if (word.size() > row.option.size() && word.starts_with(row.option)) {
        (inputs_->*row.member).emplace_back(word.substr(row.option.size()));
        return true;
      }
    return false;
  }

  void take_sanitizers(std::string_view list, bool on) {
    while (!list.empty()) {
      const std::string_view name = list.substr(0, list.find(','));
      list.remove_prefix(std::min(name.size() + 1, list.size()));
      if (!on && name == "all")
        sanitizers_.clear();
      std::erase(sanitizers_, name);
      if (on && !name.empty())
        sanitizers_.push_back(name);
    }
  }

  CxxCall::Role role() const {
    if (ask_now_)
      return CxxCall::Role::query_host;
    if (ask_link_)
      return CxxCall::Role::query_link;
    if (ask_host_)
      return CxxCall::Role::query_host;
    if (preprocess_ || check_ || translate_)
      return CxxCall::Role::compile;
    if (linkables_)
      return CxxCall::Role::link;
    return headers_ ? CxxCall::Role::compile : CxxCall::Role::query_host;
  }

  std::array<std::string_view, static_cast<std::size_t>(CxxSwitch::count)> toggles_;
  std::vector<std::string_view> sanitizers_;
  std::string_view language_;
  std::string_view output_;
  LinkInputs* inputs_;
  bool other_root_ = false;
  bool verbose_ = false;
  bool shows_ = false;
  bool preprocess_ = false;
  bool check_ = false;
  bool translate_ = false;
  bool linkables_ = false;
  bool headers_ = false;
  bool ask_now_ = false;
  bool ask_host_ = false;
  bool ask_link_ = false;
  bool rest_inputs_ = false;
};

} // namespace

namespace {

CxxCall read(std::span<const std::string_view> arguments, const ResponseFiles& files, Reading reading) {
  const auto is_response = [](std::string_view argument) { return argument.starts_with('@'); };
  if (std::none_of(arguments.begin(), arguments.end(), is_response)) {
    reading.take(arguments);
    return reading.call();
  }
  const ExpandedArguments expanded = expand_responses(arguments, files);
  reading.take(expanded.arguments);
  return reading.call(); // while the arguments that it points into are there
}

} // namespace

CxxCall cxx_call(std::span<const std::string_view> arguments, const ResponseFiles& files) {
  return read(arguments, files, Reading());
}

LinkInputs link_inputs(std::span<const std::string_view> arguments, const ResponseFiles& files) {
  LinkInputs inputs;
  read(arguments, files, Reading(&inputs));
  return inputs;
}

} // namespace hostpin
