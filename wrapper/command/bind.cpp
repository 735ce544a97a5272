// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/ancestors.hpp"
#include "toolchains/base/os_error.hpp"
#include "toolchains/base/own_files.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/config/bound.hpp"
#include "toolchains/gpus/item.hpp"
#include "toolchains/options/program.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/bind/identity_record.hpp"
#include "wrapper/bind/resolve.hpp"
#include "wrapper/bind/store.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/capabilities.hpp"
#include "wrapper/command/commands.hpp"
#include "wrapper/command/inputs.hpp"
#include "wrapper/command/prediction.hpp"
#include "wrapper/hot/decision.hpp"
#include "wrapper/pack/contents.hpp"
#include "wrapper/pack/order.hpp"
#include "wrapper/view/view.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

/// An archive of a bound toolchain with all its dependencies.
struct PackOptions {
  std::string file;              ///< to write, absolute
  std::vector<std::string> with; ///< further files and directories to pack, absolute
};

constexpr std::string_view stable_name = "/toolchain"; // of the bound directory, whatever its path here

// Paths that icecc's daemon runs in its chroot (1.4), whatever the compiler is called on the client, and a
// program without which it rejects an archive.
constexpr auto icecc_names = std::to_array<const char*>({"/usr/bin/g++", "/usr/bin/gcc"});
constexpr const char* icecc_wants = "/bin/true";

/// Time of the newest file that the decision depends on, so that the archive is reproducible.
std::int64_t time_of(const bind::Binding& binding, const Files& files) {
  std::int64_t newest = 0;
  for (const std::string& path : binding.dependencies)
    if (const auto status = files.status(path))
      newest = std::max(newest, status->modified);
  return newest;
}

pack::Order order_of(const pack::Tree& tree, const std::string& directory, const std::string& archive,
                     std::int64_t time) {
  pack::Order order{time, {}};
  for (const std::string& path : tree.entries()) {
    if (path == archive)
      continue; // set by an earlier call
    const bool is_bound = path.starts_with(directory + '/');
    order.entries.push_back({is_bound ? pack::Entry::Kind::dated : pack::Entry::Kind::kept, path, {}});
  }
  if (!tree.entries().contains("/tmp"))
    order.entries.push_back({pack::Entry::Kind::scratch, "/tmp", {}});
  if (!tree.entries().contains(std::string(stable_name)))
    order.entries.push_back({pack::Entry::Kind::link, std::string(stable_name), directory.substr(1)});
  return order;
}

/// The driver itself if another program precedes it, as in `icecc g++-12`.
std::string driver_of(const Compiler& compiler) {
  const bool is_launched = compiler.command.size() > 1 && compiler.command[1].starts_with('/');
  return compiler.command[is_launched ? 1 : 0];
}

/// Links the host compiler to the paths that icecc runs; if the stdenv has one of them, it keeps it.
void add_icecc_names(const Context& context, const bind::Binding& binding, const pack::Tree& tree,
                     pack::Order& order) {
  const std::string driver = driver_of(binding.host.compiler);
  for (const char* const name : icecc_names)
    if (!tree.entries().contains(name))
      order.entries.push_back({pack::Entry::Kind::link, name, driver});
    else if (context.files.real_path(name) != context.files.real_path(driver))
      report_note(fmt::format("{} is not the host compiler in the archive, so icecc cannot use it: make one "
                              "with icecc-create-env {}",
                              name, driver));
}

/// The list on standard input is an unnamed file, so its length is not limited.
int become_packer(const Context& context, const pack::Order& order, const std::string& file,
                  const std::string& name) {
  const int list = open_input(to_bytes(order));
  if (list < 0 || dup2(list, STDIN_FILENO) < 0) {
    report(os_failure("pass the list of files to pack").value());
    return exit_broken;
  }
  std::fflush(stdout);
  return run_program(context.tree, "pack", {file.c_str(), name.c_str()});
}

/// What is wrong with a file name for an archive; nothing if it is usable.
std::optional<Error> without_archive_name(const std::string& file) {
  constexpr std::string_view ending = ".tar.zst";
  if (file.ends_with(ending) && file.size() > ending.size() && file[file.size() - ending.size() - 1] != '/')
    return std::nullopt;
  return Error{fmt::format("--pack writes a .tar.zst archive, and {} is not named like one", file),
               "name a file that ends in .tar.zst"};
}

