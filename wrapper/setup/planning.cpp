// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/setup/planning.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/binary/machine.hpp"
#include "toolchains/redist/facts.hpp"
#include "toolchains/setup/runtime.hpp"
#include "toolchains/table/distribution.hpp"
#include "toolchains/table/platforms.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/setup/choice.hpp"
#include "wrapper/setup/redist_choice.hpp"
#include "wrapper/setup/wheel_choice.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace hostpin::setup {

namespace {

/// A toolkit that is there: with what its gate says, and the C libraries that were compared with it.
ChosenToolkit judged_toolkit(const Toolkit& toolkit, const Survey& survey, const SurveyInputs& inputs) {
  return {toolkit, terms({&toolkit, 1}, survey, inputs).front().acceptance};
}

Result<ChosenToolkit> documented_toolkit(const Version& version, const Asked& asked, const Table& table) {
  ChosenToolkit chosen;
  chosen.toolkit.version = version;
  auto acceptance = documented_acceptance(version, table);
  if (acceptance)
    chosen.acceptance = *std::move(acceptance);
  else if (!asked.family)
    return tl::unexpected(acceptance.error());
  return chosen;
}

/// Chooses and describes the pieces of one plan.
class Planner {
public:
  Planner(const Survey& survey, const SurveyInputs& inputs, const Asked& asked, const ClientMaker& client)
      : survey_(survey), inputs_(inputs), asked_(asked), make_client_(client) {}

  Planned<Plan> plan(const LockMaker& lock, const WheelMaker& wheels) {
    if (!asked_.suites.empty()) // also where nothing of them is needed
      TRY(client());
    TRY(take_stdenv());
    plan_.stdenv = bind::label(stdenv_);
    plan_.machine = architecture_of(stdenv_.target);
    TRY_ASSIGN(const auto toolkit, asked_.source == Source::redist   ? from_lock(lock)
                                   : asked_.source == Source::wheels ? from_wheels(wheels)
                                                                     : any_toolkit(wheels));
    TRY(take_compiler(toolkit));
    return std::move(plan_);
  }

private:
  Result<PackageClient*> client() {
    auto made = make_client_();
    if (!made)
      return made;
    plan_.client = (*made)->name();
    TRY(check_suites(**made));
    return made;
  }

  /// The machine's, or else the default compiler of its own suite.
  Planned<void> take_stdenv() {
    if (survey_.stdenv) {
      stdenv_ = *survey_.stdenv;
      return {};
    }
    if (survey_.request.stdenv || inputs_.environment["CXX"])
      return tl::unexpected(without_stdenv());
    TRY_ASSIGN(const auto packages, client());
    if (!packages->brings_stdenv())
      return tl::unexpected(without_stdenv());
    if (asked_.family == Family::clang || inputs_.config.family == Family::clang)
      return failure("Clang cannot be fetched where there is no C++ compiler: the stdenv that is fetched is "
                     "GCC, whose libstdc++ a Clang does not find there",
                     "leave out --clang, or ask for g++ to be installed");
    return add_stdenv(*packages);
  }

  /// What is missing cannot be fetched, or is not what the user named.
  NoPlan without_stdenv() const {
    NoPlan error(survey_.stdenv.error(), survey_.request.stdenv_at.empty());
    if (survey_.request.stdenv || inputs_.environment["CXX"]) {
      if (error.hint.empty())
        error.hint = "programs are linked with that compiler: name one that works";
      return error;
    }
    const PackageName names = package_names(inputs_.table, distributions(inputs_.files));
    error.hint =
        fmt::format("with {} no C++ compiler can be fetched that links programs for this machine: ask for "
                    "{} to be installed, or name one with --stdenv",
                    plan_.client, names.main_gcc.empty() ? "gcc-c++" : names.main_gcc);
    return error;
  }

  Planned<void> add_stdenv(PackageClient& packages) {
    const std::string own = packages.suites().front();
    TRY_ASSIGN(const auto offer, packages.offer(own));
    if (!offer.main)
      return failure(fmt::format("the index of {} has no g++, which links programs where there is no C++ "
                                 "compiler",
                                 own),
                     "use a mirror of the distribution");
    const CompilerOffer& compiler = *offer.main;
    TRY_ASSIGN(auto files, packages.closure(own, compiler_packages(compiler)));
    plan_.pieces.push_back({Piece::Kind::stdenv,
                            "stdenv",
                            own,
                            offer.name,
                            compiler.version,
                            compiler.family,
                            compiler.major,
                            compiler.package,
                            "suite",
                            {},
                            reason_for_stdenv(),
                            std::move(files)});
    stdenv_ = described(compiler, offer.glibc);
    return {};
  }

