// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/prediction.hpp"

#include "toolchains/base/check_policy.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/cmdline/response.hpp"
#include "toolchains/config/bound.hpp"
#include "toolchains/gpus/item.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/bind/resolve.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/inputs.hpp"
#include "wrapper/hot/build_directory.hpp"
#include "wrapper/hot/caller.hpp"
#include "wrapper/hot/decision.hpp"
#include "wrapper/hot/link.hpp"
#include "wrapper/hot/system.hpp"
#include "wrapper/view/view.hpp"

#include <filesystem>
#include <optional>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

/// The first program of that name on PATH, as a shell finds it; empty when there is none.
std::string on_path(const Context& context, const std::string& name) {
  return executable(name, context.environment).value_or("");
}

bool names_anything(const Request& request) {
  return request.toolkit || request.stdenv || request.host || request.allow_unsupported;
}

/// Records one of hostpin's programs, and its bound directory.
void reach(CallHere& here, const Context& context, const std::string& program, std::string origin) {
  here.self = hot::self_of(program.c_str());
  here.program = program;
  here.origin = std::move(origin);
  if (context.files.status(here.self.directory + "/plan") ||
      context.files.status(here.self.directory + "/binding.toml"))
    here.directory = base_name(here.self.directory) == view::view_room &&
                             context.files.status(here.self.directory + "/links")
                         ? directory_of(here.self.directory)
                         : here.self.directory;
}

bool is_foreign_nvcc(const Context& context, const std::string& program) {
  const auto status = context.files.status(program);
  return program.find('/') != std::string::npos && base_name(program) == "nvcc" && status &&
         status->kind == FileStatus::Kind::regular && status->executable;
}

/// In CMake's order except for the first two: a user who types `nvcc` gets the one on PATH.
void find_program(CallHere& here, const Context& context, bool by_names) {
  const std::string plain = on_path(context, "nvcc");
  const std::string cuda = context.environment["CUDACXX"].value_or("");
  const std::string cmake = cuda.find('/') == std::string::npos ? on_path(context, cuda) : cuda;
  const auto is_ours = [](const std::string& path) {
    return !path.empty() && hot::is_ours(hot::self_of(path.c_str()));
  };
  reach(here, context, context.tree.driver, "not bound: it decides by this environment");
  if (!by_names && is_ours(plain))
    reach(here, context, plain,
          here.self.path == hot::self_of(plain.c_str()).path ? here.origin : "first on PATH");
  else if (!by_names && is_ours(cmake))
    reach(here, context, cmake,
          here.self.path == hot::self_of(cmake.c_str()).path ? here.origin : "$CUDACXX");
  const auto differs = [&](const std::string& path) {
    return !path.empty() && hot::self_of(path.c_str()).directory != here.self.directory;
  };
  if (differs(plain))
    here.notes.push_back(is_ours(plain)
                             ? fmt::format("nvcc on PATH is {}, which these names do not change", plain)
                             : fmt::format("nvcc on PATH is {}, which is not hostpin's", plain));
  if (!cmake.empty() && differs(cmake))
    here.notes.push_back(
        is_ours(cmake)
            ? fmt::format("CMake uses $CUDACXX: {} explain -- {}", context.program, shell_word(cmake))
            : fmt::format("CMake uses $CUDACXX: {}, which is not hostpin's", cmake));
}

/// An unbound call below a build directory uses the decision that the directory was configured with.
void follow_build_directory(CallHere& here, const Context& context) {
  const auto cache = cache_of(context);
  auto record = cache ? hot::find_build_record(*cache, hot::current_directory()) : std::nullopt;
  if (!record || !context.files.status(record->home + "/binding.toml"))
    return;
  here.self = hot::self_of((record->home + "/nvcc").c_str());
  here.build = std::move(record->build);
  here.origin = fmt::format("not bound: it uses the decision that {} was configured with", here.build);
}

/// Reads the binding of that directory; if a call could not start, stores the refusal.
Result<void> read_bound(CallHere& here, const Context& context) {
  if (here.directory.empty() && here.build.empty())
    return {};
  hot::Bound bound = hot::bound_plan(here.self);
  if (bound.change != nullptr && !here.build.empty())
    bound = {}; // a call remakes a binding in the cache from the same request
  else if (!bound.message.empty())
    here.refusal = Error{std::move(bound.message), std::move(bound.hint)};
  else if (bound.loaded == nullptr)
    here.refusal = Error{
        fmt::format("{} was bound, but its plan is missing: {}/plan", here.directory, here.self.directory),
        "bind it again: " + context.program + " bind --refresh " + shell_word(here.directory)};
  else
    here.bound = std::move(bound.loaded);
  TRY_ASSIGN(auto recorded, bind::read_recorded(context.files, here.self.directory));
  here.request = std::move(recorded.request);
  return {};
}

