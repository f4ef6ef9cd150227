// One request for a response that may be stored: it gets an entry, or the response of another
// request, or runs the handler for itself and others.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "features/cache/cached_route.hpp"
#include "features/cache/shared_runs.hpp"
#include "features/cache/stored_responses.hpp"

namespace fw::detail {

/// Used by one thread at a time. If it ends before `store` or `decline`, the handler has failed,
/// and the next waiting request runs it.
class CachedRun {
 public:
  /// Both must outlive the object.
  CachedRun(CachedRoute& route, const StoredKey& key) : route_(route), key_(&key) {}

  /// The entry of the key, which may be stale at `now`; null if there is none.
  const std::shared_ptr<const StoredResponse>& look_up(Exchange& exchange,
                                                       StoredResponse::Clock::time_point now);

  enum class Next {
    send,   ///< `response` is to be sent
    run,    ///< the caller runs the handler
    again,  ///< the key was not the right one: begin with a new one
  };
  /// After `look_up`, if there is no entry that is fresh. Does not wait if there is a stale one.
  /// Throws RequestCancelled, and HttpError 503 if another request takes too long.
  Next join(Exchange& exchange);
  const std::shared_ptr<const StoredResponse>& response() const { return response_; }
  /// If `join` has returned `run`: whether another request has stored an entry since the look-up.
  /// It is then passed to the waiting requests, and there is no need to run the handler.
  bool has_been_stored(Exchange& exchange);

  /// Stores the response of the handler, and passes it to the waiting requests. Returns whether it
  /// is stored.
  bool store(Exchange& exchange, StoredResponse response);
  /// The response is only for this request. Waiting requests run the handler, and later ones do
  /// not wait for each other for some seconds.
  void decline(Exchange& exchange);
  /// The handler has failed: the next waiting request runs it, or, after several failures, all
  /// waiting requests get 503. Nothing happens if it failed because its client has left, or because
  /// its time is over.
  void fail(Exchange& exchange);
  /// The key does not contain everything that the response depends on: `store` uses the new one,
  /// which must outlive the object, lets the route learn its parts, and waiting requests begin
  /// again.
  void restart(const StoredKey& key);

  /// Replaces an entry that was found by one with more encodings of its body.
  void replace(Exchange& exchange, const StoredResponse& stored, const StoredResponse& by);

  const StoredKey& key() const { return *key_; }

 private:
  /// The result of `use`; empty if the store fails, which counts as a miss.
  template <class Use>
  std::invoke_result_t<Use> guarded(Exchange& exchange, const Use& use);
  /// `join`, without looking whether the request has time left.
  Next join_runs(Exchange& exchange);
  /// Whether another process runs the handler, whose response is then in `response_`, or this one
  /// must. Waits until `patience` for the other one.
  Next claim_or_wait(Exchange& exchange, std::chrono::steady_clock::time_point patience);
  Next send_for_all(std::shared_ptr<const StoredResponse> response);
  /// Whether an entry is fresh, and no marker of responses that are not shared.
  bool is_response(const std::shared_ptr<const StoredResponse>& entry) const;
  bool is_superseded(Exchange& exchange);
  /// Reads the entry, and into `claim` the one of another process.
  StoredResponses::Found find(Exchange& exchange, StoredResponse::Clock::time_point now,
                              std::string* claim = nullptr);

  CachedRoute& route_;
  const StoredKey* key_;
  StoredResponses::Found found_;
  std::uint64_t seen_ = 0;    ///< parked requests before the look-up
  bool is_down_ = false;      ///< the store has failed
  bool is_declined_ = false;  ///< responses were not shared a moment ago
  bool is_restarted_ = false;
  std::unique_ptr<SharedRuns::Leader> lead_;
  std::unique_ptr<StoredResponses::CrossProcessClaim> claim_;
  std::shared_ptr<const StoredResponse> response_;
};

/// The request needs no response of others, because it is not cached: those that came after it do
/// not wait for it.
void leave_early_wait(Exchange& exchange);

/// Whether the handler, which has returned, may have ended early: its client has left or its time
/// is over, and it could notice that.
bool may_be_cut_short(Exchange& exchange);

}  // namespace fw::detail
