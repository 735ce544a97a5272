// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/judge/judge.hpp"
#include "hooks/wheel/judge/preloads.hpp"
#include "toolchains/base/path_text.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace hostpin::wheel {

namespace {

using leak::Finding;
using leak::Rule;
using leak::Severity;

// Directories that no machine has: of a system's libraries, and of a toolkit that a machine may have.
constexpr std::string_view system_directory = "/.system/", toolkit_directory = "/.toolkit/";

std::string way_from(const std::string& file, const std::string& library) {
  return loader::run_path_to(directory_of(library), file);
}

/// What a process has loaded: names that are served from it, and the shared CUDA runtimes, by path.
struct Loaded {
  std::map<std::string, std::string, std::less<>> names; ///< with paths; the first file of a name serves it
  std::map<std::string, std::string> runtimes;           ///< path to release
  /// Likewise of those that it needs and does not find, which something else has to load.
  std::map<std::string, std::string> awaited;

  void add(const loader::LoadedImage& image, const SiteFile* file) {
    names.emplace(image.name.substr(image.name.rfind('/') + 1), image.path);
    if (!image.image.soname.empty())
      names.emplace(image.image.soname, image.path);
    if (file != nullptr && file->facts != nullptr && !file->facts->cuda_runtime.empty())
      runtimes.emplace(file->path, file->facts->cuda_runtime);
    else if (file != nullptr && file->facts == nullptr)
      if (const auto release = runtime_name(file->image.soname); !release.empty())
        runtimes.emplace(file->path, release);
  }
  void add(const Loaded& other) {
    names.insert(other.names.begin(), other.names.end());
    runtimes.insert(other.runtimes.begin(), other.runtimes.end());
  }
  static std::string runtime_name(const std::string& soname) {
    return soname.starts_with("libcudart.so.") ? soname : std::string();
  }
};

class LoadingJudge {
public:
  LoadingJudge(const Checked& checked, const Report& report)
      : wheel_(checked.wheel), site_(checked.site), required_(checked.required), tables_(checked.tables),
        report_(report), is_promised_(promised(checked.wheel, checked.tables.policies).has_value()),
        preloads_(checked.site, checked.required, checked.wheel.distribution()) {
    places_.directories = {std::string(system_directory)};
    places_.real_path = [this](const std::string& path) { return site_.real_path(path); };
    for (const ManylinuxPolicy& policy : tables_.policies)
      system_.insert(policy.libraries.begin(), policy.libraries.end());
  }

  void run() {
    for (const auto& [path, file] : site_.files())
      if (!file.member.empty() && file.facts->is_module)
        modules_.push_back(&file);
    import_others();
    for (const SiteFile* module : modules_)
      judge_file(*module, true);
    // Opened by name at run time, or by other packages: first what no other file of the wheel loads, whose
    // DT_RPATH also applies to what it loads.
    std::set<std::string, std::less<>> needed;
    for (const auto& [path, file] : site_.files())
      if (!file.member.empty())
        needed.insert(file.image.needed.begin(), file.image.needed.end());
    for (const bool also_needed : {false, true})
      for (const auto& [path, file] : site_.files())
        if (!file.member.empty() && !judged_.contains(path) &&
            (also_needed || (!needed.contains(file.image.soname) && !needed.contains(base_name(path)))))
          judge_file(file, false);
  }

private:
  void add(Rule rule, Severity severity, const SiteFile& file, const char* section, std::string reference,
           std::string resolved, std::string explanation, std::string fix = {}) {
    if (seen_.emplace(rule, file.path, reference).second)
      report_({rule, severity, in_wheel(wheel_, file.member, section), std::move(reference),
               std::move(resolved), std::move(explanation), std::move(fix)});
  }

  bool is_of_system(std::string_view name) const {
    return system_.contains(name) || name.starts_with("ld-linux");
  }

