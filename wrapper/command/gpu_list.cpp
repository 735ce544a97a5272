// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/gpu_list.hpp"

#include "toolchains/base/search.hpp"
#include "toolchains/compiler/discovery.hpp"
#include "toolchains/gpus/native.hpp"
#include "toolchains/survey/survey.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/call_here.hpp"

#include <utility>

namespace hostpin {

Result<Toolkit> toolkit_of(const Context& context, const Request& given) {
  Request asked = given;
  if (!given.toolkit) {
    auto here = call_here(context, given);
    if (!here)
      return tl::unexpected(here.error());
    if (!here->directory.empty() || here->bound != nullptr) {
      auto binding = binding_of(context, *here);
      if (!binding)
        return tl::unexpected(binding.error());
      binding->toolkit.origin =
          here->build.empty() ? "bound in " + here->directory : "kept by " + here->build;
      return std::move(binding->toolkit);
    }
    asked = std::move(here->request);
  }
  const auto config = load_config(context.files, context.environment);
  if (!config)
    return tl::unexpected(config.error());
  const Request request = completed(asked, context.environment, *config);
  std::optional<NamedToolkit> named;
  if (request.toolkit)
    named = NamedToolkit{*request.toolkit, request.toolkit_by};
  const IsOwn is_own = own_programs(context.files);
  const auto driver = find_stdenv(context.files, context.environment, std::nullopt, is_own);
  const ToolkitSearch search =
      find_toolkits(context.files, context.environment, named, config->toolkits, is_own);
  return chosen_toolkit(probe_toolkits(context.files, context.processes, search,
                                       driver && driver->command.size() == 1 ? driver->command.front() : ""),
                        named);
}

Result<GpuExpansion> expanded(const Context& context, const std::vector<Gpu>& gpus, const std::string& list,
                              std::optional<Version> toolkit, bool forward_compatible,
                              const std::optional<std::string>& named) {
  std::string command = "hostpin capabilities";
  if (named)
    command += " --toolkit " + shell_word(*named);
  return expand(list, {gpus, toolkit, forward_compatible,
                       [&context] {
                         return native_capabilities(context.processes,
                                                    {context.tree.command, "capabilities", "--ask-driver"});
                       },
                       std::move(command)});
}

} // namespace hostpin
