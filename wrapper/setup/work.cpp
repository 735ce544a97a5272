// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/setup/work.hpp"

#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/error_report.hpp"
#include "toolchains/base/os_error.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/document/json.hpp"
#include "toolchains/redist/store/store.hpp"
#include "toolchains/setup/compiler_root.hpp"
#include "toolchains/setup/toolkit_tree.hpp"
#include "toolchains/setup/trial.hpp"
#include "toolchains/setup/watch.hpp"
#include "toolchains/setup/wheel_site.hpp"
#include "wrapper/setup/place.hpp"
#include "wrapper/setup/wheel_work.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hostpin::setup {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::minutes longest_work{60}; // of a program that downloads or unpacks
// At the same time, or, if no thread can be made, once the result is wanted.
constexpr auto in_parallel = std::launch::async | std::launch::deferred;

constexpr const char* composing_mark = "composing"; // in .work while a toolkit is composed of the store

/// A piece's place as one name: `compilers-gcc-13`.
std::string flat_name(const Piece& piece) {
  std::string name = piece.place;
  std::ranges::replace(name, '/', '-');
  return name;
}

std::string work_of(const Workshop& workshop) {
  return workshop.directory + '/' + work_name;
}

/// Where the files of a piece are, or will be.
std::string archives_of(const Piece& piece, const Workshop& workshop) {
  return workshop.carried.empty() ? work_of(workshop) + "/files/" + flat_name(piece) : workshop.carried;
}

Result<void> make_directory(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  return error ? Result<void>(tl::unexpected(write_error("create", path, error.value()))) : Result<void>();
}

/// Runs one of hostpin's own programs.
Result<void> run(const Context& context, std::vector<std::string> argv, const std::string& doing) {
  Command command{std::move(argv), {}, {}, longest_work};
  command.errors_as_json = true;
  const Outcome outcome = context.processes.run({&command, 1}).front();
  if (outcome.ok())
    return {};
  auto error = reported_error(outcome);
  return failure_in("cannot " + doing,
                    error ? *std::move(error) : Error{describe(outcome) + '\n' + outcome.errors, {}});
}

Result<void> fetch(const Piece& piece, const Workshop& workshop) {
  const std::string place = archives_of(piece, workshop);
  if (!workshop.carried.empty() || piece.suite == "redist")
    return workshop.carried.empty() ? Result<void>() : verify_files(piece, place);
  TRY(make_directory(place));
  workshop.progress.working("fetching " + title(piece));
  if (auto done = piece.suite == "wheels"
                      ? fetch_wheels(workshop.context, piece, work_of(workshop))
                      : workshop.client->fetch(piece.suite, piece.packages, place, workshop.progress);
      !done)
    return done;
  workshop.progress.complete(bytes_of(piece));
  return {};
}

std::vector<std::string> paths(const Piece& piece, const Workshop& workshop) {
  const std::string place = archives_of(piece, workshop);
  std::vector<std::string> all;
  for (const Package& each : piece.packages)
    all.push_back(place + '/' + each.file);
  return all;
}

Result<void> put(const Piece& piece, const std::string& made, const Workshop& workshop) {
  TRY(replace_file(made + '/' + piece_mark, digest_of(piece) + '\n', false));
  return replace_tree(made, workshop.directory + '/' + piece.place, work_of(workshop));
}

// ------------------------------------------------------------------------------------------ toolkits

