// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/finding/rules.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace hostpin::leak {

namespace {

constexpr std::array table = {
    RuleText{Rule::forbidden_runpath, "forbidden-runpath", Severity::error,
             "A RUNPATH or RPATH entry leads into a directory that must not be needed at run time, such as "
             "the host compiler's: its libraries are loaded instead of the right ones, and it becomes a "
             "dependency.",
             "Link without -rpath to that directory, or let hostpin leak-check --fix remove the entry."},
    RuleText{Rule::forbidden_reference, "forbidden-reference", Severity::error,
             "A path that must not be needed after the build occurs in a built file; the severity depends on "
             "where.",
             "Find what wrote it there (a flag, a generated file, an option string stored in a section) and "
             "give it the right path."},
    RuleText{
        Rule::wrong_libstdcxx, "wrong-libstdcxx", Severity::error,
        "The loader would load a libstdc++ or libgcc_s that is not the stdenv's.",
        "Link with the stdenv's compiler driver (hostpin's c++ does), or give the program a RUNPATH to the "
        "stdenv's library with patchelf --set-rpath."},
    RuleText{Rule::unmet_version_need, "unmet-version-need", Severity::error,
             "A symbol version that is needed is not defined by the library that would be loaded, so the "
             "program does not start.",
             "Load a newer library (a RUNPATH to the stdenv's), or build the object that needs it with an "
             "older compiler.",
             true},
    RuleText{
        Rule::missing_library, "missing-library", Severity::error,
        "A NEEDED library is not on the loader's search path, or that path is not known.",
        "Install it with the program, add its directory with patchelf --add-rpath, or write an exception if "
        "the machine that runs it provides it; for a library in the tree the finding names the run path.",
        true},
    RuleText{
        Rule::two_cuda_runtimes, "two-cuda-runtimes", Severity::error,
        "Two shared CUDA runtimes (libcudart) would be loaded into one process, of two releases or the "
        "same one twice under two names; kernels, device variables and the current device of one are "
        "unknown to the other.",
        "Build all libraries of the program with one CUDA release and let them load one libcudart; leave it "
        "out of a wheel whose dependencies contain it (auditwheel repair --exclude libcudart.so.<major>)."},
    RuleText{
        Rule::own_static_and_shared_cudart, "own-static-and-shared-cudart", Severity::warning,
        "One of your files is linked with libcudart statically, and another file of the same program needs "
        "the shared one.",
        "Compile with one of -cudart shared and -cudart static throughout."},
    RuleText{
        Rule::cuda_stub_runpath, "cuda-stub-runpath", Severity::error,
        "RUNPATH leads to the toolkit's stubs. They replace the driver at link time only; if one is loaded, "
        "every call fails.",
        "Give the linker -L<toolkit>/lib64/stubs without a matching -rpath, or let hostpin leak-check --fix "
        "remove the entry."},
    RuleText{
        Rule::vendored_driver, "vendored-driver", Severity::error,
        "A library of the NVIDIA driver (libcuda, libnvidia-*) is among the built files; it must match the "
        "kernel module of the machine that runs it.",
        "Leave it out and let the loader find the machine's library.", true},
    RuleText{Rule::cuda_compat_order, "cuda-compat-order", Severity::error,
             "The driver's directory comes before that of cuda_compat in RUNPATH, or cuda_compat's is not in "
             "it, so that cuda_compat is never used.",
             "Put the cuda_compat directory first, as hostpin leak-check --fix does."},
    RuleText{Rule::driver_runpath, "driver-runpath", Severity::warning,
             "A program that opens the CUDA driver has no RUNPATH to the directory where this system has it.",
             "Let hostpin leak-check --fix add the driver's directory as the last entry, or patchelf "
             "--add-rpath."},
    RuleText{Rule::build_directory, "build-directory", Severity::error,
             "The build directory occurs in a built file; if the loader or a build reads it, anybody who can "
             "write there decides what runs.",
             "Install with cmake --install, which removes it from run paths, or let hostpin leak-check --fix "
             "remove it from run paths and linker options; compile with -ffile-prefix-map for strings."},
    RuleText{Rule::host_path_from_store, "host-path-from-store", Severity::error,
             "A file of a package store refers to a directory of the system that hosts the store.",
             "Name the store's library or tool where the path was configured."},
    RuleText{Rule::foreign_static_libstdcxx, "foreign-static-libstdcxx", Severity::warning,
             "A libstdc++ other than the stdenv's was linked statically: one process may have two runtimes.",
             "Link without -static-libstdc++."},
    RuleText{Rule::runpath_not_a_directory, "runpath-not-a-directory", Severity::error,
             "A RUNPATH entry names a file; the loader looks for libraries below it and finds none.",
             "Replace it by the directory of that file, as hostpin leak-check --fix does if that directory "
             "exists."},
    RuleText{Rule::needed_and_version_names_differ, "needed-and-version-names-differ", Severity::error,
             "Symbol versions are needed from a library that is not NEEDED, as after a rename that changed "
             "only one of the two; the loader refuses such a file.",
             "Link it again. If NEEDED has another name of that library, run patchelf --replace-needed with "
             "the two "
             "names: since 0.10 it renames both. If it was removed, run patchelf --add-needed.",
             true},
    RuleText{
        Rule::dangling_runpath, "dangling-runpath", Severity::warning,
        "A RUNPATH entry names a directory that does not exist; anybody who can create it decides what is "
        "loaded.",
        "Remove it with patchelf --set-rpath if no machine that runs this has such a directory, or make it "
        "relative to $ORIGIN."},
    RuleText{
        Rule::foreign_machine, "foreign-machine", Severity::error,
        "A file is for another processor, class or byte order than the binding's target, or a library is "
        "found only as such a file: the loader skips it.",
        "Build it with the binding, or leave it out; write an exception for programs that are meant for "
        "another machine, such as tools that a later build runs.",
        true},
    RuleText{Rule::executable_stack, "executable-stack", Severity::error,
             "A shared library requests an executable stack, as `ld -r -b binary` and assembly without "
             ".note.GNU-stack cause it: since glibc 2.41 no running process can open it.",
             "Link it with -Wl,-z,noexecstack.", true},
    RuleText{Rule::misaligned_segment, "misaligned-segment", Severity::error,
             "A segment is not aligned to pages, as llvm-strip after patchelf causes it: no loader can map "
             "the file, or, where the alignment alone is less than a page, none before glibc 2.35 does.",
             "Link it again without -z max-page-size, and strip it before patchelf changes it.", true},
    RuleText{Rule::loader_refuses, "loader-refuses", Severity::error,
             "Headers or tables of the file fail a check of glibc's loader, in all releases or some: its "
             "message is the reference.",
             "Build or fetch it again: what changed the file after its link has damaged it.", true},
    RuleText{
        Rule::missing_function, "missing-function", Severity::error,
        "A file needs a function of CUDA that the library which is loaded does not define: loading it or the "
        "first call fails.",
        "Build it with the CUDA release that is loaded, or load a release that has all functions.", true},
    // Of `hostpin wheel`.
    RuleText{
        Rule::tag_below_needs, "tag-below-needs", Severity::error,
        "The wheel's platform tag promises that it runs on systems on which it, or a wheel that it requires, "
        "does not load.",
        "Build in the image of that policy, or rename the wheel to the policy that its needs fit.", true},
    RuleText{
        Rule::tag_names_differ, "tag-names-differ", Severity::warning,
        "Name, version or tags in the file name are not those in the wheel's metadata: installers compare "
        "the name and version, and tools that read WHEEL take the wheel for another one.",
        "Rename it with `python -m wheel tags`, which changes both.", true},
    RuleText{Rule::policy_version, "policy-version", Severity::error,
             "A file needs a symbol version that the systems of the wheel's manylinux policy do not have.",
             "Build it with that policy's toolchain; hostpin stdlib-probe why names the line that needs it.",
             true},
    RuleText{
        Rule::record_incomplete, "record-incomplete", Severity::error,
        "RECORD does not list exactly the files of the wheel with their hashes and sizes: installers that "
        "verify it refuse the wheel, and others leave files behind when they uninstall it.",
        "Pack it again with `python -m wheel unpack` and `python -m wheel pack`, which write RECORD.", true},
    RuleText{
        Rule::run_path_leaves_site, "run-path-leaves-site", Severity::error,
        "A run path leads out of the directory that wheels are installed to, such as into one of the machine "
        "that built it: anybody who can create it there decides what is loaded.",
        "Set one that begins with $ORIGIN with patchelf --set-rpath before the wheel is packed.", true},
    RuleText{Rule::run_path_missing, "run-path-missing", Severity::error,
             "A library is installed by this wheel or one that it requires, and the loader does not find it: "
             "nothing leads there.",
             "Add its directory with patchelf --add-rpath before the wheel is packed.", true},
    RuleText{
        Rule::opened_library, "opened-library", Severity::error,
        "A library opens another one by name while it runs, and the loader does not find it: without its "
        "builtins NVRTC compiles nothing.",
        "Pack both with hostpin wheel repair, or give what loads it a DT_RPATH to their directory.", true},
    RuleText{Rule::order_dependent, "order-dependent", Severity::warning,
             "A library is found only if another package or module was imported before: its loader has it "
             "already.",
             "Add its directory with patchelf --add-rpath before the wheel is packed.", true},
    RuleText{Rule::requires_missing, "requires-missing", Severity::error,
             "A library comes from a wheel that this one does not require: pip does not install it.",
             "Add the distribution to the wheel's dependencies.", true},
    RuleText{
        Rule::requires_loose, "requires-loose", Severity::warning,
        "A requirement has no upper bound, and a later major release has libraries of other names, or it "
        "admits "
        "releases that do not have a function yet.",
        "Require the first release with all functions that are used, and less than the next major release.",
        true},
    RuleText{
        Rule::requires_wrong_major, "requires-wrong-major", Severity::error,
        "The releases that a requirement admits have the library under another name than the one needed.",
        "Require the releases of the CUDA major that the wheel was built with.", true},
    RuleText{
        Rule::requires_too_old, "requires-too-old", Severity::error,
        "No release that a requirement admits has a function that the wheel uses: the import or the first "
        "call fails.",
        "Require the first release with all functions that are used.", true},
    RuleText{
        Rule::second_cuda_runtime, "second-cuda-runtime", Severity::error,
        "One process would load two CUDA runtimes, whatever their names: kernels, device variables and the "
        "current device of one are unknown to the other.",
        "Leave libcudart out of the wheel (auditwheel repair --exclude 'libcudart.so.*') and require "
        "NVIDIA's wheel of it.",
        true},
    RuleText{
        Rule::runtime_of_its_own, "runtime-of-its-own", Severity::note,
        "A file contains the static CUDA runtime, next to the shared one that a wheel it requires loads: "
        "streams and memory can be shared, device variables and the runtime's state cannot.",
        "Compile with -cudart shared.", true},
    RuleText{
        Rule::system_shadows_wheel, "system-shadows-wheel", Severity::warning,
        "A CUDA toolkit of the machine, in ld.so.conf or LD_LIBRARY_PATH, is loaded in place of the wheel "
        "that was required, in another release or only for some of the libraries.",
        "Add the directory of the required wheel with patchelf --add-rpath, and tell users to unset "
        "LD_LIBRARY_PATH.",
        true},
    RuleText{
        Rule::driver_floor, "driver-floor", Severity::error,
        "The wheel needs a newer NVIDIA driver than the one that it has to run with.",
        "Build with an older CUDA major. If the driver only lacks zstd, compile with -Xfatbin -compress-all "
        "-compress-mode=speed.",
        true},
    RuleText{Rule::gpu_missing, "gpu-missing", Severity::error,
             "A file has no device code that was compiled for a GPU of the list. Code for another GPU of its "
             "family, or "
             "PTX, may run there.",
             "Compile for that GPU as well.", true},
    RuleText{Rule::gpu_surplus, "gpu-surplus", Severity::warning,
             "A file has device code that was not asked for, which costs its size.",
             "Remove it with hostpin fatbin slim before the wheel is packed.", true},
    RuleText{
        Rule::too_large, "too-large", Severity::error, "The wheel is larger than its budget.",
        "Compile for fewer GPUs, with -compress-mode=size, or require NVIDIA's wheels instead of packing "
        "their libraries.",
        true},
    RuleText{Rule::torch_abi, "torch-abi", Severity::error,
             "A file needs a function of PyTorch that the PyTorch it is installed with does not have: it was "
             "built against another release, or with the other _GLIBCXX_USE_CXX11_ABI.",
             "Build against the PyTorch that the wheel requires, and require that release.", true},
    RuleText{Rule::variant_claims_other_code, "variant-claims-other-code", Severity::error,
             "The properties of a variant wheel name a GPU that it has no code for, an older driver than it "
             "needs, or nothing at all: installers go by them alone.",
             "Make the variants with `hostpin wheel split`, which proves their properties.", true},
    RuleText{Rule::not_reproducible, "not-reproducible", Severity::note,
             "The same sources give other bytes in the next build.",
             "Set SOURCE_DATE_EPOCH, and strip with -s or compile with nvcc -objtemp.", true},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (static_cast<std::size_t>(table[i].rule) != i)
      return false;
  return true;
}
static_assert(in_order());

/// Leak-check's come before it.
constexpr Rule first_of_wheel = Rule::tag_below_needs;

} // namespace

std::span<const RuleText> rules() {
  return std::span(table).first(static_cast<std::size_t>(first_of_wheel));
}

std::vector<RuleText> rules_of(Tool tool) {
  const auto all = tool == Tool::wheel ? std::span<const RuleText>(table) : rules();
  std::vector<RuleText> chosen(all.begin(), all.end());
  if (tool == Tool::wheel)
    std::erase_if(chosen, [](const RuleText& one) { return !one.in_wheels; });
  return chosen;
}

const RuleText& text_of(Rule rule) {
  return table[static_cast<std::size_t>(rule)];
}

std::optional<Rule> rule_named(std::string_view name) {
  const auto own = rules();
  const auto found =
      std::find_if(own.begin(), own.end(), [&](const RuleText& text) { return text.name == name; });
  return found == own.end() ? std::nullopt : std::optional(found->rule);
}

} // namespace hostpin::leak
