// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/judge/judge.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

constexpr const char* gate_name = "crt/host_config.h";

Bounds documented_bounds(Family family, const Acceptance& acceptance) {
  if (!acceptance.documented)
    return {};
  const DocumentedRange& row = *acceptance.documented;
  return family == Family::clang ? Bounds{row.clang_min, row.clang_max} : Bounds{row.gcc_min, row.gcc_max};
}

Bounds derived_bounds(Family family, const Acceptance& acceptance) {
  if (!acceptance.derived)
    return {};
  return family == Family::clang ? acceptance.derived->clang : acceptance.derived->gcc;
}

template <typename Pick>
std::optional<int> stricter(std::optional<int> left, std::optional<int> right, Pick pick) {
  return left && right ? pick(*left, *right) : left ? left : right;
}

/// The line that refuses a major; for one outside the evaluated range, the line of the nearest.
std::string gate_source(const Gate& gate, Family family, int major) {
  const Gate::Refusal* nearest = nullptr;
  for (const Gate::Refusal& refusal : gate.refusals)
    if (refusal.family == family &&
        (nearest == nullptr || std::abs(refusal.major - major) < std::abs(nearest->major - major)))
      nearest = &refusal;
  return nearest != nullptr ? nearest->where : gate_name;
}

/// One end of the range: the limit of each side, and whether the compiler is beyond it.
struct End {
  std::optional<int> documented, derived;
  const char* beyond; ///< `newer than` or `older than`
  bool upper;

  bool passes(int limit, int major) const { return upper ? major <= limit : major >= limit; }
  bool stricter_derived() const {
    return derived && (!documented || (upper ? *derived <= *documented : *derived >= *documented));
  }
};

/// `newer than 13`, with the other side's limit if it differs.
std::string beyond(const End& end) {
  const std::string text = std::string(end.beyond) + ' ';
  if (end.stricter_derived()) {
    const bool differs = end.documented && *end.documented != *end.derived;
    return text + std::to_string(*end.derived) +
           (differs ? " (" + std::to_string(*end.documented) + " is documented)" : "");
  }
  const bool shows_gate = end.upper && end.derived;
  return text + std::to_string(*end.documented) + " (documented" +
         (shows_gate ? "; the toolkit's own gate ends at " + std::to_string(*end.derived) : "") + ')';
}

void conclude(Judgement& judgement, Verdict verdict, std::string reason, std::string source) {
  judgement.verdict = verdict;
  judgement.reason = std::move(reason);
  judgement.source = std::move(source);
}

/// True if one end refuses the compiler; then `judgement` is complete.
bool refused_at(const End& end, Judgement& judgement, const Acceptance& acceptance) {
  const int major = judgement.compiler.version.major;
  const bool fails = (end.documented && !end.passes(*end.documented, major)) ||
                     (end.derived && !end.passes(*end.derived, major));
  if (fails)
    conclude(judgement, end.upper ? Verdict::too_new : Verdict::too_old, beyond(end),
             end.stricter_derived() ? gate_source(*acceptance.derived, judgement.compiler.family, major)
                                    : acceptance.documented->source);
  return fails;
}

std::string releases(const Bounds& bounds) {
  return bounds.min || bounds.max ? span(bounds) : "of any version";
}

/// Inside both ends: the reason names the range, and the side that is not known.
void accept(Judgement& judgement, const Toolkit& toolkit, const Acceptance& acceptance) {
  const Bounds bounds = allowed(judgement.compiler.family, acceptance);
  std::string reason = (bounds.min && bounds.max ? "within " : "") + releases(bounds);
  if (!acceptance.documented)
    reason += " by the toolkit's own gate; CUDA " +
              to_string(Version{toolkit.version.major, toolkit.version.minor}) + " is not in the table";
  else if (!acceptance.derived)
    reason += std::string(" as documented; ") + gate_name + " was not evaluated";
  conclude(judgement, Verdict::fits, std::move(reason),
           acceptance.documented ? acceptance.documented->source : gate_name);
}

bool within(const std::optional<Version>& min, const std::optional<Version>& max,
            const std::optional<Version>& value) {
  if (!min && !max)
    return true;
  return value && (!min || *min <= *value) && (!max || *value <= *max);
}

/// 19.1.7 for _LIBCPP_VERSION 190107.
Version libcxx_release(int version) {
  return {version / 10000, version / 100 % 100, version % 100};
}

bool matches(const Exception& row, const Compiler& compiler, const Toolkit& toolkit) {
  const std::string_view machine = std::string_view(compiler.target).substr(0, compiler.target.find('-'));
  return within(row.toolkit_min, row.toolkit_max, toolkit.version) &&
         (!row.family || *row.family == compiler.family) &&
         within(row.compiler_min, row.compiler_max, compiler.version) &&
         within(row.glibc_min, row.glibc_max, compiler.glibc) &&
         (row.library.empty() || row.library == compiler.library.kind) &&
         within(row.library_min, row.library_max, libcxx_release(compiler.library.version)) &&
         (row.target.empty() || row.target == machine);
}

/// A broken row decides; advice is collected, with the source of the first such row.
void apply_exceptions(Judgement& judgement, const Toolkit& toolkit, const Table& table) {
  std::string advice;
  std::string source;
  for (const Exception& row : table.exceptions) {
    if (!matches(row, judgement.compiler, toolkit))
      continue;
    if (!row.wants_warning_only) {
      judgement.wants_another = false;
      return conclude(judgement, Verdict::broken, row.reason, row.source);
    }
    advice += (advice.empty() ? "" : "; ") + row.reason;
    source = source.empty() ? row.source : source;
    judgement.wants_another = judgement.wants_another || row.wants_another;
  }
  if (!advice.empty())
    conclude(judgement, Verdict::fits, std::move(advice), std::move(source));
}

