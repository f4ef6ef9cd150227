// Concurrent requests of a process for the same key: one of them runs the handler for all.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/deadline_timer.hpp"
#include "features/cache/stored_response.hpp"
#include "http/adapter.hpp"

namespace fw::detail {

class EarlyWait;

/// A wait of the thread that handles a request. The engine lets another one take its place. The
/// threads that wait for a route are at most half of those that may wait at all, and for a run of
/// it at most a third: requests for others can wait, too.
class ThreadWait {
 public:
  /// `of_route` counts the threads that wait for the route; `of_run` of them wait for this run.
  ThreadWait(http::Transaction& transaction, std::atomic<std::size_t>& of_route, std::size_t of_run)
      : transaction_(transaction),
        of_route_(of_route),
        may_wait_(transaction.begin_wait(std::max(of_route.fetch_add(1), 2 * of_run))) {
    if (!may_wait_) --of_route_;
  }
  ~ThreadWait() {
    if (!may_wait_) return;
    transaction_.end_wait();
    --of_route_;
  }
  ThreadWait(const ThreadWait&) = delete;
  ThreadWait& operator=(const ThreadWait&) = delete;

  /// False if too many wait.
  bool may_wait() const { return may_wait_; }

 private:
  http::Transaction& transaction_;
  std::atomic<std::size_t>& of_route_;
  const bool may_wait_;
};

/// A request waits on its thread (`join`) or, if it is likely to need a run that has begun, without
/// one and before it is handled (`park`). Must be owned by a shared_ptr. Thread-safe.
class SharedRuns : public std::enable_shared_from_this<SharedRuns> {
 public:
  using Clock = std::chrono::steady_clock;
  /// In a row, while requests wait.
  static constexpr int kMaxFailures = 3;

 private:
  struct Run;
  struct ParkedRequest;
  using Waiting = std::list<std::shared_ptr<ParkedRequest>>;
  using Runs = std::map<std::string, std::shared_ptr<Run>, std::less<>>;

 public:
  /// The right to run the handler for the requests that wait for the same key. Unless it ends with
  /// one of these functions, the handler has failed, and the next waiting request gets the right.
  class Leader {
   public:
    Leader(std::shared_ptr<SharedRuns> owner, std::shared_ptr<Run> run)
        : owner_(std::move(owner)), run_(std::move(run)) {}
    ~Leader();
    Leader(const Leader&) = delete;
    Leader& operator=(const Leader&) = delete;

    /// All waiting requests get the response. If it is not current, those that came after an
    /// invalidation may not have it: one of them leads the next run, and the others wait for that.
    void publish(std::shared_ptr<const StoredResponse> response, bool is_current = true);
    /// Whether this run has lasted so long that a newer one has begun.
    bool is_replaced() const;
    /// The response cannot be shared: each waiting request runs the handler itself. Returns whether
    /// there is one.
    bool decline();
    /// The handler has failed. The next waiting request gets the right; after `kMaxFailures`, none
    /// does: they would run it one after the other.
    void fail();
    /// The key was not the right one: the waiting requests begin again.
    void restart();

   private:
    friend class SharedRuns;
    const std::shared_ptr<SharedRuns> owner_;
    std::shared_ptr<Run> run_;  ///< null after its end
  };

  enum class Outcome {
    lead,       ///< this request runs the handler for the others
    response,   ///< `Joined::response` belongs to another request
    declined,   ///< this request runs the handler for itself
    failed,     ///< the handler has failed for several requests
    restarted,  ///< this request must look for an entry again
    busy,       ///< another request is running the handler, and this one does not wait
    late,       ///< the deadline has passed
    crowded,    ///< too many threads wait for other requests, or for this run or its route
  };
  struct Joined {
    Outcome outcome;
    std::unique_ptr<Leader> lead = {};
    std::shared_ptr<const StoredResponse> response = {};
  };

