// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/view/view.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/toolkit/wheels.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace hostpin::view {

namespace {

// Prefixes of the names that belong to CUDA in a directory such as /usr/include, as the packages of Debian,
// Ubuntu and NVIDIA for CUDA 11 to 13 have them. A `.` or `_` at the end of a prefix keeps longer names out;
// the others begin no other package's name.

constexpr std::string_view toolkit_headers =
    "builtin_types.h cccl channel_descriptor.h common_functions.h cooperative_groups crt cuComplex.h cub "
    "cublas cuda cudnn cufft cufile cupti curand cusolver cusparse device_atomic_ device_double_ "
    "device_functions.h device_launch_ device_types.h driver_functions.h driver_types.h fatbinary "
    "generated_cuda generated_nvtx host_config.h host_defines.h library_types.h math_constants.h "
    "math_functions.h mma.h nccl npp nv_decode.h nvFatbin.h nvJitLink.h nvPTXCompiler.h nvToolsExt "
    "nvblas.h nvfunctional nvjpeg nvml.h nvperf nvrtc.h nvtx3 nvvm.h sm_ surface_ texture_ thrust "
    "vector_functions.h vector_types.h";

/// A directory that is called exactly `nv`; as a prefix it would match far too much.
constexpr std::string_view toolkit_header_directory = "nv";

constexpr std::string_view toolkit_libraries =
    "libaccinj libcheckpoint. libcublas libcudadevrt. libcudart libcudnn libcufft libcufile libcufilt. "
    "libcuinj libculibos libcupti libcurand libcusolver libcusparse libnccl libnpp libnvJitLink "
    "libnvToolsExt libnvblas libnvfatbin libnvgraph libnvjpeg libnvperf libnvptxcompiler libnvrtc "
    "libnvtx3 libnvvm. libpcsamplingutil";

constexpr std::string_view toolkit_programs =
    "__nvcc_device_query bin2c compute-sanitizer crt cu++filt cuda-gdb cuda-memcheck cudafe++ cuobjdump "
    "fatbinary ncu nsys nvcc.profile nvdisasm nvlink nvprof nvprune ptxas";

/// Compilers next to an nvcc (Debian, conda): a directory that is put on PATH must not contain them.
constexpr std::string_view foreign_compilers = "c++ c89 c99 cc clang clang++ cpp g++ gcc ld nvcc";

/// Whether the name is in a list that is separated by blanks.
bool is_one_of(std::string_view name, std::string_view list) {
  const std::vector<std::string> names = filled_parts(list, " ");
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool begins_like_one(std::string_view name, std::string_view beginnings) {
  const std::vector<std::string> all = filled_parts(beginnings, " ");
  return std::any_of(all.begin(), all.end(), [&](const std::string& one) { return name.starts_with(one); });
}

std::string real(const std::string& path, const Files& files) {
  return files.real_path(path).value_or(path);
}

bool has(const std::string& path, const Files& files) {
  return files.status(path).has_value();
}

/// Contains more than a toolkit: the C library or its headers, or a whole system.
bool is_shared(const std::string& directory, const Files& files) {
  return directory == "/" || directory == "/usr" || directory == "/usr/local" ||
         has(directory + "/stdio.h", files) || has(directory + "/libc.so.6", files) ||
         has(directory + "/libc.so", files);
}

/// The first directory of the list that has a file with that prefix.
std::string first_with(std::initializer_list<std::string> directories, std::string_view beginning,
                       const Files& files) {
  for (const std::string& directory : directories) {
    const std::vector<std::string> names = files.entries(directory);
    if (std::any_of(names.begin(), names.end(),
                    [&](const std::string& name) { return name.starts_with(beginning); }))
      return directory;
  }
  return {};
}

class View {
public:
  View(const Toolkit& toolkit, const Files& files)
      : files_(files), root_(toolkit.root), bin_(real(directory_of(toolkit.nvcc), files)),
        headers_(real(directory_of(directory_of(toolkit.host_config)), files)),
        prefix_(directory_of(headers_)), spread_(is_shared(root_, files)) {
    if (toolkit.target && !toolkit.target->name.empty())
      target_ = toolkit.target;
  }

  std::vector<ViewLink> take() {
    programs();
    if (target_)
      foreign(*target_);
    const bool own_headers = !spread_ && has(root_ + "/include/cuda_runtime.h", files_);
    const bool own_libraries =
        !spread_ && !first_with({root_ + "/lib64", root_ + "/lib"}, "libcudart", files_).empty();
    const std::string wheels = wheel_libraries(root_, files_);
    const bool own_nvvm = !spread_ && wheels.empty() && has(root_ + "/nvvm/libdevice", files_);
    if (!spread_)
      for (const std::string& name : files_.entries(root_))
        if (name != "bin" && name != view_room && (own_headers || name != "include") &&
            (own_libraries || name != "lib64") && (wheels.empty() || name != "lib") &&
            (own_nvvm || name != "nvvm"))
          add(name, root_ + '/' + name);
    if (!wheels.empty()) {
      development_libraries("lib", wheels, "");
      for (const std::string& name : lacking_stubs(root_, files_))
        add("lib/stubs/" + name, fmt::format("../../{}/{}/{}", view_room, stub_room, name));
      add("lib64", "lib");
    }
    if (!own_headers)
      part("include", headers_, toolkit_headers, toolkit_header_directory);
    if (!own_libraries)
      part("lib64", library_directory(), toolkit_libraries, "stubs");
    if (!own_nvvm)
      nvvm();
    add("bin/nvcc", fmt::format("../{}/nvcc", view_room));
    // The toolkit's path, for discovery that finds the view among toolkits.
    add(fmt::format("{}/toolkit", view_room), bin_);
    std::vector<ViewLink> links;
    for (const auto& [path, target] : links_)
      links.push_back({path, target});
    return links;
  }

private:
  void add(const std::string& path, const std::string& target) { links_.emplace(path, target); }

  /// What is linked first stays.
  void foreign(const ToolkitTarget& target) {
    add("include", target.directory + "/include");
    for (const char* const name : {"lib", "lib64"})
      add(name, target.directory + "/lib");
  }

  void programs() {
    const bool all = !is_shared(root_, files_) || bin_ != root_ + "/bin";
    for (const std::string& name : files_.entries(bin_))
      if (!is_one_of(name, foreign_compilers) && (all || is_one_of(name, toolkit_programs)))
        add("bin/" + name, bin_ + '/' + name);
    // Tools that a distribution put into its own bin; the files next to nvcc were added before.
    for (const std::string& name : files_.entries(prefix_ + "/bin"))
      if (is_one_of(name, toolkit_programs))
        add("bin/" + name, prefix_ + "/bin/" + name);
  }

  /// Links a directory as a whole, or only the entries in it that belong to CUDA.
  void part(const std::string& name, const std::string& from, std::string_view beginnings,
            std::string_view exactly) {
    if (from.empty())
      return;
    if (!is_shared(from, files_))
      return add(name, from);
    for (const std::string& entry : files_.entries(from))
      if (entry == exactly || begins_like_one(entry, beginnings))
        add(name + '/' + entry, from + '/' + entry);
  }

  /// The first of this machine's library directories that has the CUDA runtime.
  std::string library_directory() const {
    const std::string multiarch = prefix_ + "/lib/";
    for (const std::string& name : files_.entries(multiarch))
      if (name.ends_with("-linux-gnu"))
        if (const std::string found = first_with({multiarch + name}, "libcudart", files_); !found.empty())
          return found;
    return first_with({prefix_ + "/lib64", prefix_ + "/lib"}, "libcudart", files_);
  }

  /// Those libraries, and `libcudart.so` for `libcudart.so.13`, which wheels have alone.
  void development_libraries(const std::string& to, const std::string& from, std::string_view beginning) {
    for (const std::string& name : files_.entries(from))
      if (name == "stubs") {
        development_libraries(to + "/stubs", from + "/stubs", beginning);
      } else if (name.starts_with(beginning)) {
        add(to + '/' + name, from + '/' + name);
        if (const std::size_t at = name.find(".so.");
            at != std::string::npos && !has(from + '/' + name.substr(0, at + 3), files_))
          add(to + '/' + name.substr(0, at + 3), from + '/' + name);
      }
  }

  void nvvm() {
    for (const std::string& place :
         {root_ + "/nvvm/libdevice", root_ + "/libdevice", directory_of(bin_) + "/libdevice",
          prefix_ + "/lib/nvidia-cuda-toolkit/libdevice"})
      if (has(place, files_))
        add("nvvm/libdevice", place);
    for (const std::string& place : {root_ + "/nvvm/bin/cicc", bin_ + "/cicc", prefix_ + "/bin/cicc"})
      if (has(place, files_))
        add("nvvm/bin/cicc", place);
    if (const std::string place = library_directory(); !place.empty())
      development_libraries("nvvm/lib64", place, "libnvvm."); // nvlink opens libnvvm.so
  }

  const Files& files_;
  std::string root_, bin_;
  std::string headers_; ///< the directory that has crt/host_config.h
  std::string prefix_;  ///< the parent of that
  bool spread_;
  std::optional<ToolkitTarget> target_;      ///< with a directory of its own
  std::map<std::string, std::string> links_; ///< path to target
};

} // namespace

std::vector<ViewLink> view_links(const Toolkit& toolkit, const Files& files) {
  return View(toolkit, files).take();
}

std::vector<ViewLink> tree_links(const Toolkit& toolkit, const Files& files) {
  std::vector<ViewLink> links = view_links(toolkit, files);
  if (toolkit.target)
    std::erase_if(links, [](const ViewLink& link) { return link.path == "targets"; });
  const std::string room = fmt::format("../../{}/", view_room);
  for (ViewLink& link : links)
    if (link.path == "bin/nvcc")
      link.target = "../../nvcc";
    else if (link.target.starts_with(room)) // one level deeper, next to what is in the view's subdirectory
      link.target.replace(0, room.size(), "../../../");
  return links;
}

std::optional<Error> unfit_for_view(const std::string& directory, const Toolkit& toolkit,
                                    const Files& files) {
  constexpr std::string_view live = "\"$`\\\n:";
  if (const std::size_t at = directory.find_first_of(live); at != std::string::npos)
    return Error{fmt::format("a toolkit view cannot be in {}: nvcc passes the path by which it is called to "
                             "a shell and adds it to PATH, unescaped",
                             directory),
                 "name a directory without \" $ ` \\ : and line ends"};
  std::string above = directory;
  while (above.size() > 1 && !files.status(above))
    above = directory_of(above);
  const std::string place = real(above, files) + '/';
  for (const std::string& part : {toolkit.root, real(directory_of(toolkit.nvcc), files)})
    if (place.starts_with(part == "/" || part == "/usr" || part == "/usr/local" ? std::string("\n")
                                                                                : part + '/'))
      return Error{fmt::format("{} is inside the toolkit {} that it would be a view of", directory, part),
                   "name a directory outside it"};
  return std::nullopt;
}

} // namespace hostpin::view