  /// As the survey will describe it once it is there, as far as a choice depends on that.
  Compiler described(const CompilerOffer& offer, const Version& glibc) const {
    Compiler compiler;
    compiler.command = {driver_of(plan_.pieces.back(), asked_.directory)};
    compiler.family = offer.family;
    compiler.version = offer.version;
    compiler.target = binary::own_triple();
    compiler.glibc = glibc;
    compiler.c_library = "glibc";
    compiler.library.kind = "libstdc++";
    compiler.library.release = offer.major;
    return compiler;
  }

  std::string reason_for_stdenv() const {
    const std::string name = "libstdc++.so.6";
    const std::string here = machine_library(name, binary::own_triple(), {});
    return fmt::format(
        "{}; programs that it links run with this machine's C library and {}",
        survey_.stdenv.error().message.substr(0, survey_.stdenv.error().message.find_first_of(":\n")),
        here.empty() ? fmt::format("the {} of {}/stdenv, as there is none here", name, asked_.directory)
                     : std::string(base_name(here)));
  }

  /// A suite that is named but cannot be read would be skipped silently if another one has everything.
  Result<void> check_suites(PackageClient& client) const {
    const std::vector<std::string> suites = client.suites();
    std::vector<std::string> known;
    std::ranges::copy_if(suites, std::back_inserter(known), [&](const std::string& each) {
      return std::ranges::find(asked_.suites, each) == asked_.suites.end();
    });
    for (const std::string& each : asked_.suites) {
      const auto offer = std::ranges::find(suites, each) != suites.end()
                             ? client.offer(each)
                             : failure(client.name() + " does not take suites by name here");
      if (!offer)
        return failure(
            fmt::format("the suite {} that --suite names cannot be used: {}", each, offer.error().message),
            fmt::format("without --suite, these are searched: {}", fmt::join(known, ", ")));
    }
    return {};
  }

  Planned<ChosenToolkit> from_lock(const LockMaker& make_lock) {
    std::string platform;
    for (const Platform* const each : platforms_of(inputs_.table.platforms, stdenv_.target))
      if (platform.empty() && !each->jetson)
        platform = each->name;
    if (platform.empty())
      return failure("NVIDIA publishes no archives for " + stdenv_.target,
                     "take the toolkit from the distribution: --from distribution");
    auto lock = make_lock(platform);
    if (!lock)
      return tl::unexpected(lock.error());
    TRY_ASSIGN(auto piece,
               redist_piece(*lock, asked_.path.empty() ? "NVIDIA's manifest" : asked_.path, platform));
    const Version version = piece.version;
    plan_.lock = *std::move(lock);
    plan_.pieces.push_back(std::move(piece));
    return documented_toolkit(version, asked_, inputs_.table);
  }

  Planned<ChosenToolkit> from_wheels(const WheelMaker& find) {
    TRY_ASSIGN(auto piece, find());
    const Version version = piece.version;
    plan_.pieces.push_back(std::move(piece));
    return documented_toolkit(version, asked_, inputs_.table);
  }

  /// The release that the user names, where the distribution lacks it, or has no client here; else its error.
  Planned<ChosenToolkit> from_wheels_instead(NoPlan error, const WheelMaker& find) {
    if (asked_.source != Source::any || !asked_.cuda || !may_be_wheels(asked_))
      return tl::unexpected(std::move(error));
    plan_.client.clear();
    auto chosen = from_wheels(find);
    if (chosen)
      return chosen;
    error.message += "\n  wheels  " + chosen.error().message.substr(0, chosen.error().message.find('\n'));
    return tl::unexpected(std::move(error));
  }

  Planned<ChosenToolkit> any_toolkit(const WheelMaker& find_wheels) {
    if (const auto present = present_toolkit(survey_, asked_)) {
      plan_.toolkit = Found{"CUDA " + to_string(present->version), present->root, present->root};
      return judged_toolkit(*present, survey_, inputs_);
    }
    const auto packages = client();
    if (!packages)
      return from_wheels_instead(packages.error(), find_wheels);
    auto offered = choose_toolkit(**packages, asked_);
    if (!offered)
      return from_wheels_instead(offered.error(), find_wheels);
    ToolkitOffer& toolkit = *offered->suite.toolkit;
    TRY(add_libraries(toolkit, offered->suite.name));
    TRY_ASSIGN(auto files, (*packages)->only(offered->suite.suite, toolkit.packages));
    Piece piece{Piece::Kind::toolkit,
                "cuda",
                offered->suite.suite,
                offered->suite.name,
                toolkit.version,
                Family::other,
                0,
                {},
                {},
                toolkit.licence,
                {},
                std::move(files)};
    plan_.pieces.push_back(std::move(piece));
    return documented_toolkit(toolkit.version, asked_, inputs_.table);
  }

