#include "features/session/session_id.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/base64url.hpp"
#include "base/random.hpp"
#include "crypto/digests.hpp"

namespace fw::detail {
namespace {

// The lengths of encoded ids of 16 to 128 bytes.
constexpr std::size_t kMinIdLength = 22;
constexpr std::size_t kMaxIdLength = 171;

std::string key_of(std::string_view id) {
  constexpr std::string_view kPrefix = "session:";
  constexpr std::size_t kDigestCharacters = 43;
  std::string key;
  key.reserve(kPrefix.size() + kDigestCharacters);
  key = kPrefix;
  base::append_base64url(key, crypto::sha256(id));
  return key;
}

/// The keys of the ids that a thread has seen last: a client sends several requests in a short
/// time, and a digest takes longer than the rest of a look-up. Ids are compared in constant time.
class RecentKeys {
 public:
  /// Null if the value cannot be an id.
  const std::string* find(std::string_view value) {
    if (value.size() < kMinIdLength || value.size() > kMaxIdLength) return nullptr;
    const std::size_t first = static_cast<unsigned char>(value[0]);
    const std::size_t second = static_cast<unsigned char>(value[1]);
    Entry& entry = entries_[(first ^ second << 3U) % entries_.size()];
    if (!crypto::equal_in_constant_time(entry.id, value)) {
      if (!base::is_base64url(value)) return nullptr;
      std::string key = key_of(value);
      entry.id = value;
      entry.key = std::move(key);
    }
    return &entry.key;
  }

 private:
  struct Entry {
    std::string id;
    std::string key;
  };

  std::array<Entry, 64> entries_;
};

}  // namespace

std::string make_session_id(int length) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(length));
  base::fill_random(bytes);
  return base::encode_base64url(bytes);
}

std::string session_key_of(std::string_view id) { return key_of(id); }

std::optional<std::string> session_key_of_cookie(std::string_view value) {
  thread_local RecentKeys keys;
  const std::string* key = keys.find(value);
  return key != nullptr ? std::optional(*key) : std::nullopt;
}

}  // namespace fw::detail