  struct Joining {
    std::string_view key;
    std::uint64_t version;  ///< of the tags of the key, as this request has seen it
    std::uint64_t seen;     ///< `arrivals` before it has read the version
    /// Of what is known of the request before it is handled; requests with the same one are
    /// parked. Empty: none are because of this request.
    std::optional<std::uint64_t> head_digest;
    std::optional<Clock::time_point> deadline;  ///< empty: the request does not wait
    std::stop_token stop;
    http::Transaction& transaction;
    std::atomic<std::size_t>& waiting_threads;  ///< for the route
    EarlyWait* earlier;  ///< of this request, for a run that was not its own; null if there is none
    std::uint8_t learned = 0;  ///< `StoredKey::learned`
    /// A run that has lasted longer is not waited for: this request leads another one.
    Clock::duration longest = std::chrono::hours(24);
  };
  /// Joins the requests for a key that have seen the same version of its tags; a request that
  /// has seen another one runs the handler again. Throws RequestCancelled if `stop` is requested.
  Joined join(const Joining& joining);

  /// From now on, no request is parked until a run that has begun ends: their responses may be
  /// invalid.
  void forget_head_digests();
  /// How many requests have been parked so far.
  std::uint64_t arrivals() const { return arrivals_.load(); }
  /// Whether there is a run that requests may wait for.
  bool has_runs() const { return head_digest_count_.load(std::memory_order_relaxed) > 0; }
  /// Lets a request wait until the run of others with its digest has ended, or until `deadline`: it
  /// is resumed then. If the run fails, only one is, which leads the others. Null if there is no
  /// such run. Throws std::bad_alloc and std::system_error.
  std::shared_ptr<EarlyWait> park(std::uint64_t digest,
                                  std::shared_ptr<http::WaitingRequest> request,
                                  Clock::time_point deadline,
                                  const std::shared_ptr<base::DeadlineTimer>& timer);

 private:
  friend class EarlyWait;
  enum class State { running, vacant, ended };
  struct Run {
    Runs::iterator place;  ///< valid while `is_listed`
    bool is_listed = false;
    bool is_awaited = false;  ///< requests wait for it: there was no stale response when it began
    std::string key;
    std::uint64_t version = 0;
    std::uint64_t seen = 0;    ///< see `Joining`
    std::uint8_t learned = 0;  ///< `StoredKey::learned`
    std::vector<std::uint64_t> head_digests = {};
    State state = State::running;
    Clock::duration longest = {};
    Clock::time_point abandoned_at = {};  ///< from then on, requests do not wait for it
    Outcome outcome = Outcome::declined;  ///< of those that waited, after the end
    std::shared_ptr<const StoredResponse> response;
    std::size_t waiting = 0;  ///< threads
    Waiting parked = {};
    int failures = 0;
    std::condition_variable_any changed;
  };
  struct ParkedRequest {
    /// May have the response of the run, even if there has been an invalidation since: this request
    /// came before the one that leads the run.
    bool precedes(const Run& leading) const { return arrival <= leading.seen; }

    std::shared_ptr<Run> run;
    std::uint64_t arrival = 0;     ///< its number
    bool is_first = false;         ///< others follow it: see `release_first`
    Waiting::iterator place = {};  ///< in the list of the run, while it waits
    bool is_waiting = false;
    std::shared_ptr<base::DeadlineTimer> timer;
    std::optional<base::DeadlineTimer::Ticket> ticket = {};
    std::shared_ptr<http::WaitingRequest> request;  ///< null after it was resumed
    std::unique_ptr<Leader> offered;  ///< made in advance: a lead ends even without memory
    Joined joined{Outcome::restarted};
  };

  /// A run that requests with few spellings of a URL wait for has no more digests than this.
  static constexpr std::size_t kMaxHeadDigests = 64;
  /// Parked requests that are resumed first when their run has ended, and those that follow each of
  /// them.
  static constexpr std::size_t kFirst = 2;
  static constexpr std::size_t kFollowers = 2;
  /// If the first ones take longer to find a response, twice as many others are resumed, and so on.
  static constexpr std::chrono::milliseconds kStep{50};