  /// A file of the site, one that every system has, or one of a toolkit.
  std::optional<binary::Image> read(const std::string& path, const binary::ElfKind& kind) const {
    const auto made = [&](std::string_view name) {
      binary::Image image;
      image.kind = kind;
      image.soname = name;
      return image;
    };
    if (path.starts_with(system_directory)) {
      const std::string_view name = std::string_view(path).substr(system_directory.size());
      return is_of_system(name) ? std::optional(made(name)) : std::nullopt;
    }
    if (path.starts_with(toolkit_directory)) {
      const std::string_view name = std::string_view(path).substr(toolkit_directory.size());
      return wheels_with(tables_.cuda_wheels, name).empty() ? std::nullopt : std::optional(made(name));
    }
    const SiteFile* const file = site_.file(path);
    return file == nullptr ? std::nullopt : std::optional(file->image);
  }

  /// What the loader adds to a process that has `before`: what is there by name is not searched for.
  loader::Closure load(const SiteFile& file, const loader::LoaderPlaces& places, const Loaded& before) const {
    const auto without = [&](binary::Image image) {
      std::erase_if(image.needed, [&](const std::string& name) { return before.names.contains(name); });
      return image;
    };
    return loader::load(file.path, without(file.image), places,
                        [&](const std::string& path) -> std::optional<binary::Image> {
                          auto image = read(path, file.image.kind);
                          return image ? std::optional(without(*std::move(image))) : std::nullopt;
                        });
  }

  Loaded loaded_by(const SiteFile& file) const {
    Loaded loaded;
    const loader::Closure closure = load(file, places_, {});
    for (const loader::LoadedImage& image : closure.images)
      loaded.add(image, site_.file(image.path));
    for (const loader::MissingLibrary& missing : closure.missing)
      if (const auto release = Loaded::runtime_name(missing.name); !release.empty())
        loaded.awaited.emplace(where(missing.name), release);
    return loaded;
  }

  /// The path of a library that no run path leads to; its name if it is nowhere.
  std::string where(const std::string& name) const {
    const auto there = site_.named(name);
    return there.empty() ? name : there.front()->path;
  }

  /// The modules of each required package, and of this wheel.
  void import_others() {
    std::map<std::string, Loaded> by_package;
    for (const auto& [path, file] : site_.files())
      if (file.member.empty() && file.facts != nullptr && file.facts->is_module &&
          required_.names.contains(file.distribution))
        by_package[file.distribution].add(loaded_by(file));
    for (const auto& [name, package] : required_.packages)
      for (const std::string& library : package->imported)
        if (const SiteFile* const file = site_.file(site_.root() + '/' + package->directory + '/' + library))
          by_package[name].add(loaded_by(*file));
    others_.assign(by_package.begin(), by_package.end());
    for (const SiteFile* module : modules_)
      own_.emplace_back(module, loaded_by(*module));
  }

  void judge_file(const SiteFile& file, bool is_module) {
    const loader::Closure alone = load(file, places_, {});
    for (const loader::LoadedImage& image : alone.images)
      if (const SiteFile* const one = site_.file(image.path)) // whose path has no `..` of a run path
        judged_.insert(one->path);
    for (const loader::MissingLibrary& missing : alone.missing)
      if (const SiteFile* const by = site_.file(alone.images[missing.needed_by].path);
          by != nullptr && !by->member.empty())
        judge_missing(*by, file, missing.name, is_module);
    judge_unmet(alone);
    judge_names(file, alone);
    if (is_module || file.facts->cuda_runtime.empty()) // a runtime that no module loads is not a second one
      judge_runtimes(file, alone);
    judge_functions(file, is_module);
    judge_system(file, alone);
    if (is_module || !in_modules_.contains(&file))
      judge_opened(file, alone);
    for (const loader::LoadedImage& image : alone.images)
      if (is_module)
        in_modules_.insert(site_.file(image.path));
  }