/// Determines what belongs to the binding in `directory`, and becomes the program that writes the archive.
/// Returns an exit code only on failure (reported).
int pack_bound(const Context& context, const bind::Binding& binding, const std::string& directory,
               const PackOptions& options) {
  const std::string real = context.files.real_path(directory).value_or(directory);
  pack::Extras extras{directory, options.with};
  extras.whole.insert(extras.whole.end(),
                      {context.tree.command, context.tree.programs, context.tree.prefix + "/share/hostpin"});
  if (context.files.status(icecc_wants))
    extras.whole.emplace_back(icecc_wants);
  auto contents =
      toolchain_contents(binding, extras, {context.environment, context.files, context.processes});
  if (!contents) {
    report(contents.error());
    return exit_broken;
  }
  for (const std::string& note : contents->notes)
    report_note(note);
  const std::size_t slash = options.file.rfind('/');
  const std::string parent = options.file.substr(0, slash);
  const std::string archive = context.files.real_path(parent).value_or(parent) + options.file.substr(slash);
  pack::Order order = order_of(contents->tree, real, archive, time_of(binding, context.files));
  add_icecc_names(context, binding, contents->tree, order);
  std::sort(order.entries.begin(), order.entries.end(),
            [](const pack::Entry& a, const pack::Entry& b) { return a.path < b.path; });
  const auto is_link = [](const pack::Entry& entry) {
    return entry.kind == pack::Entry::Kind::link && entry.path == stable_name;
  };
  const bool is_linked = std::any_of(order.entries.begin(), order.entries.end(), is_link);
  return become_packer(context, order, options.file, is_linked ? std::string(stable_name) : real);
}

std::string_view followed_by_calls(GpuPolicy policy) {
  switch (policy) {
  case GpuPolicy::enforce:
    return "in every call of nvcc, whatever it names";
  case GpuPolicy::check:
    return "hostpin doctor BUILD_DIR lists the calls that name others";
  case GpuPolicy::as_named:
    break;
  }
  return "a plain nvcc call gets no flags";
}

/// Reports which builds get the list of GPUs, and which do not.
void report_capabilities(const Context& context, const std::string& directory, const bind::Binding& binding) {
  if (!binding.capabilities)
    return;
  for (const auto& [name, value] : binding.capabilities->variables) {
    if (name == bind::cmake_architectures)
      fmt::print("{}", columns({{{"for GPUs"},
                                 {value, Tone::plain, true},
                                 {fmt::format("for CMake by {}/toolchain.cmake, for others by hostpin env "
                                              "--bound; {}",
                                              directory, followed_by_calls(binding.capabilities->policy))}}},
                               context.terminal));
    const auto set = context.environment[name];
    if (!set || set->empty() || *set == value)
      continue;
    const std::string is_set = fmt::format("{} is set to {}", name, gpus::visible(*set, 200));
    if (binding.capabilities->policy == GpuPolicy::enforce)
      report_note(is_set + ": what builds name because of it, nvcc compiles for the binding's list");
    else
      report_note(fmt::format(
          "{}, which takes precedence over the binding: unset {} to use the binding's value", is_set, name));
  }
}

/// How to build next.
std::string next_command(const std::string& program, const std::string& directory,
                         const bind::Binding& binding) {
  if (binding.plan.view)
    return fmt::format("eval \"$({} env --bound {})\"", program, shell_word(directory));
  return bind::cmake_command(directory);
}

/// What a foreign target is, and what runs its programs here.
std::vector<Cell> target_row(const bind::Binding& binding) {
  const ToolkitTarget& target = *binding.toolkit.target;
  return {{"target"},
          {fmt::format("{} ({})", target.triple,
                       target.name.empty() ? binding.toolkit.root : "targets/" + target.name)},
          {runs_programs(binding), Tone::quiet}};
}

void print_binding(const Context& context, const std::string& directory, const bind::Binding& binding) {
  fmt::print(
      "{}",
      columns({{{fmt::format("{} {} CUDA {} ({})", directory, binding.plan.view ? "is a view of" : "binds",
                             to_string(binding.toolkit.version), binding.toolkit.root)}}},
              context.terminal, 0));
  std::vector<std::vector<Cell>> rows{
      {{"accepts"}, {documented_text(binding.acceptance)}, {enforced_text(binding.acceptance)}},
      {{"compiles"}, {bind::host_label(binding)}, {binding.host_origin, Tone::quiet}},
      {{"links"}, {shell_words(binding.link.command), Tone::plain, true}, {binding.link.how, Tone::quiet}}};
  if (binding.toolkit.target)
    rows.push_back(target_row(binding));
  for (const auto& more : {run_path_rows(binding), policy_rows(binding)})
    rows.insert(rows.end(), more.begin(), more.end());
  fmt::print("{}", columns(rows, context.terminal));
  report_capabilities(context, bound_room(context.files, directory), binding);
  if (!binding.plan.slices.empty())
    fmt::print(
        "{}",
        columns({{{"slices"},
                  {binding.plan.slices, Tone::plain, true},
                  {"nvcc's work for each GPU runs as tasks; what they make is stored there", Tone::quiet}}},
                context.terminal));
  for (const std::string& note : binding.notes)
    report_note(note);
}