  Joined lead_new_run(const Joining& joining, Runs::iterator found, Clock::time_point now);
  static void begin_lead(Run& run, Clock::time_point now);
  /// Returns whether a request is waiting.
  bool end(const std::shared_ptr<Run>& run, Outcome outcome,
           std::shared_ptr<const StoredResponse> response, bool is_current = true);
  /// Lists a new run, instead of the one that was found for the key.
  void list(const std::shared_ptr<Run>& run, Runs::iterator found);
  void unlist(Run& run);
  /// Lets the requests that are parked for a run wait for the next one.
  static void park_for(const std::shared_ptr<Run>& next, Run& run);
  enum class Moved {
    all,
    later,  ///< those that came after the run had begun, whose response it may not be
  };
  /// The same if there is a newer run of the same key, whose response they need.
  void move_on(Run& run, Moved which);
  /// The response of the run is no longer valid, except for requests that came before it. One of
  /// the others gets the lead of the next run, and the rest waits for that.
  void offer_next(Run& ended) noexcept;
  /// Requests wait for a run, and those with the digest before they are handled.
  void await(const std::shared_ptr<Run>& run, std::optional<std::uint64_t> digest);
  /// Offers the lead to a waiting request.
  void vacate(const std::shared_ptr<Run>& run);
  /// Releases the first requests that are parked for an ended run, unless there is a newer one of
  /// their key, which they wait for. Lets each release others when it has looked for the response:
  /// if it is no longer valid, one of them leads the next run, and the others would wait for it on
  /// threads.
  void release_first(Run& run, std::size_t count);
  /// Releases the others step by step, whatever becomes of the first ones.
  void release_rest(const std::shared_ptr<Run>& run, base::DeadlineTimer& timer, std::size_t count);
  /// One of the first requests has joined a run, because the response of the ended one was not its
  /// own. If `next` is another run of the same key, the others wait for it, too; otherwise, and if
  /// it is null, they are released.
  void follow(EarlyWait& first, const std::shared_ptr<Run>& next);
  /// `resume_all` resumes the request.
  void release(ParkedRequest& parked, Outcome outcome);
  /// Resumes the requests that were released. One thread at a time does, and requests that are
  /// destroyed meanwhile add to its work.
  void resume_all();
  /// The same on the thread of the timer, for callers that may have locks of the engine.
  void resume_all_later(const std::shared_ptr<base::DeadlineTimer>& timer) noexcept;

  std::mutex mutex_;  ///< of all runs
  Runs runs_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Run>> by_head_digest_;
  std::atomic<std::size_t> head_digest_count_ = 0;  ///< the size of `by_head_digest_`
  std::atomic<std::uint64_t> arrivals_ = 0;
  Waiting released_;
  bool is_resuming_ = false;
};

/// The wait of a request that was parked, until it has been handled.
class EarlyWait {
 public:
  EarlyWait(std::shared_ptr<SharedRuns> owner, std::shared_ptr<SharedRuns::ParkedRequest> request)
      : owner_(std::move(owner)), request_(std::move(request)) {}
  /// Ends the wait. If the request was to lead the others and has not, the next one gets the right.
  ~EarlyWait();
  EarlyWait(const EarlyWait&) = delete;
  EarlyWait& operator=(const EarlyWait&) = delete;

  /// After the request was resumed: how the run has ended. Empty if it was the run of another key
  /// or version, or if the request must look for an entry again. If the request leads, others with
  /// its digest wait for it. May be called once.
  std::optional<SharedRuns::Joined> take(const SharedRuns::Joining& joining);
  /// Called instead if the request has found a stored response, or does not need one.
  void pass();
  /// Whether the run may have been the one of a key: the language or the version of the pages may
  /// have become a part of the key since.
  bool may_be_for(std::string_view key, std::uint8_t learned) const;

 private:
  friend class SharedRuns;
  const std::shared_ptr<SharedRuns> owner_;
  const std::shared_ptr<SharedRuns::ParkedRequest> request_;
};

}  // namespace fw::detail