/// Fetches and composes NVIDIA's archives.
Result<void> compose(const Plan& plan, const Piece& piece, const Workshop& workshop,
                     const std::string& made) {
  const std::string work = work_of(workshop), lock = work + "/redist.lock", store = work + "/store";
  // A toolkit has hard links to the store's files: what was killed while it made or lost them left files
  // whose times are those of changed ones.
  const std::string mark = work + '/' + composing_mark;
  std::error_code unknown;
  if (fs::exists(mark, unknown))
    remove_tree(store);
  fs::remove(mark, unknown);
  TRY(replace_file(lock, plan.lock, false));
  std::vector<std::string> fetch{workshop.redist, "fetch", lock, "--store", store};
  if (!workshop.carried.empty())
    fetch.insert(fetch.end(), {"--mirror", workshop.carried});
  workshop.progress.working("fetching " + title(piece));
  {
    // Its program prints no progress for others.
    const auto look = [&] {
      workshop.progress.fetched(std::min(bytes_below(store + "/partial"), bytes_of(piece)));
    };
    const Ticker watch(look, Ticker::Time(500), Ticker::Time(500));
    TRY(run(workshop.context, std::move(fetch), "fetch NVIDIA's archives"));
  }
  workshop.progress.complete(bytes_of(piece));
  workshop.progress.working("composing " + title(piece));
  TRY(replace_file(mark, {}, false));
  const std::string platform = piece.packages.empty() ? "" : piece.packages.front().architecture;
  if (auto done = run(workshop.context,
                      {workshop.redist, "compose", lock, made, "--store", store, "--host", platform},
                      "compose the toolkit");
      !done)
    return done;
  remove_tree(store);
  return {};
}

Result<void> prove_toolkit(const std::string& root, const Workshop& workshop) {
  const Command command{{root + "/bin/nvcc", "--version"}, {}, {}, std::chrono::seconds(30)};
  const Outcome outcome = workshop.context.processes.run({&command, 1}).front();
  if (outcome.ok() && outcome.output.find("release ") != std::string::npos)
    return {};
  return failure(
      fmt::format("the nvcc of the packages does not run here: {}\n{}", describe(outcome), outcome.errors),
      "name another release with --cuda");
}

Result<void> make_toolkit_piece(const Plan& plan, const Piece& piece, const Workshop& workshop) {
  const std::string made = work_of(workshop) + "/made-cuda";
  remove_tree(made);
  if (piece.suite == "redist") {
    TRY(compose(plan, piece, workshop, made));
  } else if (piece.suite == "wheels") {
    workshop.progress.working("unpacking " + title(piece));
    TRY(make_wheel_site(paths(piece, workshop), made));
  } else {
    workshop.progress.working("unpacking " + title(piece));
    if (auto done = make_toolkit(workshop.context, paths(piece, workshop), made,
                                 workshop.directory + '/' + piece.place);
        !done)
      return done;
  }
  TRY(prove_toolkit(toolkit_root(piece, made), workshop));
  return put(piece, made, workshop);
}

// ----------------------------------------------------------------------------------------- compilers

Result<void> make_headers_piece(const Piece& piece, const Workshop& workshop) {
  workshop.progress.working("unpacking " + title(piece));
  const std::string made = work_of(workshop) + "/made-headers";
  remove_tree(made);
  if (auto done = make_headers(workshop.context, paths(piece, workshop), made,
                               workshop.directory + '/' + piece.place);
      !done)
    return done;
  return put(piece, made, workshop);
}

HeaderChoice headers_of(const Piece& piece, const Workshop& workshop) {
  if (piece.headers == "piece")
    return {HeaderChoice::From::tree, workshop.directory + "/headers"};
  if (piece.headers == "stdenv")
    return {HeaderChoice::From::tree, workshop.directory + "/stdenv"};
  return {piece.headers == "suite" ? HeaderChoice::From::suite : HeaderChoice::From::machine, {}};
}

/// The stdenv's driver, with which compilers are proven.
std::string linker_driver(const Plan& plan, const Workshop& workshop) {
  const Piece* const stdenv = plan.piece(Piece::Kind::stdenv);
  return stdenv != nullptr ? driver_of(*stdenv, workshop.directory) : workshop.linker_driver;
}