/// nvcc and c++ check it before anything else, also for calls that link nothing.
std::optional<Error> unknown_policy(const Environment& environment) {
  const auto wish = environment["HOSTPIN_LTO"];
  if (!wish || check_policy(*wish))
    return std::nullopt;
  return Error{fmt::format("HOSTPIN_LTO={} is not a policy", gpus::visible(*wish, 200)),
               std::string(hot::lto_policy_hint)};
}

} // namespace

Result<CallHere> call_here(const Context& context, const Request& given,
                           const std::optional<std::string>& bound, const std::string& program) {
  CallHere here;
  here.request = given;
  if (bound) {
    const std::string room = bound_room(context.files, *bound);
    TRY(bind::read_recorded(context.files, room));
    reach(here, context, room == *bound ? room + "/nvcc" : *bound + "/bin/nvcc", "--bound");
    here.program = std::filesystem::absolute(here.program).lexically_normal().string();
  } else if (program.find('/') != std::string::npos && hot::is_ours(hot::self_of(program.c_str()))) {
    reach(here, context, std::filesystem::absolute(program).lexically_normal().string(), "as named");
  } else if (is_foreign_nvcc(context, program)) {
    if (names_anything(given))
      return failure(program +
                         " is not hostpin's nvcc, so that options that name a toolkit or compiler have no "
                         "effect on it",
                     "leave them out, or explain a call of nvcc");
    here.program = std::filesystem::absolute(program).lexically_normal().string();
    here.self = hot::self_of(program.c_str());
    here.origin = "not hostpin's: it runs unchanged";
    here.foreign = true;
    return here;
  } else {
    find_program(here, context, names_anything(given));
    if (program.find('/') != std::string::npos)
      here.notes.push_back(program + " is not hostpin's; this is what hostpin's nvcc does");
  }
  if (here.directory.empty() && !names_anything(given))
    follow_build_directory(here, context);
  if (auto read = read_bound(here, context); !read)
    here.refusal = here.refusal ? here.refusal : read.error();
  if (!here.refusal)
    here.refusal = unknown_policy(context.environment);
  return here;
}

Result<bind::Binding> binding_of(const Context& context, const CallHere& here) {
  if (here.bound == nullptr)
    return tl::unexpected(here.refusal.value_or(Error{here.program + " is not bound", {}}));
  return bind::read_binding(context.files, here.self.directory, *here.bound->bytes);
}

