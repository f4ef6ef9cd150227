// The response cache over a store: entries, the invalidation of entries, and the flights that let
// concurrent misses of one key run the handler once.
#pragma once

#include <fairway/response_cache.hpp>
#include <fairway/store.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/throttle.hpp"

namespace fw::detail {

/// A response as it is stored.
struct StoredResponse {
  struct Field {
    std::string name;
    std::string value;
    bool replaces = false;  ///< takes the place of fields of its name that earlier stages set
  };

  std::chrono::system_clock::time_point expires;
  int status = 200;
  std::vector<Field> fields;
  /// What `body` is.
  enum class Form {
    complete,    ///< the body
    without_id,  ///< the body up to the request id of its envelope
    data,        ///< data for the envelope, for hooks that change it
    data_without_envelope,
  };

  std::string body;
  Form form = Form::complete;

  std::string serialize() const;
  /// Nothing for bytes that `serialize` of this version did not write.
  static std::optional<StoredResponse> parse(std::string_view bytes);
};

/// What a response is stored under: `base` is the key that `ResponseCache::erase` takes, `variant`
/// what else tells responses apart.
struct CacheKeyParts {
  std::string base;
  std::string variant;

  std::string full() const;
};

/// Thread-safe once `open` has been called.
class StoredResponses : public ResponseCache {
 public:
  /// The right to run the handler for all that miss the same key. Ends with `land`, at the latest
  /// with its destruction.
  class Lead {
   public:
    Lead(StoredResponses& owner, std::string key) : owner_(owner), key_(std::move(key)) {}
    ~Lead() { land(nullptr); }
    Lead(const Lead&) = delete;
    Lead& operator=(const Lead&) = delete;

    /// Gives the response, if there is one for them, to those that wait.
    void land(std::shared_ptr<const StoredResponse> response);

   private:
    StoredResponses& owner_;
    const std::string key_;
    bool has_landed_ = false;
  };

  void open(std::shared_ptr<Store> store) { store_ = std::move(store); }

  /// Throws StoreError.
  std::optional<StoredResponse> find(const CacheKeyParts& key);
  /// Which invalidations have been before; a response is stored only if no other came since.
  /// Throws StoreError.
  std::string epoch();
  /// False if the response was not stored because of an invalidation since `epoch`. Throws
  /// StoreError.
  bool put(const CacheKeyParts& key, const StoredResponse& response, std::chrono::milliseconds ttl,
           std::span<const std::string> tags, const std::string& epoch);

  /// For the first that misses the key. The others wait for its end, or for `stop`, and get
  /// nothing; `landed` is then the response that it gave them, if any.
  std::unique_ptr<Lead> board(const std::string& key, const std::stop_token& stop,
                              std::shared_ptr<const StoredResponse>& landed);

  void count_hit() { ++hits_; }
  void count_miss() { ++misses_; }
  void count_error() { ++errors_; }
  /// True at most once a second.
  bool may_log_error() { return logged_errors_.pass(); }

  std::size_t invalidate(std::string_view tag) override;
  bool erase(std::string_view key) override;
  void clear() override;
  CacheStats stats() const override;

 private:
  struct Flight {
    std::mutex mutex;
    std::condition_variable_any changed;
    bool is_over = false;
    std::shared_ptr<const StoredResponse> response;
  };

  Store& store() const;
  /// Erases what has the tag in the store, and what is on its way there.
  std::size_t erase_tagged(const std::string& tag);

  std::shared_ptr<Store> store_;
  std::mutex mutex_;  // of `flights_`
  std::map<std::string, std::shared_ptr<Flight>> flights_;
  std::atomic<std::uint64_t> hits_ = 0;
  std::atomic<std::uint64_t> misses_ = 0;
  std::atomic<std::uint64_t> writes_ = 0;
  std::atomic<std::uint64_t> errors_ = 0;
  Throttle logged_errors_{std::chrono::seconds(1)};
};

}  // namespace fw::detail
