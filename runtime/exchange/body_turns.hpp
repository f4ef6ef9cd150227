// Bounds how many requests read their bodies at a time while these arrive.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>

#include "base/deadline_timer.hpp"
#include "http/adapter.hpp"

namespace fw::detail {

class BodyTurns;

/// The turn of one request, which ends with this object at the latest. Thread-safe.
class BodyTurn {
 public:
  explicit BodyTurn(std::shared_ptr<BodyTurns> owner) : owner_(std::move(owner)) {}
  ~BodyTurn();
  BodyTurn(const BodyTurn&) = delete;
  BodyTurn& operator=(const BodyTurn&) = delete;

  /// Whether the request must wait until it is resumed.
  bool must_wait() const { return must_wait_; }
  /// Whether its time has passed while it waited.
  bool is_late() const;
  /// Lets the next request begin. Must not be called with locks of the engine. The destructor may
  /// be: it leaves the rest to the timer.
  void end();

 private:
  friend class BodyTurns;
  enum class State { none, waiting, begun, late };

  const std::shared_ptr<BodyTurns> owner_;
  bool must_wait_ = false;
  // The members below are guarded by the mutex of the owner.
  State state_ = State::none;
  std::weak_ptr<http::WaitingRequest> request_;  ///< which owns this object
  std::list<BodyTurn*>::iterator place_;         ///< set while it waits
  std::optional<base::DeadlineTimer::Ticket> ticket_;
};

/// Each request that reads its body while this arrives occupies a thread for as long as its client
/// likes. So that some are left for others, only some of these requests run at a time; others wait
/// without a thread, in the order in which they came. Thread-safe.
class BodyTurns : public std::enable_shared_from_this<BodyTurns> {
 public:
  /// `max` requests at a time; others wait for `max_wait`, or without a limit if that is 0.
  BodyTurns(std::size_t max, std::chrono::milliseconds max_wait,
            std::shared_ptr<base::DeadlineTimer> timer)
      : max_(max), max_wait_(max_wait), timer_(std::move(timer)) {}

  /// The turn of a request. If it must wait, it is resumed when its turn has begun, or is late.
  /// Throws std::bad_alloc, and std::system_error if there is no timer.
  std::shared_ptr<BodyTurn> begin(const std::shared_ptr<http::WaitingRequest>& request);

 private:
  friend class BodyTurn;

  void expire(const std::shared_ptr<BodyTurn>& turn);
  /// Returns false if no other request may begin.
  bool end(BodyTurn& turn);
  void resume_next();
  void resume_later() noexcept;

  const std::size_t max_;
  const std::chrono::milliseconds max_wait_;
  const std::shared_ptr<base::DeadlineTimer> timer_;
  std::mutex mutex_;  ///< guards the following members
  std::size_t begun_ = 0;
  std::list<BodyTurn*> waiting_;
};

}  // namespace fw::detail