  /// Which package has loaded a library of that name when it was imported; empty: none.
  std::string loaded_before(const SiteFile& file, const std::string& name) const {
    for (const auto& [package, loaded] : others_)
      if (loaded.names.contains(name))
        return package;
    for (const auto& [module, loaded] : own_)
      if (module != &file && loaded.names.contains(name))
        return module->member;
    return {};
  }

  /// The directory of the Python code that has opened a library of that name; empty: none.
  std::string opened_before(const SiteFile& file, const std::string& name) {
    if (!file.image.interpreter.empty())
      return {}; // a program has a process of its own
    for (const Preload& preload : preloads_.before(file))
      if (preload.library != &file && loaded_by(*preload.library).names.contains(name))
        return preload.directory.substr(site_.root().size() + 1);
    return {};
  }

  void judge_missing(const SiteFile& by, const SiteFile& file, const std::string& name, bool is_module) {
    if (loader::is_of_driver(name))
      return;
    const Severity severe = is_module ? Severity::error : Severity::warning;
    const auto there = site_.named(name);
    if (there.empty()) {
      if (const CudaPackage* const package = package_with(tables_.packages, name))
        judge_missing_of(*package, by, name, severe);
      else if (wheels_with(tables_.cuda_wheels, name).empty())
        add(Rule::missing_library, is_promised_ ? severe : Severity::warning, by, ".dynamic", name, {},
            "No wheel that was named installs it" +
                std::string(is_promised_ ? ", and the manylinux policies do not promise it." : "."),
            "Pack it into the wheel: hostpin wheel repair -o dist " + shell_word(base_name(wheel_.path)) +
                ", or name the wheel that installs it with --with.");
      return; // NVIDIA's: requires-missing
    }
    const SiteFile& library = *there.front();
    const std::string way = way_from(by.path, library.path);
    const std::string fix =
        fmt::format("patchelf --add-rpath '{}' {}", way, shell_word(base_name(by.member)));
    if (const std::string opened = opened_before(file, name); !opened.empty())
      return add(Rule::order_dependent, Severity::note, by, ".dynamic", name, library.path,
                 "No run path leads there. Python code opens it by its path, which has to run before: " +
                     opened + "/*.py",
                 fix);
    const std::string first = loaded_before(file, name);
    if (!first.empty())
      add(Rule::order_dependent, Severity::warning, by, ".dynamic", name, library.path,
          "It is found only after " + first + " was imported.", fix);
    else
      add(Rule::run_path_missing, severe, by, ".dynamic", name, library.path,
          is_module ? "The import fails: no run path leads there."
                    : "No run path leads there, and no module of the wheel loads this file.",
          fix);
  }

  /// A package that is not required is a finding of requires-missing. A package whose release is not known
  /// may have the library.
  void judge_missing_of(const CudaPackage& package, const SiteFile& by, const std::string& name,
                        Severity severity) {
    const auto assumed = required_.packages.find(package.distribution);
    if (assumed != required_.packages.end())
      add(Rule::missing_library, severity, by, ".dynamic", name, {},
          fmt::format("{} {} does not install it.", package.distribution,
                      to_full_string(assumed->second->releases.back())),
          fmt::format("Require a release of {} that does, such as {}, or name its wheel with --with.",
                      package.distribution, to_full_string(package.releases.back())));
  }

  void judge_unmet(const loader::Closure& closure) {
    for (const loader::UnmetNeed& unmet : loader::unmet_needs(closure)) {
      const SiteFile* const by = site_.file(closure.images[unmet.image].path);
      const SiteFile* const library = site_.file(closure.images[unmet.library].path);
      if (by != nullptr && !by->member.empty() && library != nullptr && library->facts != nullptr)
        add(Rule::unmet_version_need, Severity::error, *by, ".gnu.version_r", unmet.version, library->path,
            "It needs " + unmet.version + " of " + unmet.needed_of +
                ", which the library that is loaded does not define.",
            "Build against the release of " + unmet.needed_of +
                " that the wheel requires, or require a newer one.");
    }
  }

