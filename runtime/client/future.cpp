#include <fairway/future.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>

#include "exchange/current.hpp"
#include "exchange/task.hpp"

namespace fw::detail {
namespace {

/// Passes a stop request on to nested work.
using Link = std::stop_callback<std::function<void()>>;

void link_to_current_task(std::optional<Link>& link, std::stop_source& source) {
  if (t_task == nullptr) return;
  link.emplace(t_task->signal, [&source] { source.request_stop(); });
}

/// A task of the current one.
Task nested_task(const std::stop_source& source, std::string_view reason) {
  const Task* const current = current_task();
  return {.signal = source.get_token(),
          .reason = reason,
          .has_aborted_call = current != nullptr ? current->has_aborted_call : nullptr};
}

/// Maximum number of threads of the process for background work.
constexpr int kMaxThreads = 256;

/// The right to start one of them.
class ThreadPermit {
 public:
  ThreadPermit() : is_granted_(count.fetch_add(1) < kMaxThreads) {
    if (!is_granted_) --count;
  }
  ThreadPermit(ThreadPermit&& other) noexcept
      : is_granted_(std::exchange(other.is_granted_, false)) {}
  ThreadPermit& operator=(ThreadPermit&&) = delete;
  ~ThreadPermit() {
    if (is_granted_) --count;
  }
  explicit operator bool() const { return is_granted_; }

 private:
  static inline std::atomic<int> count = 0;
  bool is_granted_;
};

/// Runs `work` on a thread, or at once if the process has too many already. A caller that waits for
/// background work while others wait for a thread would otherwise wait for ever.
template <class Work>
std::jthread run_in_background(const Work& work) {
  ThreadPermit permit;
  if (permit) {
    try {
      return std::jthread([work, kept = std::move(permit)] { work(); });
    } catch (const std::system_error&) {  // no thread is available
    }
  }
  work();
  return {};
}

}  // namespace

struct BackgroundTask::State {
  /// A copy, because the request may end before the work does.
  std::optional<RequestContext> context;
  std::stop_source source;
  std::optional<Link> link;

  std::mutex mutex;
  std::condition_variable ended;
  bool is_over = false;
  std::jthread thread;

  /// What waits for the work depends on what the work has read.
  void pass_on_reads() const {
    const RequestContext* const waiting = current_context();
    if (waiting != nullptr && context && context->id_is_used.is_set()) {
      waiting->id_is_used.exchange(true);
    }
  }
};

BackgroundTask::BackgroundTask(std::function<void()> work) : state_(std::make_shared<State>()) {
  if (const RequestContext* context = current_context()) state_->context = context->for_thread();
  link_to_current_task(state_->link, state_->source);
  const Task task = nested_task(state_->source, "its fw::Future was dropped");
  state_->thread = run_in_background([&state = *state_, task, work = std::move(work)] {
    const CurrentContextScope context(state.context ? &*state.context : nullptr);
    const TaskScope scope(&task);
    work();
    const std::lock_guard lock(state.mutex);
    state.is_over = true;
    state.ended.notify_all();
  });
}

BackgroundTask::~BackgroundTask() {
  // A response that the work has returned must not be cancelled.
  if (!wait_for(std::chrono::milliseconds(0))) state_->source.request_stop();
  if (state_->thread.joinable()) state_->thread.join();
  state_->pass_on_reads();
}

bool BackgroundTask::wait_for(std::chrono::milliseconds duration) const {
  std::unique_lock lock(state_->mutex);
  if (!state_->ended.wait_for(lock, duration, [this] { return state_->is_over; })) return false;
  state_->pass_on_reads();
  return true;
}

void BackgroundTask::wait() const {
  std::unique_lock lock(state_->mutex);
  state_->ended.wait(lock, [this] { return state_->is_over; });
  state_->pass_on_reads();
}

void run_together(const std::vector<std::function<void()>>& functions) {
  std::stop_source source;
  std::optional<Link> link;
  link_to_current_task(link, source);
  std::mutex mutex;
  std::exception_ptr first_error;
  const Task task = nested_task(source, "another function of fw::all has failed");
  const RequestContext* const context = current_context();
  // A copy, because a function may end the span that is current now.
  const KeptPosition span(current_span());
  if (context != nullptr) context->keep_caller();  // now, because the threads share the context
  const auto run = [&](const std::function<void()>& function) {
    const CurrentContextScope context_scope(context);
    const CurrentSpanScope span_scope(span.get());
    const TaskScope task_scope(&task);
    try {
      function();
    } catch (...) {
      {
        const std::lock_guard lock(mutex);
        if (!first_error) first_error = std::current_exception();
      }
      source.request_stop();
    }
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(functions.size());
    for (std::size_t i = 1; i < functions.size(); ++i) {
      threads.push_back(run_in_background([&run, &function = functions[i]] { run(function); }));
    }
    if (!functions.empty()) run(functions.front());
  }
  if (first_error) std::rethrow_exception(first_error);
}

}  // namespace fw::detail
