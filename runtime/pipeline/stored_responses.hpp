// The response cache over a store: entries, the invalidation of entries, and the coordination of
// concurrent misses, so that the handler runs once per key.
#pragma once

#include <fairway/response_cache.hpp>
#include <fairway/store.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compression/coding.hpp"
#include "exchange/throttle.hpp"
#include "http/fields.hpp"

namespace fw::detail {

/// A string, or a part of one that others use, too.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text)
      : owner_(std::make_shared<const std::string>(std::move(text))), text_(*owner_) {}
  SharedText(std::shared_ptr<const std::string> owner, std::string_view part)
      : owner_(std::move(owner)), text_(part) {}

  std::string_view view() const { return text_; }

 private:
  std::shared_ptr<const std::string> owner_;
  std::string_view text_;
};

/// A stored response.
struct StoredResponse {
  using Clock = std::chrono::system_clock;

  Clock::time_point expires;
  std::chrono::milliseconds stale_for{0};  ///< how long a stale response may be sent after that
  int status = 200;
  http::Fields fields;        ///< that the handler added, and that a 304 has, too
  http::Fields body_fields;   ///< that describe the body, which a 304 does not have
  http::Fields replacements;  ///< that the handler set instead of those that earlier stages set
  /// The form of `body`.
  enum class Form {
    complete,    ///< the body
    without_id,  ///< the body up to the request id of its envelope
    data,        ///< data for the envelope, for hooks that change it
    data_without_envelope,
  };

  /// The body in a coding, without its end, which `compression::complete` adds: the end of an
  /// envelope contains the id of the request.
  struct Encoded {
    compression::Coding coding;
    SharedText beginning;
  };

  SharedText body;
  Form form = Form::complete;
  std::string nonce = {};          ///< what the body has in the place of the nonce of a page
  std::string pages_version = {};  ///< of the set that a page is from; empty: no page
  std::vector<Encoded> encodings = {};
  /// That of `fields`, if it is well-formed and a 304 needs nothing but `fields`: the status is
  /// 200, and there are no replacements and no nonce. Set by `parse`.
  std::string entity_tag = {};
  bool has_cache_control = false;  ///< whether `fields` have one; set by `parse`

  /// Adds a field that the handler added.
  void add_field(std::string_view name, std::string_view value);

  bool is_stale(Clock::time_point now) const { return expires <= now; }
  bool is_expired(Clock::time_point now) const { return expires + stale_for <= now; }
  /// How long it may still be used; 0 or negative if it has expired.
  std::chrono::milliseconds remaining(Clock::time_point now) const;

  /// Null if it has not been compressed with the coding.
  const Encoded* encoded(compression::Coding coding) const;

  std::string serialize() const;
  /// Empty for bytes that are not from `serialize` of this version. The response shares them.
  static std::optional<StoredResponse> parse(const std::shared_ptr<const std::string>& bytes);
  /// Its memory, shared bytes not included.
  std::size_t memory() const;
};

/// The key of a response in the store. The base is the argument of `ResponseCache::erase`; the rest
/// distinguishes further responses.
class StoredKey {
 public:
  explicit StoredKey(std::string_view base);
  /// The base is the method and the target, separated by a space.
  StoredKey(std::string_view method, std::string_view target);
  StoredKey(const StoredKey& other);
  StoredKey& operator=(const StoredKey&) = delete;

  /// Appends to the key, after the base.
  void append(std::string_view text) {
    make_room(text.size());
    put(text);
  }
  std::string_view base() const { return full().substr(begin_, base_size_); }
  std::string_view full() const { return {text_, size_}; }

 private:
  /// Puts what precedes a base of that size, and makes room for it.
  void begin_base(std::size_t size);
  void make_room(std::size_t size) {
    if (size > capacity_ - size_) grow(size);
  }
  /// Appends where there is room.
  void put(std::string_view text) {
    text.copy(text_ + size_, text.size());
    size_ += text.size();
  }
  void grow(std::size_t by);

  // Most keys need no memory of their own.
  std::array<char, 256> short_text_;
  std::unique_ptr<char[]> long_text_;
  char* text_ = short_text_.data();
  std::size_t capacity_ = short_text_.size();
  std::size_t size_ = 0;
  std::size_t begin_ = 0;  ///< of the base
  std::size_t base_size_ = 0;
};