  /// Functions of CUDA that none of the loaded libraries defines: alone, and after the import of each
  /// package.
  void judge_functions(const SiteFile& file, bool is_module) {
    judge_functions(file, is_module, {}, {});
    for (const auto& [package, loaded] : others_)
      judge_functions(file, is_module, package, loaded);
  }

  void judge_functions(const SiteFile& file, bool is_module, const std::string& package,
                       const Loaded& before) {
    const auto scope = scope_of(file, before);
    if (!scope)
      return;
    std::vector<const loader::CudaFunctions*> loaded;
    for (const SiteFile* const one : *scope)
      loaded.push_back(&one->facts->cuda);
    for (const SiteFile* const one : *scope) {
      if (one->member.empty())
        continue;
      const auto lacked =
          loader::lacked_functions(one->facts->cuda, loaded, [&](const std::string& function) {
            return is_elsewhere(function, *scope);
          });
      if (!lacked.empty())
        add_functions(*one, is_module, package, lacked, *scope);
    }
  }

  /// The files that a file's functions are looked up in; nothing if one of them is not found, hides them, or
  /// is only assumed.
  std::optional<std::vector<const SiteFile*>> scope_of(const SiteFile& file, const Loaded& before) const {
    const loader::Closure closure = load(file, places_, before);
    if (!loader::is_whole(closure))
      return std::nullopt;
    std::vector<const SiteFile*> scope;
    const auto put = [&](const std::string& path) {
      const SiteFile* const one = site_.file(path);
      if (one != nullptr && std::find(scope.begin(), scope.end(), one) == scope.end())
        scope.push_back(one);
    };
    for (const loader::LoadedImage& image : closure.images)
      put(image.path);
    for (std::size_t i = 0; i < scope.size(); ++i)
      for (const std::string& name : scope[i]->image.needed)
        if (const auto served = before.names.find(name); served != before.names.end())
          put(served->second);
    const bool is_known = std::all_of(scope.begin(), scope.end(), [](const SiteFile* one) {
      return one->facts != nullptr && !one->facts->hides_symbols;
    });
    return is_known ? std::optional(std::move(scope)) : std::nullopt;
  }

  /// Whether a library that another package may have loaded for all defines a function: a library of a name
  /// that no file of the scope serves.
  bool is_elsewhere(const std::string& function, const std::vector<const SiteFile*>& scope) const {
    return std::any_of(site_.files().begin(), site_.files().end(), [&](const auto& one) {
      const SiteFile& other = one.second;
      return other.facts != nullptr && other.facts->cuda.defined.contains(function) &&
             std::none_of(scope.begin(), scope.end(), [&](const SiteFile* file) {
               return !file->image.soname.empty() && file->image.soname == other.image.soname;
             });
    });
  }

  void add_functions(const SiteFile& file, bool is_module, const std::string& package,
                     const std::vector<std::string>& lacked, const std::vector<const SiteFile*>& scope) {
    std::string libraries;
    for (const SiteFile* const one : scope)
      if (one != &file && !one->facts->cuda.defined.empty())
        libraries += (libraries.empty() ? "" : ", ") + one->path;
    add(Rule::missing_function, is_module ? Severity::error : Severity::warning, file, ".dynsym",
        lacked.front(), libraries,
        fmt::format("No library that is loaded{} defines it{}.",
                    package.empty() ? "" : " after " + package + " was imported",
                    lacked.size() > 1 ? fmt::format(", and {} more", lacked.size() - 1) : ""),
        "Require the CUDA release that it was built with, or build it with the release that is required: "
        "hostpin bind DIR --toolkit RELEASE");
  }