/// A compiler runs only where it will be, so it is proven after the rename; one that does not work is
/// removed.
Result<void> make_compiler_piece(const Plan& plan, const Piece& piece, const Workshop& workshop) {
  workshop.progress.working("unpacking " + title(piece));
  const std::string made = work_of(workshop) + "/made-" + flat_name(piece);
  const std::string place = workshop.directory + '/' + piece.place;
  remove_tree(made);
  const CompilerOffer offer{piece.family, piece.major, piece.package, piece.version};
  const auto root =
      piece.kind == Piece::Kind::stdenv
          ? make_stdenv(paths(piece, workshop), made, place, offer)
          : make_compiler(paths(piece, workshop), made, place, offer, headers_of(piece, workshop));
  if (!root)
    return tl::unexpected(root.error());
  TRY(replace_tree(made, place, work_of(workshop)));
  workshop.progress.working("trying " + title(piece));
  const std::string trial = work_of(workshop) + "/trial";
  TRY(make_directory(trial));
  if (auto tried = try_compiler(workshop.context, driver_of(piece, workshop.directory),
                                linker_driver(plan, workshop), trial);
      !tried) {
    remove_tree(place);
    return tried;
  }
  return replace_file(place + '/' + piece_mark, digest_of(piece) + '\n', false);
}

Result<void> make(const Plan& plan, const Piece& piece, const Workshop& workshop) {
  switch (piece.kind) {
  case Piece::Kind::toolkit:
    return make_toolkit_piece(plan, piece, workshop);
  case Piece::Kind::compiler:
  case Piece::Kind::stdenv:
    return make_compiler_piece(plan, piece, workshop);
  case Piece::Kind::headers:
    break;
  }
  return make_headers_piece(piece, workshop);
}

/// The stdenv first, which links what other compilers make, then headers, which these read, and toolkits
/// last, so that a compiler is unpacked while they come.
std::vector<const Piece*> in_order(const Plan& plan) {
  std::vector<const Piece*> order;
  for (const Piece& each : plan.pieces)
    order.push_back(&each);
  std::ranges::stable_sort(order, std::greater(), [](const Piece* each) { return each->kind; });
  return order;
}

/// The licenses of what was fetched, which the piece has, in one directory for people to read.
std::vector<LicenseText> keep_licenses(const Piece& piece, const Workshop& workshop) {
  const std::string root = workshop.directory + '/' + piece.place;
  std::vector<LicenseText> texts;
  // Each with the directory that names of files count from.
  std::vector<std::pair<std::string, std::string>> roots{
      {root + "/licenses", root + "/licenses"}, {root + "/share/licenses", root + "/share/licenses"}};
  std::error_code error;
  for (fs::directory_iterator entries(root, error), end; !error && entries != end; entries.increment(error))
    if (entries->path().extension() == ".dist-info") // of a wheel
      roots.emplace_back(entries->path().string() + "/licenses", root);
  for (const auto& [from, base] : roots) {
    error.clear();
    for (fs::recursive_directory_iterator entries(from, error), end; !error && entries != end;
         entries.increment(error)) {
      std::error_code unread;
      if (!entries->is_regular_file(unread))
        continue;
      std::string name = fs::relative(entries->path(), base, unread).string();
      std::ranges::replace(name, '/', '-');
      const std::string file = fmt::format("{}/{}-{}", licenses_name, flat_name(piece), name);
      fs::create_directories(workshop.directory + '/' + licenses_name, unread);
      fs::copy_file(entries->path(), workshop.directory + '/' + file, fs::copy_options::overwrite_existing,
                    unread);
      if (const auto digest = sha256_of_file(workshop.directory + '/' + file))
        texts.push_back({file, *digest});
    }
  }
  std::ranges::sort(texts, {}, &LicenseText::file);
  return texts;
}

} // namespace

Result<std::string> make_lock(const Context& context, const std::string& redist, const RedistChoice& choice,
                              const std::string& platform, const std::string& work) {
  const std::string file = work + "/made.lock";
  if (auto made = run(context,
                      {redist, "lock", choice.manifest, "--platforms", platform, "--packages",
                       fmt::format("{}", fmt::join(choice.packages, ",")), "-o", file},
                      "lock NVIDIA's archives");
      !made)
    return tl::unexpected(made.error());
  return context.files.read(file, document::largest_document);
}

