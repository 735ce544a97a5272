// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/rules.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

namespace hostpin::redist {

namespace {

using enum Severity;

constexpr RuleText table[] = {
    {Rule::not_json, Scope::file, "not-json", error, "The file is not JSON, so no reader can use it.",
     "Get the file again; a download that was cut off or an HTML error page are the usual reasons."},
    {Rule::duplicate_key, Scope::file, "duplicate-key", error,
     "A key occurs twice in one object; most readers silently take the last one.",
     "Compare both with the published archives, and delete the wrong one."},
    {Rule::wrong_type, Scope::file, "wrong-type", error,
     "A value has another type than the format defines, or is missing, so readers fail or guess.",
     "Write the value as the format defines it."},
    {Rule::missing_label, Scope::file, "missing-label", warning,
     "The file has neither a release label nor a product, so only its name shows which release it is.",
     "Keep the file under the name and in the directory where it was published."},
    {Rule::label_mismatch, Scope::file, "label-mismatch", error,
     "The release label is not that of the file's name: one of them belongs to another release.",
     "Get the manifest of the release that you want again, under its own name."},
    {Rule::product_mismatch, Scope::file, "product-mismatch", error,
     "The product is not that of the directory, or of the manifest that a reduced one was made from, and "
     "URLs that "
     "are made from it do not exist.",
     "Use the name of the directory for URLs; make a reduced manifest again with `hostpin redist emit --for "
     "nixpkgs`."},
    {Rule::malformed_hash, Scope::file, "malformed-hash", error,
     "A hash is not of the form of its kind, so it matches no file.", "Compute it again from the archive."},
    {Rule::unsafe_path, Scope::file, "unsafe-path", error,
     "A path is absolute, leaves its directory, names another host or has characters that no archive's name "
     "has.",
     "Do not use the file; get it from its publisher again."},
    {Rule::archive_name, Scope::file, "archive-name", warning,
     "The archive's name does not begin with the package's, so tools that make one from the other do not "
     "find it.",
     "Take paths from the manifest instead of making them."},
    {Rule::version_in_name, Scope::file, "version-in-name", error,
     "The version in the archive's name is not the package's: one of them is of another release.",
     "Compare with the manifests of the releases before and after it."},
    {Rule::platform_in_path, Scope::file, "platform-in-path", warning,
     "The platform in the path is not the one under which the archive is listed.",
     "Check that the archive is for this platform before you use it."},
    {Rule::wrong_format, Scope::file, "wrong-format", error,
     "The archive's format is not the platform's: zip for Windows, compressed tar for the others.",
     "Check that the archive is for this platform before you use it."},
    {Rule::missing_variant, Scope::file, "missing-variant", warning,
     "The package lists a CUDA variant that this platform does not have.",
     "Select the variant for each platform by its entries."},
    {Rule::wrong_variant, Scope::file, "wrong-variant", error,
     "The archive is named for another CUDA variant than the one under which it is listed.",
     "Compare with the archives of the other variants."},
    {Rule::two_hashes, Scope::files, "two-hashes", error,
     "One path has two hashes: a file was replaced under its name, or one of the hashes is wrong.",
     "Compute the hash from the archive that is served, and lock that."},
    {Rule::mistaken_hash, Scope::files, "mistaken-hash", error,
     "Only the SHA-256 differs from another copy of the manifest, while MD5 and size agree: the hash is "
     "wrong, not the file.",
     "Use the manifest whose SHA-256 is that of the archive."},
    {Rule::duplicate_content, Scope::files, "duplicate-content", warning,
     "Several archives have the same content under different names.",
     "Fetch one of them; a store by hash has it once."},
    {Rule::replaced_manifest, Scope::files, "replaced-manifest", error,
     "The manifest is not the one that was locked: it was replaced under its name.",
     "Review the entries that changed, and lock again."},
    {Rule::two_labels, Scope::files, "two-labels", warning, "Two labels name one release of a product.",
     "Lock one of them; the label with more parts names one set of packages."},
    {Rule::lost_platform, Scope::files, "lost-platform", warning,
     "The product was published for this platform before, and is not in this release.",
     "Use the last release that has the platform."},
    {Rule::renamed_package, Scope::files, "renamed-package", warning,
     "A package of an earlier release is not in this one: renamed, split or gone.", "Use its new names."},
    {Rule::unknown_license, Scope::file, "unknown-license", warning,
     "The license is not one of those known here, or the archive has no license text.",
     "Read the text before you redistribute anything."},
    {Rule::top_directory, Scope::archives, "top-directory", error,
     "The archive's top directory is not its file name without the extension, so tools that expect this "
     "unpack it elsewhere.",
     "Unpack by the archive's real top directory."},
    {Rule::unsafe_member, Scope::archives, "unsafe-member", error,
     "A member leaves the directory, is a device or setuid, or two names differ only in case.",
     "Do not unpack the archive."},
    {Rule::wrong_machine, Scope::archives, "wrong-machine", error,
     "A program or library is for another machine than the platform's.",
     "Check the platform under which the archive is listed."},
    {Rule::soname_link, Scope::archives, "soname-link", error,
     "The link that the loader opens is missing, dangling, or leads to another library.",
     "Make the link named by the library's SONAME."},
    {Rule::cuda_directories, Scope::archives, "cuda-directories", warning,
     "The archive has libraries for several CUDA majors in directories of their own; one has to be selected.",
     "Select the directory of your toolkit's major."},
    {Rule::stub_as_library, Scope::archives, "stub-as-library", error,
     "The only libraries are stubs for linking, or a stub is among real libraries, where a loader may take "
     "it.",
     "Use stubs on link lines only, from a directory called stubs."},
    {Rule::wrong_version, Scope::archives, "wrong-version", error,
     "A version in the archive's headers or file names is not the package's.",
     "Compare with the manifests of the releases before and after it."},
    {Rule::missing_gpu_code, Scope::archives, "missing-gpu-code", warning,
     "A library has no machine code for a GPU of the list, or only PTX.",
     "Use the archive of the platform that this GPU belongs to, or another release."},
    {Rule::host_path, Scope::archives, "host-path", warning,
     "A file for build systems contains an absolute path of another machine.",
     "Let the tool that composes the tree rewrite it, or ignore the file."},
    {Rule::vendored_library, Scope::archives, "vendored-library", warning,
     "The archive brings copies of common libraries, which miss the fixes of the system's.",
     "Keep them off the search paths of other programs."},
    {Rule::executable_stack, Scope::archives, "executable-stack", error,
     "A shared library requests an executable stack: since glibc 2.41 no running process can open it.",
     "Use another release of the package."},
    {Rule::misaligned_segment, Scope::archives, "misaligned-segment", error,
     "A segment is not aligned to pages: no loader can map the file, or none before glibc 2.35 does.",
     "Use another release of the package."},
    {Rule::loader_refuses, Scope::archives, "loader-refuses", error,
     "Headers or tables of a program or library fail a check of glibc's loader.",
     "Get the archive again, or use another release of the package."},
    {Rule::path_conflict, Scope::tree, "path-conflict", error,
     "Two packages have different files at one path: the last one unpacked would win.",
     "Leave one of the packages out."},
    {Rule::missing_library, Scope::tree, "missing-library", error,
     "A needed library is in neither the tree, nor the C library, nor the NVIDIA driver.",
     "Add the package that has it."},
    {Rule::opened_library, Scope::tree, "opened-library", warning,
     "A library that is opened by name while the program runs is not in the tree.",
     "Add the package that has it, if the function is used."},
    {Rule::missing_header, Scope::tree, "missing-header", error,
     "A header includes another one that no package of the tree has.", "Add the package that has it."},
    {Rule::two_majors, Scope::tree, "two-majors", error,
     "The tree has two majors of one library, or a variant for another CUDA major.",
     "Leave one of them out."},
    {Rule::stub_on_run_path, Scope::tree, "stub-on-run-path", error,
     "A run path leads to stubs, which fail when the program runs.", "Use stubs on link lines only."},
    {Rule::compat_order, Scope::tree, "compat-order", error,
     "The compatibility libraries are not searched before the driver's, or are where they must not be used.",
     "Put their directory first, and only where the driver is older than the toolkit."},
    {Rule::unreachable_driver, Scope::tree, "unreachable-driver", error,
     "The shared CUDA runtime opens the driver's library itself, and a RUNPATH of the program does not apply "
     "to that.",
     "Link the static runtime, or use a DT_RPATH, as a binding does."},
    {Rule::newer_glibc, Scope::tree, "newer-glibc", error,
     "A library needs a newer C library than the one that it would be used with.",
     "Use an older release of the package, or a newer C library."},
    {Rule::driver_pkgconfig, Scope::tree, "driver-pkgconfig", warning,
     "The pkg-config file of the driver does not lead to the stubs, so linking fails without a driver.",
     "Add the directory of the stubs to its Libs."},
    {Rule::cmake_target, Scope::tree, "cmake-target", warning,
     "A CMake release in use does not know this target's directory, and silently takes another one.",
     "Compose the tree with the alias or for one target, as its layout describes."},
    {Rule::changed_file, Scope::tree, "changed-file", error,
     "A file is not that of its archive, or has another mode.",
     "Compose the tree again. If that does not help, the store has the changed file: delete its tree there "
     "and fetch "
     "again."},
    {Rule::changed_part, Scope::audit, "changed-part", error,
     "A file of NVIDIA's differs from what NVIDIA published.",
     "Take the original, and set the run path of what loads it, or have it fetched where it is installed."},
    {Rule::unproven_part, Scope::audit, "unproven-part", warning,
     "A file has NVIDIA's marks, and no original that it could be compared with is at hand.",
     "Name its originals: --toolkit, --site, or --lock with --store."},
    {Rule::linked_part, Scope::audit, "linked-part", note, "A file has code of NVIDIA's linked in.",
     "Read the license agreement of the part."},
    {Rule::unjudged_file, Scope::audit, "unjudged-file", warning,
     "A file was not read, so it is not known what it is.", "Make it readable, or name it by itself."},
};

static_assert(std::size(table) == static_cast<std::size_t>(Rule::unjudged_file) + 1);
static_assert([] {
  for (std::size_t index = 0; index < std::size(table); ++index)
    if (static_cast<std::size_t>(table[index].rule) != index)
      return false;
  return true;
}());

} // namespace

std::string_view to_string(Scope scope) {
  constexpr std::array<std::string_view, 5> names{"file", "files", "archives", "tree", "audit"};
  return names.at(static_cast<std::size_t>(scope));
}

std::span<const RuleText> rules() {
  return table;
}

const RuleText& text_of(Rule rule) {
  return table[static_cast<std::size_t>(rule)];
}

std::optional<Rule> rule_named(std::string_view name) {
  const auto found = std::ranges::find(table, name, &RuleText::name);
  return found == std::end(table) ? std::nullopt : std::optional(found->rule);
}

} // namespace hostpin::redist