namespace {

using By = cmdline::CcbinChoice::By;

/// The path of a host compiler that is named to nvcc.
std::string named_path(const Context& context, const std::string& named) {
  return named.find('/') == std::string::npos ? executable(named, context.environment).value_or("")
                                              : std::filesystem::absolute(named).string();
}

/// The named compiler is hostpin's own `c++`, so its link is pinned already.
bool names_our_own(const Context& context, const std::string& named) {
  const std::string path = named_path(context, named);
  return !path.empty() && own_programs(context.files)(path);
}

bool is_unread(const CallNames& names, const Survey& survey, const SurveyInputs& inputs) {
  return names.by == to_string(By::ccbin_variable) && survey.toolkit &&
         !inputs.table.has_feature("nvcc-ccbin-variable", survey.toolkit->version);
}

Result<bind::Binding> decided(const Survey& survey, const SurveyInputs& inputs, const CallNames& names,
                              bool untouched) {
  const bool named = !names.value.empty();
  if (untouched || (named && inputs.config.named_as_is))
    return bind::resolve_untouched(survey);
  auto binding = bind::resolve(survey, inputs);
  if (!binding && names.informational)
    return bind::resolve_untouched(survey);
  if (binding)
    binding->plan.named = named;
  return binding;
}

Request with_names(Request request, const CallNames& names, const Files& files) {
  if (!names.value.empty()) {
    request.host = bind::driver_named_to_nvcc(names.value, files);
    request.host_by = names.by;
    request.host_option = "-ccbin"; // for an nvcc option the hints are nvcc's, whichever command reports it
    request.insist_option = "-allow-unsupported-compiler";
  }
  return request;
}

/// What hostpin's `c++` decides if that toolkit's nvcc runs it: the caller's toolkit takes precedence over a
/// binding (hot/decision).
Result<bind::Binding> as_host_compiler(const Context& context, const std::string& cxx,
                                       const Toolkit& toolkit) {
  TRY_ASSIGN(const auto its, call_here(context, {}, {}, cxx));
  if (its.refusal)
    return tl::unexpected(*its.refusal);
  if (its.bound && hot::same_toolkit(toolkit.nvcc, its.bound->plan.nvcc))
    return binding_of(context, its);
  Request request = its.request;
  request.toolkit = toolkit.nvcc;
  request.toolkit_by = "the calling nvcc";
  Result<bind::Binding> decided = failure("the decision of " + cxx + " cannot be made");
  with_decision(context, request, {}, [&](const Survey&, const SurveyInputs&, Result<bind::Binding> made) {
    decided = std::move(made);
    return exit_fine;
  });
  if (decided && its.bound)
    decided->notes.push_back(
        fmt::format("{} is bound to CUDA {}; it uses the toolkit of the nvcc that runs it",
                    its.build.empty() ? directory_of(cxx) : its.build, its.bound->plan.toolkit));
  return decided;
}

/// The binding to print for a call whose host compiler is used as it is. `links`: what decides about its
/// links.
Result<bind::Binding> as_named(bind::Binding binding, const CallNames& names, const Context& context,
                               const Survey& survey, const char* links) {
  if (names_our_own(context, names.value)) {
    const Toolkit toolkit = binding.toolkit;
    auto its = as_host_compiler(context, named_path(context, names.value), toolkit);
    if (its)
      its->toolkit = toolkit;
    return its;
  }
  if (survey.host)
    binding.host.compiler = *survey.host;
  else
    binding.host.compiler.command = {names.value};
  binding.plan.host = binding.host.compiler.command;
  binding.stdenv = binding.host.compiler;
  binding.host_origin = fmt::format("named by {}", names.by);
  binding.link = {binding.host.compiler.command, links, {}};
  return binding;
}

/// nvcc refuses an empty name.
std::optional<Error> empty_name(const cmdline::NvccCommand& naming) {
  if (naming.ccbin.by == By::nobody || !naming.ccbin.value.empty())
    return std::nullopt;
  return Error{fmt::format("{} is empty: nvcc has no host compiler to run", to_string(naming.ccbin.by)),
               "name a host compiler, or leave it out"};
}

/// The host compiler of an nvcc call that names none.
CallNames own_choice(const Toolkit& toolkit, bool informational) {
  if (!toolkit.profile_host.empty())
    return {toolkit.profile_host, "nvcc.profile", informational};
  return {"gcc", "nvcc itself", informational};
}

/// Predicts a call of an nvcc that is not hostpin's. Only a `c++` that it runs can be hostpin's.
int with_foreign(const Context& context, Prediction& prediction, const CallNames& names,
                 const std::function<int(const Prediction&, const Survey&, const SurveyInputs&)>& use) {
  Request request;
  request.toolkit = prediction.here.program;
  request.toolkit_by = "the call";
  if (!names_our_own(context, names.value))
    request = with_names(std::move(request), names, context.files);
  return with_survey(context, request, [&](const Survey& survey, const SurveyInputs& inputs) {
    const bool unnamed = names.value.empty() || is_unread(names, survey, inputs);
    if (auto wrong = empty_name(prediction.naming)) {
      prediction.binding = tl::unexpected(*std::move(wrong));
    } else if (survey.toolkit && unnamed) {
      prediction.naming.ccbin.by = By::nobody;
      return with_foreign(context, prediction, own_choice(*survey.toolkit, names.informational), use);
    } else {
      prediction.binding = bind::resolve_untouched(survey).and_then([&](const bind::Binding& of) {
        return as_named(of, names, context, survey, "by this nvcc; hostpin is not involved");
      });
    }
    return use(prediction, survey, inputs);
  });
}

/// A call before anything decides it: what it names that needs a decision.
struct UndecidedCall {
  UndecidedCall(const Context& context, const CallHere& here, const std::vector<const char*>& arguments,
                bool is_cxx)
      : prepend(context.environment["NVCC_PREPEND_FLAGS"]), append(context.environment["NVCC_APPEND_FLAGS"]),
        variable(context.environment["NVCC_CCBIN"]), prediction{here,  {},          {},
                                                                false, failure(""), exit_refused} {
    prediction.call = hot::call_of(arguments, {prepend, append, variable, false}, here.bound.get());
    cmdline::NvccCommand& naming = prediction.naming;
    if (!is_cxx)
      naming = cmdline::nvcc_command(prediction.call, texts);
    prediction.as_given = hot::keeps_user_ccbin(naming, here.bound.get(), here.self);
    const bool is_own = here.bound && hot::names_host_of(here.bound->plan, naming.ccbin.value,
                                                         context.environment["PATH"].value_or(""));
    names.informational = naming.informational;
    if (naming.ccbin.by != By::nobody && !prediction.as_given && !is_own)
      names = {std::string(naming.ccbin.value), std::string(to_string(naming.ccbin.by)),
               naming.informational};
  }
  UndecidedCall(const UndecidedCall&) = delete;
  UndecidedCall& operator=(const UndecidedCall&) = delete;

