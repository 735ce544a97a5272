// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/decision.hpp"

#include "wrapper/hot/system.hpp"

namespace hostpin::hot {

using nvcc::HostNaming;
using By = HostNaming::By;

nvcc::Call call_of(std::span<const char* const> arguments, const nvcc::NvccEnvironment& environment,
                   const Loaded* bound) {
  return {environment.prepend_flags,
          arguments,
          environment.append_flags,
          environment.ccbin,
          bound == nullptr || bound->plan.nvcc_reads_ccbin_variable,
          bound == nullptr || bound->plan.nvcc_escapes_quotes};
}

bool is_left_alone(const HostNaming& naming, const Loaded* bound, const Self& self) {
  if (naming.by == By::nobody)
    return false;
  return naming.value.empty() || (bound != nullptr && naming.value == bound->cxx) ||
         naming.value == concat({self.directory, "/c++"});
}

Obtained obtain(const Self& self, Obtained bound, const HostNaming& naming, char* const* envp) {
  const Loaded* const base = bound.loaded.get();
  const bool as_is = base != nullptr && base->plan.named_as_is;
  if (naming.by == By::nobody ? base != nullptr : as_is)
    return bound;
  Naming named{{}, {}, naming.allow_unsupported, naming.informational};
  if (naming.by != By::nobody) {
    named.value = naming.value;
    named.by = to_string(naming.by);
  }
  return obtain_cached(self, base, named, envp);
}

} // namespace hostpin::hot