Result<void> write_place(const Context& context, const std::string& directory, const bind::Binding& binding,
                         const bind::Bundle& bundle) {
  if (!binding.plan.view)
    return bind::write_bound_directory(directory, bundle);
  if (auto unfit = view::unfit_for_view(directory, binding.toolkit, context.files))
    return tl::unexpected(*std::move(unfit));
  return view::write_view(directory, view::view_links(binding.toolkit, context.files), bundle, context.files);
}

int write(const Context& context, const std::string& directory, bind::Binding& binding) {
  const bind::PlanPlace place{{}, context.tree.command};
  bind::Bundle bundle{bind::plan_bytes(binding, bind::Scope::decision, place, context.files),
                      bind::binding_toml(binding, context.files), bind::toolchain_cmake(binding),
                      binding.identity, context.tree.driver};
  bundle.more = view::toolkit_writer(binding.toolkit, !binding.plan.view, context.files);
  if (const auto written = write_place(context, directory, binding, bundle); !written) {
    Error error = written.error();
    if (error.hint.empty())
      error.hint = "name a writable directory with enough free space";
    report(error);
    return exit_broken;
  }
  // Refused it would be of no use in a container whose sources belong to a user of the machine.
  if (const std::string above = exchangeable_by_others(directory); !above.empty())
    binding.notes.push_back(fmt::format("{} belongs to another user, or others may write to it: they can "
                                        "replace the programs in {}, which builds run",
                                        above, directory));
  print_binding(context, directory, binding);
  return exit_fine;
}

/// Reports what calls through a directory do in this environment, if its variables name a host compiler.
void report_named_host(const Context& context, const std::string& directory) {
  auto here = call_here(context, {}, directory);
  const auto prepend = context.environment["NVCC_PREPEND_FLAGS"],
             append = context.environment["NVCC_APPEND_FLAGS"], variable = context.environment["NVCC_CCBIN"];
  if (!here || !here->bound || (!prepend && !append && !variable))
    return;
  here->request.own_cxx = here->self.directory + "/c++";
  with_prediction(context, *here, {}, false, [&](const Prediction& made, const Survey&, const SurveyInputs&) {
    const cmdline::CcbinChoice& named = made.naming.ccbin;
    if (named.by == cmdline::CcbinChoice::By::nobody ||
        hot::keeps_user_ccbin(made.naming, here->bound.get(), here->self) ||
        hot::names_host_of(here->bound->plan, named.value, context.environment["PATH"].value_or("")))
      return exit_fine;
    const std::string by(to_string(named.by));
    if (made.binding)
      report_note(fmt::format("{0} names {1}, which compiles in this environment: unset {0} to use the "
                              "binding's host compiler",
                              by, bind::host_label(*made.binding)));
    else
      report_note(fmt::format("calls in this environment are refused: {}\nhint: {}",
                              made.binding.error().message, made.binding.error().hint));
    return exit_fine;
  });
}

/// A list of GPUs to expand for a binding.
struct Asked {
  std::string list;
  bool forward_compatible = true;
};

/// Whether calls follow the binding's list; an error if there is none to follow.
Result<void> add_gpu_policy(std::optional<GpuPolicy> named, bind::Binding& binding) {
  const GpuPolicy policy = named.value_or(binding.config.gpus);
  if (!binding.capabilities) {
    if (named == GpuPolicy::enforce)
      return failure("--enforce has no list of GPUs to enforce", "name it: --capabilities \"8.0;9.0\"");
    if (policy != GpuPolicy::as_named)
      binding.notes.push_back(
          fmt::format("[gpus] policy = \"{}\" has no effect without --capabilities", to_string(policy)));
    return {};
  }
  binding.capabilities->named_policy = named;
  binding.capabilities->policy = policy;
  if (policy == GpuPolicy::enforce) {
    binding.plan.gpus = binding.capabilities->arguments;
    binding.plan.gpu_variants = binding.capabilities->variants;
  }
  return {};
}