  std::optional<std::string> prepend, append, variable; ///< the prediction refers to these, and to the texts
  cmdline::DiskArgumentFiles texts;
  Prediction prediction;
  CallNames names;
};

} // namespace

int with_decision(const Context& context, const Request& request, const CallNames& names,
                  const std::function<int(const Survey&, const SurveyInputs&, Result<bind::Binding>)>& use) {
  const bool own = !names.value.empty() && names_our_own(context, names.value);
  const Request asked = own ? request : with_names(request, names, context.files);
  return with_survey(context, asked, [&](const Survey& survey, const SurveyInputs& inputs) {
    if (is_unread(names, survey, inputs)) // this nvcc does not read the variable
      return with_decision(context, request, {{}, {}, names.informational}, use);
    return use(survey, inputs, decided(survey, inputs, names, own));
  });
}

int with_prediction(const Context& context, const CallHere& here, const std::vector<const char*>& arguments,
                    bool is_cxx,
                    const std::function<int(const Prediction&, const Survey&, const SurveyInputs&)>& use) {
  UndecidedCall call(context, here, arguments, is_cxx);
  Prediction& prediction = call.prediction;
  const CallNames& names = call.names;
  cmdline::NvccCommand& naming = prediction.naming;
  if (here.foreign) {
    prediction.as_given = true;
    return with_foreign(context, prediction, names, use);
  }
  Request request = here.request;
  const bool decides = here.bound == nullptr || !names.value.empty();
  if (here.bound && decides)
    request.allow_unsupported = naming.allow_unsupported;
  else
    request.allow_unsupported |= naming.allow_unsupported;

  return with_decision(
      context, request, names,
      [&](const Survey& survey, const SurveyInputs& inputs, const Result<bind::Binding>& made) {
        prediction.binding = decides ? made : binding_of(context, here);
        prediction.exit_code = code_of_refusal(survey);
        if (naming.ccbin.by == By::ccbin_variable && is_unread(names, survey, inputs))
          naming.ccbin.by = By::nobody;
        if (here.refusal) {
          prediction.binding = tl::unexpected(*here.refusal);
          prediction.exit_code = exit_broken;
        } else if (auto wrong = empty_name(naming)) {
          prediction.binding = tl::unexpected(*std::move(wrong));
        } else if (const bool as_bound = here.bound && here.bound->plan.named_as_is;
                   !names.value.empty() && naming.ccbin.by != By::nobody &&
                   (as_bound || (made && made->plan.untouched))) {
          prediction.as_given = true;
          prediction.binding =
              (as_bound ? binding_of(context, here) : made).and_then([&](const bind::Binding& of) {
                return as_named(of, names, context, survey, "as it is: named-host = \"as-is\"");
              });
        }
        return use(prediction, survey, inputs);
      });
}

int with_call(const Context& context, const CallHere& here, const std::vector<const char*>& arguments,
              bool is_cxx, const std::function<int(const Prediction&)>& use) {
  UndecidedCall call(context, here, arguments, is_cxx);
  Prediction& prediction = call.prediction;
  if (here.foreign || !call.names.value.empty() || (here.bound == nullptr && !here.refusal))
    return with_prediction(
        context, here, arguments, is_cxx,
        [&](const Prediction& made, const Survey&, const SurveyInputs&) { return use(made); });
  if (here.refusal) {
    prediction.binding = tl::unexpected(*here.refusal);
    prediction.exit_code = exit_broken;
  } else if (auto wrong = empty_name(prediction.naming)) {
    prediction.binding = tl::unexpected(*std::move(wrong));
  } else {
    prediction.binding = binding_of(context, here);
  }
  return use(prediction);
}

} // namespace hostpin::command