/// The last two parts of a path: `bits/mathcalls.h`.
std::string short_name(std::string_view path) {
  const std::size_t last = path.rfind('/');
  const std::size_t before = last == std::string_view::npos || last == 0 ? last : path.rfind('/', last - 1);
  return std::string(before == std::string_view::npos ? path : path.substr(before + 1));
}

std::string short_places(std::vector<Clash> clashes) {
  for (Clash& clash : clashes)
    for (Clash::Declaration* const declaration : {&clash.libc, &clash.toolkit})
      declaration->file = short_name(declaration->file);
  return places(clashes);
}

const char* how(const std::vector<Clash>& clashes) {
  const bool promises = std::all_of(clashes.begin(), clashes.end(),
                                    [](const Clash& clash) { return clash.kind == Clash::Kind::exceptions; });
  return promises ? " with different exception specifications" : " differently";
}

/// True if the compiler's C library and the toolkit declare a function differently; then `judgement` is
/// complete.
bool clashes(Judgement& judgement, const Acceptance& acceptance) {
  const Compiler& compiler = judgement.compiler;
  for (const LibcComparison& libc : acceptance.libcs) {
    if (libc.c_headers != compiler.c_headers || !libc.clashes || libc.clashes->empty())
      continue;
    const std::string library = compiler.glibc ? "glibc " + to_string(*compiler.glibc) : "the C library";
    conclude(judgement, Verdict::broken,
             library + " and the toolkit declare " + names(*libc.clashes) + how(*libc.clashes) +
                 "; they do with every compiler",
             short_places(*libc.clashes));
    return true;
  }
  return false;
}

bool is_unbounded(const Bounds& bounds) {
  return !bounds.min && !bounds.max;
}

} // namespace

const char* to_string(Verdict verdict) {
  constexpr std::array<const char*, 5> words = {"fits", "too-new", "too-old", "broken", "unknown"};
  return words[static_cast<std::size_t>(verdict)];
}

Bounds allowed(Family family, const Acceptance& acceptance) {
  const Bounds documented = documented_bounds(family, acceptance);
  const Bounds derived = derived_bounds(family, acceptance);
  return {stricter(documented.min, derived.min, [](int a, int b) { return std::max(a, b); }),
          stricter(documented.max, derived.max, [](int a, int b) { return std::min(a, b); })};
}

std::string wanted(const Acceptance& acceptance) {
  const Bounds gcc = allowed(Family::gcc, acceptance);
  const Bounds clang = allowed(Family::clang, acceptance);
  if (is_unbounded(gcc) && is_unbounded(clang))
    return {};
  return "GCC " + releases(gcc) + " or Clang " + releases(clang);
}

std::vector<std::string> disagreements(const Acceptance& acceptance) {
  std::vector<std::string> lines;
  constexpr auto families =
      std::to_array<std::pair<Family, const char*>>({{Family::gcc, "GCC"}, {Family::clang, "Clang"}});
  for (const auto& [family, name] : families) {
    const Bounds documented = documented_bounds(family, acceptance);
    const Bounds derived = derived_bounds(family, acceptance);
    if (documented.max && derived.max && *documented.max != *derived.max)
      lines.push_back(std::string(name) + ": documented up to " + std::to_string(*documented.max) +
                      ", the toolkit's own gate up to " + std::to_string(*derived.max));
  }
  return lines;
}

Judgement judge(const Compiler& compiler, const Toolkit& toolkit, const Acceptance& acceptance,
                const Table& table) {
  Judgement judgement;
  judgement.compiler = compiler;
  if (compiler.family == Family::other) {
    conclude(judgement, Verdict::unknown,
             (compiler.product.empty() ? std::string("this compiler") : compiler.product) +
                 " is neither GCC nor Clang",
             "measured");
    return judgement;
  }
  if (compiler.version.major <= 0) {
    conclude(judgement, Verdict::unknown, "it did not report its version", "measured");
    return judgement;
  }
  const Bounds documented = documented_bounds(compiler.family, acceptance);
  const Bounds derived = derived_bounds(compiler.family, acceptance);
  if (is_unbounded(documented) && is_unbounded(derived)) {
    conclude(judgement, Verdict::unknown,
             "it is not known what CUDA " + to_string(Version{toolkit.version.major, toolkit.version.minor}) +
                 " accepts",
             acceptance.derived ? gate_name : "");
    return judgement;
  }
  const End newest{documented.max, derived.max, "newer than", true};
  const End oldest{documented.min, derived.min, "older than", false};
  if (refused_at(newest, judgement, acceptance) || refused_at(oldest, judgement, acceptance))
    return judgement;
  if (const auto* hole =
          acceptance.derived ? acceptance.derived->refusal(compiler.family, compiler.version) : nullptr) {
    conclude(judgement, Verdict::broken, "refused by the toolkit's own gate", hole->where);
    return judgement;
  }
  if (clashes(judgement, acceptance))
    return judgement;
  accept(judgement, toolkit, acceptance);
  apply_exceptions(judgement, toolkit, table);
  return judgement;
}

} // namespace hostpin