/// Thread-safe after `open`.
class StoredResponses : public ResponseCache {
 public:
  /// The right to run the handler for all concurrent requests with the same key. Ends when it is
  /// destroyed, or with `publish`.
  class Lead {
   public:
    Lead(StoredResponses& owner, std::string key) : owner_(owner), key_(std::move(key)) {}
    ~Lead() { publish(nullptr); }
    Lead(const Lead&) = delete;
    Lead& operator=(const Lead&) = delete;

    /// Passes the response, which may be null, to the waiting requests.
    void publish(std::shared_ptr<const StoredResponse> response);

   private:
    StoredResponses& owner_;
    const std::string key_;
    bool is_published_ = false;
  };

  /// The right to run the handler for all processes that share the store. Ends when it is
  /// destroyed, or after `kLongestClaim`.
  class Claim {
   public:
    Claim(StoredResponses& owner, std::string key, std::string id)
        : owner_(owner), key_(std::move(key)), id_(std::move(id)) {}
    ~Claim();
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

   private:
    StoredResponses& owner_;
    const std::string key_;
    const std::string id_;  ///< the value of the key, as long as the claim has not expired
  };

  /// Other processes do not wait longer for one of them.
  static constexpr std::chrono::seconds kLongestClaim{10};

  void open(std::shared_ptr<Store> store) { store_ = std::move(store); }

  /// Finds a response that has not expired; null if there is none. Throws StoreError.
  std::shared_ptr<const StoredResponse> find(const StoredKey& key,
                                             StoredResponse::Clock::time_point now);
  /// Identifies the last invalidation. A response is stored only if there was no other one since.
  /// Throws StoreError.
  std::string epoch();
  /// Returns false if the response was not stored because of an invalidation since `epoch`. Throws
  /// StoreError.
  bool put(const StoredKey& key, const StoredResponse& response, std::span<const std::string> tags,
           const std::string& epoch);

  /// Replaces a response that is still stored. Throws StoreError.
  void replace(const StoredKey& key, const StoredResponse& stored, const StoredResponse& by);

  /// Whether a request waits if another one is running the handler for the same key.
  enum class Others { wait, proceed };
  /// Returns the lead to the first request that misses the key, and null to others. With `wait`,
  /// others wait until the lead ends or a stop is requested; `shared` is then the response that the
  /// lead published, or null.
  std::unique_ptr<Lead> join(std::string_view key, Others others, const std::stop_token& stop,
                             std::shared_ptr<const StoredResponse>& shared);

  /// Whether other processes see the entries.
  bool is_shared() const { return store().is_shared(); }
  /// Null if another process has a claim for the key. Throws StoreError.
  std::unique_ptr<Claim> claim(const StoredKey& key);
  /// Waits until the process with the claim has stored a response that is not stale, and returns
  /// it. Null if the claim ends without one, or a stop is requested. Throws StoreError.
  std::shared_ptr<const StoredResponse> await_claimed(const StoredKey& key,
                                                      const std::stop_token& stop);

  void count_hit() { ++hits_; }
  void count_miss() { ++misses_; }
  void count_error() { ++errors_; }
  /// Returns true at most once a second.
  bool may_log_error() { return logged_errors_.pass(); }

  std::size_t invalidate(std::string_view tag) override;
  bool erase(std::string_view key) override;
  void clear() override;
  CacheStats stats() const override;

 private:
  /// A run of the handler, while it has a lead.
  struct SharedRun {
    std::mutex mutex;
    std::condition_variable_any changed;
    bool is_over = false;
    std::shared_ptr<const StoredResponse> response;
  };

  Store& store() const;
  /// The stored form of an entry. Large entries in a store on another machine are compressed.
  std::string pack(const StoredResponse& response) const;
  /// Erases the entries with the tag, including those that are being stored at the moment.
  std::size_t erase_tagged(const std::string& tag);

  std::shared_ptr<Store> store_;
  std::mutex mutex_;  // of `runs_`
  std::map<std::string, std::shared_ptr<SharedRun>, std::less<>> runs_;
  std::atomic<std::uint64_t> hits_ = 0;
  std::atomic<std::uint64_t> misses_ = 0;
  std::atomic<std::uint64_t> writes_ = 0;
  std::atomic<std::uint64_t> errors_ = 0;
  Throttle logged_errors_{std::chrono::seconds(1)};
};

}  // namespace fw::detail