bool is_complete(const Piece& piece, const std::string& directory, const Files& files) {
  constexpr std::size_t longest_mark = 100;
  const auto mark = files.read(fmt::format("{}/{}/{}", directory, piece.place, piece_mark), longest_mark);
  return mark && *mark == digest_of(piece) + '\n';
}

std::uint64_t missing_bytes(const Plan& plan, const std::string& directory, const Files& files) {
  std::uint64_t bytes = 0;
  for (const Piece& piece : plan.pieces) {
    if (is_complete(piece, directory, files) || piece.suite == "wheels") // see wheel_bytes
      continue;
    const std::string work = directory + '/' + work_name, archives = work + "/files/" + flat_name(piece);
    const redist::Store store(work + "/store"); // which `compose` empties if it was killed
    const bool has_store = piece.suite == "redist" && !files.status(work + '/' + composing_mark);
    for (const Package& each : piece.packages) {
      if (has_store && store.tree(each.sha256))
        continue;
      const auto status =
          files.status(has_store ? store.partial_path(each.sha256) : archives + '/' + each.file);
      bytes += each.bytes - (status ? std::min(status->size, each.bytes) : 0);
    }
  }
  return bytes;
}

Result<void> verify_files(const Piece& piece, const std::string& directory) {
  std::vector<std::string> missing, addresses;
  for (const Package& each : piece.packages) {
    const std::string path = directory + '/' + each.file;
    const std::string address = each.address.empty() ? each.name : each.address;
    std::error_code unknown;
    if (!fs::exists(path, unknown)) {
      missing.push_back(each.file);
      addresses.push_back(address);
      continue;
    }
    const auto digest = sha256_of_file(path);
    if (!digest)
      return failure(digest.error().message, "bring it again: " + address);
    if (*digest != each.sha256)
      return failure(
          fmt::format("{} is damaged or another file: its SHA-256 is {}, not {}", path, *digest, each.sha256),
          "bring it again: " + address);
  }
  if (missing.empty())
    return {};
  if (missing.size() == 1)
    return failure(fmt::format("{} is missing in {} for {}", missing.front(), directory, title(piece)),
                   "bring it: " + addresses.front());
  return failure(
      fmt::format("{} are missing in {} for {}", fmt::join(missing, ", "), directory, title(piece)),
      fmt::format("bring them:\n  {}", fmt::join(addresses, "\n  ")));
}

Result<Made> make_pieces(const Plan& plan, const Workshop& workshop) {
  Made made;
  // One piece is made while the next is fetched; what one step began ends before an error is returned.
  std::future<Result<void>> making;
  Result<void> done;
  const auto settle = [&] {
    if (making.valid())
      if (auto result = making.get(); !result && done)
        done = result;
  };
  for (const Piece* const piece : in_order(plan)) {
    if (!is_complete(*piece, workshop.directory, workshop.context.files)) {
      auto fetched = fetch(*piece, workshop);
      settle();
      if (done && !fetched)
        done = fetched;
      if (!done)
        return tl::unexpected(done.error());
      making = std::async(in_parallel, [&, piece] { return make(plan, *piece, workshop); });
    } else {
      workshop.progress.complete(bytes_of(*piece));
    }
    if (piece->kind == Piece::Kind::compiler)
      made.driver = driver_of(*piece, workshop.directory);
    if (piece->kind == Piece::Kind::stdenv)
      made.stdenv = driver_of(*piece, workshop.directory);
    if (piece->kind == Piece::Kind::toolkit)
      made.toolkit = toolkit_root(*piece, workshop.directory + '/' + piece->place);
  }
  settle();
  if (!done)
    return tl::unexpected(done.error());
  for (const Piece& piece : plan.pieces)
    if (!piece.license.empty())
      made.texts = keep_licenses(piece, workshop);
  return made;
}

} // namespace hostpin::setup