  /// What the user asks for by name, to what is fetched of a distribution's toolkit.
  Result<void> add_libraries(ToolkitOffer& toolkit, const std::string& suite) const {
    if (asked_.libraries.empty())
      return {};
    const auto facts = redist::load_facts(inputs_.files, inputs_.data);
    const auto wanted =
        facts ? library_packages(*facts, asked_.libraries, toolkit.version) : tl::unexpected(facts.error());
    if (!wanted)
      return tl::unexpected(wanted.error());
    for (const std::string& each : *wanted) {
      const std::size_t before = toolkit.packages.size();
      std::ranges::copy_if(toolkit.libraries, std::back_inserter(toolkit.packages),
                           [&](const std::string& package) { return package.starts_with(each); });
      if (toolkit.packages.size() == before)
        return failure(
            fmt::format("the packages of CUDA {} in {} have no {}", to_string(toolkit.version), suite, each),
            "leave it out of --libraries, or take NVIDIA's archives with --from redist");
    }
    return {};
  }

  bool fetches_stdenv() const { return plan_.piece(Piece::Kind::stdenv) != nullptr; }

  /// Whether the stdenv that is fetched compiles for the toolkit too, as hostpin bind would select it.
  bool is_stdenv_enough(const ChosenToolkit& toolkit) const {
    return fetches_stdenv() && (!asked_.family || asked_.major == stdenv_.version.major) &&
           stdenv_fits(stdenv_, toolkit, inputs_.table);
  }

  bool take_present_compiler(const ChosenToolkit& toolkit) {
    if (asked_.source == Source::distribution)
      return false;
    std::vector<Judgement> judged;
    for (const Compiler& compiler : survey_.compilers.compilers)
      judged.push_back(judge(compiler, toolkit.toolkit, toolkit.acceptance, inputs_.table));
    const auto usable = usable_compiler(stdenv_, judged, toolkit, asked_, inputs_.config.family);
    if (!usable)
      return false;
    // Headers of a toolkit that is not there cannot be compared yet; the table knows the newest C library.
    const NewestGlibc* const newest = inputs_.table.newest_glibc(toolkit.toolkit.version);
    if (!plan_.toolkit && newest != nullptr && usable->compiler.glibc > newest->glibc)
      return false;
    plan_.compiler = Found{bind::release_name(usable->compiler), usable->compiler.command.front(),
                           asked_.family ? usable->compiler.command.front() : ""};
    return true;
  }

  Planned<void> take_compiler(const ChosenToolkit& toolkit) {
    if (is_stdenv_enough(toolkit) || take_present_compiler(toolkit))
      return {};
    const auto packages = client();
    if (!packages)
      return tl::unexpected(elsewhere(packages.error(), toolkit));
    auto offered =
        choose_compiler(**packages, asked_, stdenv_, toolkit, inputs_.table, inputs_.config.family);
    if (!offered) // without a network, nothing comes from elsewhere either
      return tl::unexpected(offered.error().kind == ErrorKind::unavailable
                                ? NoPlan(elsewhere(offered.error(), toolkit), offered.error().nothing_fits)
                                : offered.error());
    if (offered->c_suite)
      TRY(add_headers(**packages, *offered->c_suite));
    return add_compiler(**packages, *offered);
  }

  /// Compilers from elsewhere bring C library headers, such as conda-forge's of 2.28.
  Error elsewhere(Error error, const ChosenToolkit& toolkit) const {
    Compiler imagined = stdenv_;
    imagined.glibc = Version{2, 28, 0};
    imagined.c_headers.clear();
    Acceptance acceptance = toolkit.acceptance;
    acceptance.libcs.clear();
    const Family family = asked_.family.value_or(inputs_.config.family.value_or(imagined.family));
    std::vector<int> majors = fitting_majors(family, imagined, toolkit.toolkit, acceptance, inputs_.table);
    if (asked_.family)
      std::erase_if(majors, [&](int major) { return major != asked_.major; });
    if (majors.empty())
      return error;
    const std::string& target = stdenv_.target;
    return with_other_sources(std::move(error),
                              {family, majors.front(), target.substr(0, target.find('-')), asked_.directory},
                              inputs_.environment);
  }