/// Expands the binding's list of GPUs; the exit code, once a refusal is reported.
int add_capabilities(const Context& context, const Asked& asked, bind::Binding& binding) {
  const auto gpus = gpus::load_gpus(context.files, context.tree.data);
  if (!gpus) {
    report(gpus.error());
    return exit_broken;
  }
  const auto expansion = expanded(context, *gpus, asked.list, binding.toolkit.version,
                                  asked.forward_compatible, {}, binding.toolkit.target);
  if (!expansion) {
    report(expansion.error());
    return exit_refused;
  }
  binding.notes.insert(binding.notes.end(), expansion->notes.begin(), expansion->notes.end());
  binding.capabilities = bind::bound_capabilities(asked.list, asked.forward_compatible, *expansion, *gpus,
                                                  binding.toolkit.version, binding.notes);
  return exit_fine;
}

/// What to write, and where.
struct Aim {
  std::string directory;
  bool view = false; // a view of the toolkit that contains the binding
  std::optional<Asked> capabilities = {};
  std::optional<PackOptions> archive = {};
  std::string slices = {};                  // directory of the slices, absolute; empty: none are used
  bool is_new = true;                       // no build uses it yet: print how to
  std::optional<GpuPolicy> gpu_policy = {}; // nothing: the configuration's
};

/// Creates the directory, so that a wrong one is refused before a build uses it.
Result<void> make_slice_store(const Context& context, const std::string& directory) {
  if (!context.files.status(context.tree.programs + "/nvcc-slices"))
    return tl::unexpected(options::absent_component("hostpin bind --slices", "devicecode"));
  if (const auto made = make_trusted_directories(directory); !made)
    return failure(made.error().message,
                   "name a directory that only you can write to: hostpin bind --slices");
  return {};
}

int bind_directory(const Context& context, const Request& request, const Aim& aim) {
  return with_survey(context, for_decision(request), [&](const Survey& survey, const SurveyInputs& inputs) {
    auto binding = bind::resolve(survey, inputs);
    if (binding && aim.capabilities)
      if (const int code = add_capabilities(context, *aim.capabilities, *binding); code != exit_fine)
        return code;
    if (!binding) {
      report(binding.error());
      return code_of_refusal(survey);
    }
    if (const auto followed = add_gpu_policy(aim.gpu_policy, *binding); !followed) {
      report(followed.error());
      return exit_broken;
    }
    binding->plan.view = aim.view;
    binding->plan.tree = !aim.view && binding->plan.tree;
    binding->plan.slices = aim.slices;
    if (const auto store = aim.slices.empty() ? Result<void>() : make_slice_store(context, aim.slices);
        !store) {
      report(store.error());
      return exit_broken;
    }
    bind::record_identity(*binding, context.environment, context.files, context.processes);
    const int code = write(context, aim.directory, *binding);
    if (code == exit_fine)
      report_named_host(context, aim.directory);
    if (code == exit_fine && aim.archive)
      return pack_bound(context, *binding, aim.directory, *aim.archive);
    if (code == exit_fine && aim.is_new)
      fmt::print("\nnext: {}\n", next_command(context.program, aim.directory, *binding));
    return code;
  });
}

std::optional<Asked> asked_by(const BindOptions& options) {
  if (!options.capabilities)
    return std::nullopt;
  return Asked{*options.capabilities, !options.no_forward_compatibility};
}

/// The recorded request of a directory, with newly named values replacing the old ones.
Request renamed(Request recorded, const Request& given) {
  if (given.toolkit) {
    recorded.toolkit = given.toolkit;
    recorded.toolkit_by = given.toolkit_by;
  }
  if (given.stdenv) {
    recorded.stdenv = given.stdenv;
    recorded.stdenv_by = given.stdenv_by;
  }
  if (given.host) {
    recorded.host = given.host;
    recorded.host_by = given.host_by;
  }
  if (given.target) {
    recorded.target = given.target;
    if (!given.stdenv)
      recorded.stdenv.reset();
  }
  if (given.sysroot)
    recorded.sysroot = given.sysroot;
  recorded.allow_unsupported |= given.allow_unsupported;
  for (const std::string& library : given.allowed_libraries)
    if (std::find(recorded.allowed_libraries.begin(), recorded.allowed_libraries.end(), library) ==
        recorded.allowed_libraries.end())
      recorded.allowed_libraries.push_back(library);
  recorded.config.reset(); // the file may have changed since
  return recorded;
}