  void judge_names(const SiteFile& file, const loader::Closure& closure) {
    for (const binary::VersionNeed& need : file.image.version_needs)
      if (std::find(file.image.needed.begin(), file.image.needed.end(), need.library) ==
          file.image.needed.end())
        judge_name(file, need.library, closure.serving(need.library) != nullptr);
  }

  void judge_name(const SiteFile& file, const std::string& library, bool is_loaded) {
    const std::string first = is_loaded ? std::string() : loaded_before(file, library);
    add(Rule::needed_and_version_names_differ,
        is_loaded       ? Severity::note
        : first.empty() ? Severity::error
                        : Severity::warning,
        file, ".gnu.version_r", library, {},
        is_loaded       ? "Another library loads it, so that the loader accepts the file."
        : first.empty() ? "The import fails."
                        : "The import fails unless it comes after " + first + " was imported.",
        names_fix(file, library));
  }

  /// Nothing versioned is needed from a NEEDED library of another spelling of the name (`libx-1a2b.so.1`):
  /// only NEEDED was renamed. Else the library was removed from NEEDED.
  static std::string names_fix(const SiteFile& file, const std::string& library) {
    const std::string stem = library.substr(0, library.find(".so"));
    std::vector<std::string> renamed;
    for (const std::string& needed : file.image.needed) {
      const bool is_alike = needed.starts_with(stem) && needed.size() > stem.size() &&
                            (needed[stem.size()] == '-' || needed[stem.size()] == '.');
      if (is_alike && std::none_of(file.image.version_needs.begin(), file.image.version_needs.end(),
                                   [&](const auto& need) { return need.library == needed; }))
        renamed.push_back(needed);
    }
    const std::string words = renamed.size() == 1 ? "--replace-needed " + library + ' ' + renamed.front()
                                                  : "--add-needed " + library;
    return (renamed.size() == 1 ? "Rename both, with patchelf 0.10 or later: patchelf "
                                : "Link it again, or add the library: patchelf ") +
           words + ' ' + shell_word(base_name_of(file));
  }

  static std::string base_name_of(const SiteFile& file) { return std::string(base_name(file.member)); }

  void judge_runtimes(const SiteFile& file, const loader::Closure& alone) {
    compare_runtimes(file, alone, {}, {});
    for (const auto& [package, loaded] : others_)
      if (!loaded.runtimes.empty()) // else it is as alone
        compare_runtimes(file, load(file, places_, loaded), package, loaded);
    for (const auto& [module, loaded] : own_)
      if (module != &file && !loaded.runtimes.empty())
        compare_runtimes(file, load(file, places_, loaded), module->member, loaded);
    for (const auto& [path, release] : loaded_by(file).runtimes)
      for (const auto& [module, loaded] : own_)
        for (const auto& [other, other_release] : loaded.awaited)
          if (other != path)
            add(Rule::second_cuda_runtime, Severity::warning, file, ".dynamic", std::string(base_name(path)),
                path,
                fmt::format(
                    "The process has {}, which is {} by its symbols. {} needs {}, which something else "
                    "has to load.",
                    path, release, module->member, other_release),
                runtime_fix());
    judge_runtimes_of_others(file);
  }

  /// A package that is installed next to the wheel, required or not, may load the runtime of the wheel of
  /// NVIDIA that it requires, also where no NEEDED leads there: JAX imports each plugin that is installed,
  /// and its plugins open the runtime by name.
  void judge_runtimes_of_others(const SiteFile& file) {
    const Loaded own = loaded_by(file);
    for (const auto& [ours, release] : own.runtimes)
      if (const SiteFile* const packed = site_.file(ours); packed != nullptr && !packed->member.empty())
        for (const auto& [path, other] : site_.files())
          if (other.member.empty() && other.facts != nullptr && !other.facts->cuda_runtime.empty() &&
              !own.names.contains(other.image.soname))
            if (const std::string user = user_of(other.distribution); !user.empty())
              add(Rule::second_cuda_runtime, Severity::warning, file, ".dynamic",
                  std::string(base_name(ours)), ours,
                  fmt::format(
                      "The process has {}, which is {} by its symbols. {} requires {}, and may load {}.",
                      ours, release, user, other.distribution, path),
                  runtime_fix());
  }

