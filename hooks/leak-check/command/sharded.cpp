// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/command/sharded.hpp"

#include "hooks/leak-check/bytes/blob.hpp"
#include "hooks/leak-check/report/merge.hpp"
#include "toolchains/base/checksum.hpp"

#include <fcntl.h>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace hostpin {

namespace {

/// Of texts and numbers in an order.
class Digest {
public:
  Digest& add(std::string_view text) {
    value_ = checksum(text, value_);
    return *this;
  }
  Digest& add(std::uint64_t number) { return add(std::to_string(number)); }
  Digest& add(const std::vector<std::string>& texts) {
    add(texts.size());
    for (const std::string& text : texts)
      add(std::string_view(text));
    return *this;
  }

  std::uint64_t value() const { return value_; }

private:
  std::uint64_t value_ = 0;
};

/// Those that say what is looked at.
std::vector<std::string> words_of(const LeakOptions& options) {
  std::vector<std::string> words;
  if (options.metadata)
    words.emplace_back("--metadata");
  if (options.no_unpack)
    words.emplace_back("--no-unpack");
  if (options.memory > 0)
    words.push_back("--memory=" + std::to_string(options.memory));
  if (!options.root.empty())
    words.push_back("--root=" + options.root);
  if (!options.below.empty())
    words.push_back("--below=" + options.below);
  return words;
}

} // namespace

ShardStamp stamp_of(const LeakOptions& options, const Policy& policy, const Unwanted& unwanted,
                    const std::vector<Exception>& exceptions, std::string version) {
  ShardStamp stamp;
  stamp.number = *options.shard;
  stamp.version = std::move(version);
  stamp.options = words_of(options);
  stamp.memory = options.memory;
  stamp.paths = Digest().add(options.paths).value();
  stamp.exceptions = options.exceptions;
  Digest digest;
  digest.add(stamp.options).add(unwanted.needles().paths());
  for (std::uint32_t i = 0; i < unwanted.needles().paths().size(); ++i)
    digest.add(static_cast<std::uint64_t>(unwanted.row(i).kind));
  digest.add({policy.libstdcxx, policy.libgcc, policy.driver_directory, policy.compat_directory})
      .add(static_cast<std::uint64_t>(policy.libstdcxx_release))
      .add(policy.compiler_prefixes)
      .add(policy.vendor)
      .add(policy.stores);
  for (const Exception& one : exceptions)
    digest.add({one.rule ? std::string(text_of(*one.rule).name) : std::string(), one.path, one.reference})
        .add(one.line);
  stamp.judged_by = digest.value();
  return stamp;
}

Result<void> complete(ShardStamp& stamp, const Share& share, const std::vector<Exception>& exceptions) {
  if (share.met() != share.planned())
    return failure(
        "what is looked at was written to meanwhile, so that no shard knows any more what is its own",
        "scan all shards again while nobody writes there");
  stamp.tree = share.met().value();
  stamp.entries = share.entries();
  for (const Exception& one : exceptions)
    stamp.used.push_back({one.line, one.used});
  return {};
}

Result<MergedScan> merged_scan(const LeakOptions& options, const std::string& version) {
  Merge merge(version, options.memory);
  for (const std::string& path : options.paths) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
      return failure(path + " cannot be opened: " + system_reason(), "name the reports of all shards");
    const OpenFile file(descriptor);
    const ReadReport read = [&](char* space, std::size_t size) -> Result<std::size_t> {
      const ssize_t count = ::read(file.descriptor(), space, size);
      if (count < 0)
        return failure("it cannot be read: " + system_reason());
      return static_cast<std::size_t>(count);
    };
    const auto added = merge.add(read, path);
    if (!added)
      return tl::unexpected(added.error());
  }
  auto findings = merge.finish();
  if (!findings)
    return tl::unexpected(findings.error());
  MergedScan scan{*std::move(findings), merge.stamp().exceptions, {}};
  for (const ShardStamp::Used& used : merge.stamp().used) {
    Exception& exception = scan.exceptions.emplace_back();
    exception.line = used.line;
    exception.used = used.times;
  }
  return scan;
}

} // namespace hostpin