Aim aim_of(const BindOptions& options) {
  Aim aim{options.directory,           options.view,
          asked_by(options),           {},
          options.slices.value_or(""), !options.refresh && !options.is_step};
  if (options.enforce || options.no_enforce)
    aim.gpu_policy = options.enforce ? GpuPolicy::enforce : GpuPolicy::as_named;
  if (options.pack)
    aim.archive = PackOptions{*options.pack, options.with};
  return aim;
}

int refresh_directory(const Context& context, const BindOptions& options) {
  // The request names programs that are run: another directory may be at the path since it was judged.
  const auto recorded = bind::read_recorded(OwnFiles(), bound_room(context.files, options.directory));
  if (recorded) {
    Aim aim = aim_of(options);
    if (!aim.capabilities && recorded->capabilities)
      aim.capabilities = Asked{recorded->capabilities->list, recorded->capabilities->forward_compatible};
    if (!aim.gpu_policy && recorded->capabilities)
      aim.gpu_policy = recorded->capabilities->named_policy;
    if (!options.slices)
      aim.slices = recorded->slices;
    Request request = renamed(recorded->request, options.request);
    if (options.policy)
      request.policy = *options.policy;
    if (options.run_path)
      request.run_path = *options.run_path;
    return bind_directory(context, request, aim);
  }
  report(recorded.error());
  return exit_broken;
}

std::string absolute_path(const std::string& name) {
  std::error_code error;
  const auto path = std::filesystem::absolute(name, error).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).string();
}

/// Calls through a directory find it by its real path. unfit_for_view() checks views.
std::optional<Error> unfit_for_shell(const std::string& directory) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(directory, error);
  const std::string path = error ? directory : real.string();
  if (survives_the_shell(path))
    return std::nullopt;
  return Error{fmt::format("{} cannot be bound: nvcc passes the path of its host compiler, {}, to a shell "
                           "unescaped; nothing was written",
                           escaped(directory), escaped(path + "/c++")),
               "name a directory without \" $ ` \\ and line ends in its path"};
}

/// Keeps an existing view a view, also if its subdirectory is named.
void recognise_view(const Context& context, BindOptions& options) {
  const std::string room = bound_room(context.files, options.directory);
  const auto recorded = bind::read_recorded(context.files, room);
  if (!recorded || !recorded->view)
    return;
  options.view = true;
  if (room == options.directory)
    options.directory = std::filesystem::path(room).parent_path().string();
}

int bind(const Context& context, const BindOptions& options) {
  if (options.directory.empty()) {
    report({"bind needs the directory to write to", "for example: " + context.program + " bind toolchain"});
    return exit_broken;
  }
  if (options.pack)
    if (const auto wrong = without_archive_name(*options.pack)) {
      report(*wrong);
      return exit_broken;
    }
  BindOptions absolute = options;
  absolute.directory = absolute_path(options.directory);
  if (options.pack)
    absolute.pack = absolute_path(*options.pack);
  if (options.slices && !options.slices->empty())
    absolute.slices = absolute_path(*options.slices);
  for (std::string& path : absolute.with)
    path = absolute_path(path);
  if (options.request.sysroot)
    absolute.request.sysroot = absolute_path(*options.request.sysroot);
  // Before anything is read there: a recorded request names programs.
  if (const auto safe = bind::nobody_else_writes_to(absolute.directory); !safe) {
    report(safe.error());
    return exit_broken;
  }
  recognise_view(context, absolute);
  if (absolute.view && options.pack) {
    report({"a toolkit view cannot be packed: it consists of links into a toolkit of this machine",
            "pack a bound directory that is not a view: " + context.program +
                " bind --pack toolchain.tar.zst toolchain"});
    return exit_broken;
  }
  if (!absolute.view)
    if (const auto wrong = unfit_for_shell(absolute.directory)) {
      report(*wrong);
      return exit_broken;
    }
  if (options.refresh)
    return refresh_directory(context, absolute);
  if (!options.capabilities)
    if (const auto recorded =
            bind::read_recorded(context.files, bound_room(context.files, absolute.directory));
        recorded && recorded->capabilities)
      report_note(fmt::format("{} was bound for the GPUs {}, and the new binding has none: name them "
                              "with --capabilities, or preserve them with --refresh",
                              options.directory, gpus::visible(recorded->capabilities->list, 200)));
  absolute.request.policy = options.policy.value_or("");
  absolute.request.run_path = options.run_path.value_or("");
  return bind_directory(context, absolute.request, aim_of(absolute));
}

} // namespace

int run_bind(const Context& context, const BindOptions& options) {
  return run_and_commit(context, [&](const Context& inner) { return bind(inner, options); });
}

} // namespace hostpin::command