  /// A package other than the wheel's that requires a distribution, under an extra as well, and has code that
  /// can load it, which a metapackage has not; empty: none.
  std::string user_of(const std::string& distribution) const {
    for (const auto& [name, user] : site_.distributions())
      if (name != wheel_.distribution())
        for (const Requirement& one : user.requirements) {
          const auto names = named_by(one, tables_.cuda_wheels);
          if (std::find(names.begin(), names.end(), distribution) != names.end() &&
              site_.has_loading_code(name))
            return name;
        }
    return {};
  }

  std::string runtime_fix() const {
    return "Require NVIDIA's wheel instead: hostpin wheel repair -o dist --cuda wheels " +
           shell_word(base_name(wheel_.path));
  }

  /// `package`: what was imported before.
  void compare_runtimes(const SiteFile& file, const loader::Closure& closure, const std::string& package,
                        const Loaded& before) {
    Loaded all = before;
    for (const loader::LoadedImage& image : closure.images)
      all.add(image, site_.file(image.path));
    const std::string after = package.empty() ? "" : " after " + package + " was imported";
    if (all.runtimes.size() > 1 && all.runtimes.size() > before.runtimes.size()) {
      const auto first =
          before.runtimes.empty() ? all.runtimes.begin() : all.runtimes.find(before.runtimes.begin()->first);
      for (const auto& [path, release] : all.runtimes)
        if (path != first->first && !before.runtimes.contains(path))
          add(Rule::second_cuda_runtime, Severity::error, file, ".dynamic", std::string(base_name(path)),
              path,
              fmt::format("The process{} has {}, which is {} by its symbols, and {} ({}).", after, path,
                          release, first->first, first->second),
              runtime_fix());
    }
    for (const loader::LoadedImage& image : closure.images)
      if (const SiteFile* const one = site_.file(image.path);
          one != nullptr && !one->member.empty() && one->facts->has_static_runtime && !all.runtimes.empty())
        add(Rule::runtime_of_its_own, Severity::note, *one, ".rodata",
            std::string(base_name(all.runtimes.begin()->first)), all.runtimes.begin()->first,
            "The process" + after + " has the shared one too.",
            "Compile it with nvcc -cudart shared and require NVIDIA's wheel of the runtime.");
  }

  void judge_opened(const SiteFile& file, const loader::Closure& alone) {
    for (const loader::LoadedImage& image : alone.images)
      if (const SiteFile* const by = site_.file(image.path))
        for (const std::string& name : by->opened)
          if (!finds_opened(file, *by, name))
            add_opened(file, *by, name);
  }

  /// The loader searches for what a library opens by name as for what it needs.
  bool finds_opened(const SiteFile& file, const SiteFile& by, const std::string& name) const {
    const auto with = [&](const std::string& path, binary::Image image) {
      if (site_.file(path) == &by)
        image.needed.push_back(name);
      return image;
    };
    const auto closure =
        loader::load(file.path, with(file.path, file.image), places_,
                     [&](const std::string& path) -> std::optional<binary::Image> {
                       auto image = read(path, file.image.kind);
                       return image ? std::optional(with(path, *std::move(image))) : std::nullopt;
                     });
    return closure.serving(name) != nullptr;
  }

