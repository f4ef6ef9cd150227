#include "store/cache_commands.hpp"

#include <algorithm>
#include <array>

#include "base/parse_number.hpp"
#include "base/random.hpp"

namespace fw::store {
namespace {

/// The value of a claim that has ended but has not expired.
constexpr std::string_view kEndedClaim{};

/// For stores without commands of their own. An entry has the version from before its handler ran,
/// so nothing has to happen at the same time.
class ComposedCommands : public CacheCommands {
 public:
  explicit ComposedCommands(Store& store) : store_(store) {}

  Reading read(std::string_view key, std::span<const std::string> versions, std::string_view claim,
               Store::Convert convert) override {
    Reading reading;
    // Before the entry, because another process stores the entry before its claim ends.
    if (!claim.empty()) reading.claim = store_.get(claim).value_or(std::string());
    for (const std::string& name : versions) {
      reading.version += number_of_version(store_.get(name).value_or(std::string()));
    }
    reading.object = store_.get_object(key, convert);
    return reading;
  }

  Claimed claim(std::string_view claim, std::string_view id, std::chrono::milliseconds ttl,
                std::string_view key, Store::Convert convert) override {
    const bool is_claimed =
        store_.set_if_absent(claim, id, ttl) || store_.set_if_equal(claim, kEndedClaim, id, ttl);
    Claimed claimed{.is_claimed = is_claimed, .object = {}};
    claimed.object = store_.get_object(key, convert);
    return claimed;
  }

  void release(std::span<const OwnClaim> claims) override {
    for (const OwnClaim& each : claims) end(each.claim, each.id);
  }

  void put(const Entry& entry) override {
    if (entry.only_if_absent) {
      store_.set_if_absent(entry.key, entry.value, entry.ttl);
    } else {
      store_.set(entry.key, entry.value, entry.ttl);
    }
    if (!entry.claim.empty()) end(entry.claim, entry.id);
  }

  void replace_version(std::string_view name, std::chrono::milliseconds ttl) override {
    store_.set(name, make_version(), ttl);
  }

 private:
  /// Not `erase`, because another process may have the claim.
  void end(std::string_view claim, std::string_view id) {
    store_.set_if_equal(claim, id, kEndedClaim, std::chrono::milliseconds(1));
  }

  Store& store_;
};

}  // namespace

std::unique_ptr<CacheCommands> cache_commands_of(Store& store) {
  if (auto* source = dynamic_cast<CacheCommandsSource*>(&store)) return source->cache_commands();
  return std::make_unique<ComposedCommands>(store);
}

std::string make_version() {
  std::array<unsigned char, sizeof(std::uint64_t)> bytes;
  base::fill_random(bytes);
  std::uint64_t number = 0;
  for (const unsigned char byte : bytes) number = number << 8U | byte;
  return std::to_string(std::max<std::uint64_t>(number, 1));
}

std::uint64_t number_of_version(std::string_view version) {
  return base::parse_number<std::uint64_t>(version).value_or(0);
}

}  // namespace fw::store
