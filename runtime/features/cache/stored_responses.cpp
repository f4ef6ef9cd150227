#include "features/cache/stored_responses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/base64url.hpp"
#include "base/random.hpp"
#include "compression/coding.hpp"
#include "crypto/digests.hpp"

namespace fw::detail {
namespace {

using std::chrono::milliseconds;

/// Begins an entry that is compressed as a whole, for a store on the network.
constexpr std::string_view kCompressed = "fwz ";
constexpr std::size_t kLargeEntry = 4 * 1024;
constexpr int kEntryLevel = 3;
constexpr std::string_view kVersionOfEverything = "cache:version:all";
constexpr milliseconds kVersionLife = StoredResponses::kMaxLife + std::chrono::hours(24);

/// Some tags share a version, so that names which clients choose make no more than 65,536 of them.
std::string version_of_tag(std::string_view tag) {
  const crypto::Digest digest = crypto::sha256(tag);
  return fmt::format("cache:version:tag:{:02x}{:02x}", digest[0], digest[1]);
}
std::string version_of_group(std::size_t group) {
  return "cache:version:key:" + std::to_string(group);
}

/// The object of an entry is a StoredResponse.
Store::Object read_entry(const std::shared_ptr<const std::string>& bytes) {
  std::shared_ptr<const std::string> content = bytes;
  if (bytes->starts_with(kCompressed)) {
    auto decompressed =
        compression::decompress_zstd(std::string_view(*bytes).substr(kCompressed.size()));
    if (!decompressed) return {};
    content = std::make_shared<const std::string>(std::move(*decompressed));
  }
  auto response = StoredResponse::parse(content);
  if (!response) return {};
  const std::size_t memory = response->memory() + (content == bytes ? 0 : content->size());
  return {.value = std::make_shared<const StoredResponse>(std::move(*response)), .bytes = memory};
}

/// The entry, unless an invalidation or its expiry has ended it.
std::shared_ptr<const StoredResponse> valid_entry(std::shared_ptr<const void> object,
                                                  std::uint64_t version,
                                                  StoredResponse::Clock::time_point now) {
  auto response = std::static_pointer_cast<const StoredResponse>(std::move(object));
  if (!response || response->version != version) return nullptr;
  // It may have expired, because the clocks of machines that share a store differ.
  if (response->is_expired(now)) return nullptr;
  return response;
}

}  // namespace

StoredResponses::CrossProcessClaim::~CrossProcessClaim() {
  if (key_.empty()) return;
  try {
    const store::CacheCommands::OwnClaim own{.claim = key_, .id = id_};
    owner_.commands_->release({&own, 1});
  } catch (...) {
    // A later request ends it, or it expires.
  }
}

void StoredResponses::open(std::shared_ptr<Store> store, std::size_t most_entries,
                           SteadyClock clock) {
  store_ = std::move(store);
  most_entries_ = most_entries;
  clock_ = std::move(clock);
  if (store_->is_shared()) {
    commands_ = store::releasing_commands(store::cache_commands_of(*store_));
  }
}

StoredResponses::Tags StoredResponses::tags(std::span<const std::string> tags) {
  Tags result;
  result.counters_.push_back(&everything_);
  result.names_.emplace_back(kVersionOfEverything);
  for (const std::string& tag : tags) {
    result.counters_.push_back(&tag_counters_[tag]);
    result.names_.push_back(version_of_tag(tag));
  }
  return result;
}

Store& StoredResponses::store() const {
  if (!store_) throw std::logic_error("app.cache() has no entries before the application starts");
  return *store_;
}

std::string StoredResponses::store_key(const StoredKey& key) const {
  // Keys in a store that processes share are short, whatever clients send.
  return "cache:entry:" + base::encode_base64url(crypto::sha256(key.full()));
}

std::string StoredResponses::claim_key(const StoredKey& key) const {
  return "cache:claim:" + base::encode_base64url(crypto::sha256(key.full()));
}

std::uint64_t StoredResponses::own_version(const StoredKey& key, const Tags& tags) const {
  std::uint64_t version = 0;
  for (const auto* counter : tags.counters_) version += *counter;
  if (has_erased_) version += erase_counters_[erase_group(key.base())];
  return version;
}

std::string StoredResponses::pack(const StoredResponse& response) const {
  std::string bytes = response.serialize();
  const bool is_worth_it = bytes.size() >= kLargeEntry && is_shared() &&
                           compression::is_available(compression::Coding::zstd);
  if (!is_worth_it) return bytes;
  return std::string(kCompressed) +
         compression::compress(compression::Coding::zstd, kEntryLevel, bytes);
}

StoredResponses::Found StoredResponses::find(const StoredKey& key, const Tags& tags,
                                             StoredResponse::Clock::time_point now,
                                             std::string* claim) {
  const std::uint64_t own = own_version(key, tags);
  if (!is_shared()) {
    auto object = store().get_object(key.full(), read_entry);
    const bool exists = object != nullptr;
    auto response = valid_entry(std::move(object), own, now);
    const bool is_outdated = exists && !response;
    return {.response = std::move(response),
            .version = own,
            .own_version = own,
            .is_outdated = is_outdated};
  }
  std::vector<std::string> names = tags.names_;
  names.push_back(version_of_group(erase_group(key.base())));
  auto reading = commands_->read(store_key(key), names,
                                 claim != nullptr ? claim_key(key) : std::string(), read_entry);
  if (claim != nullptr) *claim = std::move(reading.claim);
  const bool exists = reading.object != nullptr;
  auto response = valid_entry(std::move(reading.object), reading.version, now);
  const bool is_outdated = exists && !response;
  return {.response = std::move(response),
          .version = reading.version,
          .own_version = own,
          .is_outdated = is_outdated};
}

void StoredResponses::put(const StoredKey& key, const StoredResponse& response,
                          std::string_view group, CrossProcessClaim* claim, bool only_if_absent) {
  auto life = response.remaining(now());
  if (life.count() <= 0) return;
  if (is_shared()) {
    life = std::min<milliseconds>(life, kMaxLife);
    const std::string claim_name = claim != nullptr ? std::exchange(claim->key_, {}) : "";
    commands_->put({.key = store_key(key),
                    .value = pack(response),
                    .ttl = life,
                    .group = group,
                    .most = most_entries_,
                    .claim = claim_name,
                    .id = claim != nullptr ? std::string_view(claim->id_) : std::string_view(),
                    .only_if_absent = only_if_absent});
  } else if (only_if_absent) {
    store().set_if_absent(key.full(), pack(response), life);
  } else {
    store().set(key.full(), pack(response), life);
  }
  if (response.form != StoredResponse::Form::none) ++writes_;
}

void StoredResponses::replace(const StoredKey& key, const StoredResponse& stored,
                              const StoredResponse& by) {
  const auto remaining = by.remaining(now());
  if (remaining.count() <= 0) return;
  if (is_shared()) {
    // Invalidations are forgotten after `kVersionLife`.
    const auto life = std::min<milliseconds>(remaining, kMaxLife);
    store().set_if_equal(store_key(key), pack(stored), pack(by), life);
  } else {
    store().set_if_equal(key.full(), pack(stored), pack(by), remaining);
  }
}

std::shared_ptr<const StoredResponse> StoredResponses::claim(
    const StoredKey& key, std::uint64_t version, std::unique_ptr<CrossProcessClaim>& claim) {
  const std::string name = claim_key(key);
  const std::string id = base::make_uuid();
  auto claimed = commands_->claim(name, id, kMaxClaim, store_key(key), read_entry);
  if (claimed.is_claimed) claim = std::make_unique<CrossProcessClaim>(*this, name, id);
  auto response = valid_entry(std::move(claimed.object), version, now());
  if (response && response->is_stale(now())) response.reset();
  if (response) claim.reset();
  return response;
}

void StoredResponses::invalidate_version(const std::string& name,
                                         std::atomic<std::uint64_t>* counter) {
  store();  // throws before the start
  if (is_shared()) commands_->replace_version(name, kVersionLife);
  if (counter != nullptr) ++*counter;
  runs_->forget_head_digests();
}

void StoredResponses::invalidate(std::string_view tag) {
  const auto found = tag_counters_.find(tag);
  invalidate_version(version_of_tag(tag), found == tag_counters_.end() ? nullptr : &found->second);
}

void StoredResponses::erase(std::string_view key) {
  const std::size_t group = erase_group(key);
  has_erased_ = true;
  invalidate_version(version_of_group(group), &erase_counters_[group]);
}

void StoredResponses::clear() {
  invalidate_version(std::string(kVersionOfEverything), &everything_);
}

CacheStats StoredResponses::stats() const {
  return {.hits = hits_, .misses = misses_, .writes = writes_, .errors = errors_};
}

}  // namespace fw::detail
