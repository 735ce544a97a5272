// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/archive/unpack.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/redist/lock.hpp"
#include "toolchains/redist/store/store.hpp"
#include "toolchains/redist/store/transfer.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace hostpin::redist {

struct FetchOptions {
  std::size_t jobs = 2;        ///< archives that are unpacked at the same time
  std::size_t connections = 4; ///< archives that are downloaded at the same time
  std::string mirror;          ///< a URL or directory to take archives from; empty: the lock's URLs
  TransferOptions transfer;
  UnpackLimits limits;
};

/// Progress of a fetch, to be read by another thread.
class FetchProgress {
public:
  struct State {
    std::size_t archives = 0, done = 0; ///< to be fetched, and of these
    std::uint64_t bytes = 0;            ///< of the archives, as far as their sizes are known
    std::uint64_t received = 0;         ///< of these, former parts included
    std::string name;                   ///< of the archive that was begun last
  };

  void update(const std::function<void(State&)>& change) {
    const std::lock_guard lock(mutex_);
    change(state_);
  }
  State state() const {
    const std::lock_guard lock(mutex_);
    return state_;
  }

private:
  mutable std::mutex mutex_;
  State state_;
};

/// What became of an archive that was not in the store.
struct Fetched {
  std::string name;           ///< `name_of` the archive
  std::uint64_t size = 0;     ///< bytes of the archive
  std::uint64_t received = 0; ///< of these, by this process
  std::string note;           ///< something that the user should know; may be empty
};

struct FetchResult {
  std::size_t present = 0; ///< archives that were in the store
  std::size_t fetched = 0; ///< others, by this process or another one in the meantime
  std::uint64_t received = 0;
  std::size_t failed = 0;    ///< archives that are not in the store
  std::vector<Error> errors; ///< why: one for each, or for all of a server that cannot be reached
};

/// Puts the trees of all archives of a lock into a store that exists: downloads them, largest first, compares
/// size and SHA-256, unpacks and publishes. An archive with an error does not stop the others, unless the
/// file system is full or their server cannot be reached. Several processes may work at one store; none does
/// what another one is doing. A process that is killed leaves parts, which the next one continues, and
/// nothing that looks complete.
FetchResult fetch(const Lock& lock, const Store& store, const FetchOptions& options, const Files& files,
                  FetchProgress& progress, const std::function<void(const Fetched&)>& report);

} // namespace hostpin::redist