  /// An error only where nothing has it: Python code may open it before.
  void add_opened(const SiteFile& file, const SiteFile& by, const std::string& name) {
    const auto there = site_.named(name);
    const std::string text = std::string(base_name(by.path)) + " opens it by name, and ";
    if (!by.member.empty())
      return add(Rule::opened_library, there.empty() && is_promised_ ? Severity::error : Severity::warning,
                 by, ".rodata", name, there.empty() ? std::string() : there.front()->path,
                 text + (there.empty() ? "no wheel that was named installs it." : "no run path leads there."),
                 "Pack it, and load it before: hostpin wheel repair -o dist --cuda bundle " +
                     shell_word(base_name(wheel_.path)));
    const std::string path = file.image.runpath.value_or(file.image.rpath.value_or("$ORIGIN"));
    add(Rule::opened_library, Severity::note, file, ".dynamic", name,
        there.empty() ? std::string() : there.front()->path,
        text + "has no run path that leads there; a DT_RUNPATH of what loads it does not count, a DT_RPATH "
               "does.",
        fmt::format("Open it before with ctypes, or: patchelf --force-rpath --set-rpath '{}' {}", path,
                    shell_word(base_name_of(file))));
  }

  /// With a toolkit in ld.so.conf, and in LD_LIBRARY_PATH.
  void judge_system(const SiteFile& file, const loader::Closure& alone) {
    for (const bool by_environment : {false, true}) {
      loader::LoaderPlaces places = places_;
      if (by_environment)
        places.library_path = {std::string(toolkit_directory)};
      else
        places.directories.emplace_back(toolkit_directory);
      judge_shadows(file, alone, load(file, places, {}), by_environment);
    }
  }

  void judge_shadows(const SiteFile& file, const loader::Closure& alone, const loader::Closure& with,
                     bool by_environment) {
    std::string of_wheel; // a library of CUDA that is still the wheels'
    for (const loader::LoadedImage& image : with.images)
      if (!image.path.starts_with(toolkit_directory) &&
          !wheels_with(tables_.cuda_wheels, image.image.soname).empty())
        of_wheel = image.image.soname;
    for (const loader::LoadedImage& image : with.images) {
      if (!image.path.starts_with(toolkit_directory) || site_.named(image.name).empty())
        continue;
      const SiteFile* const by = site_.file(with.images[image.loaded_by.value_or(0)].path);
      if (by == nullptr)
        continue;
      const bool is_mixed = !of_wheel.empty();
      // Every run path but DT_RPATH comes after LD_LIBRARY_PATH: worth knowing, and the user's choice.
      const Severity severity = by_environment && !is_mixed && alone.serving(image.name) != nullptr
                                    ? Severity::note
                                    : Severity::warning;
      add(Rule::system_shadows_wheel, severity, by->member.empty() ? file : *by, ".dynamic", image.name,
          site_.named(image.name).front()->path,
          fmt::format("With a CUDA toolkit in {}, the toolkit's {} is loaded{}.",
                      by_environment ? "LD_LIBRARY_PATH" : "ld.so.conf", image.name,
                      is_mixed ? " next to the wheel's " + of_wheel : ""),
          by_environment ? std::string("Tell users to run it with: env -u LD_LIBRARY_PATH python")
                         : fmt::format("patchelf --add-rpath '{}' {}",
                                       way_from(by->path, site_.named(image.name).front()->path),
                                       shell_word(base_name(by->path))));
    }
  }

  const WheelFile& wheel_;
  const Site& site_;
  const Required& required_;
  const Tables& tables_;
  const Report& report_;
  bool is_promised_;
  Preloads preloads_;
  loader::LoaderPlaces places_;
  std::set<std::string, std::less<>> system_;
  std::vector<const SiteFile*> modules_;
  std::vector<std::pair<std::string, Loaded>> others_;        ///< by package
  std::vector<std::pair<const SiteFile*, Loaded>> own_;       ///< by module
  std::set<const SiteFile*> in_modules_;                      ///< what modules load
  std::set<std::string> judged_;                              ///< paths that some module loads
  std::set<std::tuple<Rule, std::string, std::string>> seen_; ///< of findings: rule, file, reference
};

} // namespace

void judge_loading(const Checked& checked, const Report& report) {
  LoadingJudge(checked, report).run();
}

} // namespace hostpin::wheel