  Planned<void> add_compiler(PackageClient& packages, const OfferedCompiler& offered) {
    const CompilerOffer& compiler = offered.compiler;
    TRY_ASSIGN(auto files, packages.closure(offered.suite.suite, compiler_packages(compiler)));
    plan_.pieces.push_back({Piece::Kind::compiler,
                            fmt::format("compilers/{}-{}", to_string(compiler.family), compiler.major),
                            offered.suite.suite,
                            offered.suite.name,
                            compiler.version,
                            compiler.family,
                            compiler.major,
                            compiler.package,
                            fetches_stdenv() && offered.headers == "machine" ? "stdenv" : offered.headers,
                            {},
                            offered.why,
                            std::move(files)});
    return {};
  }

  Planned<void> add_headers(PackageClient& packages, const SuiteOffer& suite) {
    TRY_ASSIGN(auto files, packages.only(suite.suite, header_packages()));
    plan_.pieces.push_back({Piece::Kind::headers,
                            "headers",
                            suite.suite,
                            suite.name,
                            suite.glibc,
                            Family::other,
                            0,
                            {},
                            {},
                            {},
                            "the toolkit's headers clash with newer ones",
                            std::move(files)});
    return {};
  }

  const Survey& survey_;
  const SurveyInputs& inputs_;
  const Asked& asked_;
  const ClientMaker& make_client_;
  Compiler stdenv_; ///< that is here, or will be
  Plan plan_;
};

} // namespace

Error with_other_sources(Error error, const Wish& wish, const Environment& environment) {
  error.hint += error.hint.empty() ? "take" : "; or take";
  error.hint += fmt::format(
      " {} {} from elsewhere, and bind it:", wish.family == Family::clang ? "Clang" : "GCC", wish.major);
  for (const Advice& each : other_sources(wish, environment)) {
    error.hint += "\n  # " + each.name;
    for (const std::string& line : filled_parts(each.command, "\n"))
      error.hint += "\n  " + line;
  }
  return error;
}

std::optional<Toolkit> present_toolkit(const Survey& survey, const Asked& asked) {
  if (asked.source == Source::distribution || asked.source == Source::redist ||
      asked.source == Source::wheels)
    return std::nullopt;
  if (survey.toolkit && is_wanted(survey.toolkit->version, asked))
    return *survey.toolkit;
  for (const Toolkit& each : survey.toolkits.toolkits)
    if (is_wanted(each.version, asked))
      return each;
  return std::nullopt;
}

Result<Piece> redist_piece(const std::string& lock, const std::string& file, const std::string& platform) {
  TRY_ASSIGN(const auto read, redist::read_lock(lock, file));
  const auto nvcc = std::ranges::find_if(read.archives, [&](const redist::LockedArchive& each) {
    return each.package == "cuda_nvcc" && each.platform == platform;
  });
  if (nvcc == read.archives.end())
    return failure(
        fmt::format("{} has no cuda_nvcc for {}", file, platform.empty() ? "this machine" : platform),
        "lock one: hostpin redist lock MANIFEST --platforms " + (platform.empty() ? "PLATFORM" : platform) +
            " --packages cuda_nvcc,cuda_cudart,cuda_cccl");
  const auto version = parse_version(nvcc->version);
  const auto label = parse_version(nvcc->label);
  if (!version && !label)
    return failure(
        fmt::format("{}: cuda_nvcc has the version {}, which is none of CUDA", file, nvcc->version));
  Piece piece{Piece::Kind::toolkit,
              "cuda",
              "redist",
              "NVIDIA's archives",
              version ? *version : *label,
              Family::other,
              0,
              {},
              {},
              cuda_eula,
              {},
              {}};
  for (const redist::LockedArchive& each : read.archives)
    piece.packages.push_back({each.package, each.version, each.platform, each.path,
                              without_user(redist::url_of(read, each)), each.sha256, each.size.value_or(0)});
  return piece;
}

Planned<Plan> make_plan(const Survey& survey, const SurveyInputs& inputs, const Asked& asked,
                        const ClientMaker& client, const LockMaker& lock, const WheelMaker& wheels) {
  return Planner(survey, inputs, asked, client).plan(lock, wheels);
}

} // namespace hostpin::setup
