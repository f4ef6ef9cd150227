#include "client/network/curl_engine.hpp"

#include <exception>
#include <functional>
#include <map>
#include <new>
#include <stdexcept>
#include <string_view>

#include "base/signals.hpp"

namespace fw::client {
namespace {

constexpr long kMaxIdle = 256;  // connections
constexpr std::size_t kMaxSpares = 64;
constexpr int kMaxWait = 60'000;  // milliseconds
/// Each has a connection and what is left of its body, but no thread that would bound them.
constexpr std::size_t kMaxDetached = 256;
constexpr std::size_t kMaxDetachedMemory = std::size_t{64} * 1024 * 1024;
/// They stay until their responses end, so that those with a size must keep places.
constexpr std::size_t kMaxDetachedWithoutSize = kMaxDetached / 2;
/// What has sent nothing for less than that is being sent.
constexpr std::chrono::seconds kShortPause{1};

void check(CURLMcode code) {
  if (code != CURLM_OK) throw std::runtime_error(libcurl().multi_strerror(code));
}

MultiHandle new_multi() {
  MultiHandle multi(libcurl().multi_init());
  if (!multi) throw std::bad_alloc();
  // Without free descriptors, some versions return a handle that nothing can wake.
  check(libcurl().multi_wakeup(multi.get()));
  libcurl().multi_setopt(multi.get(), CURLMOPT_MAXCONNECTS, kMaxIdle);
  // A connection for each transfer: libcurl 7.88 may not see the end of a response that another
  // transfer of the connection receives, until more arrives.
  libcurl().multi_setopt(multi.get(), CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
  return multi;
}

ShareHandle new_share() {
  ShareHandle share(libcurl().share_init());
  if (!share) throw std::bad_alloc();
  libcurl().share_setopt(share.get(), CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
  libcurl().share_setopt(share.get(), CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
  return share;
}

}  // namespace

CurlEngine::CurlEngine(CurlSettings& settings)
    : settings_(settings),
      share_(new_share()),
      multi_(new_multi()),
      lookups_(settings.options.look_up),
      thread_([this] { run(); }) {}

CurlEngine::~CurlEngine() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    libcurl().multi_wakeup(multi_.get());
  }
  thread_.join();
}

void CurlEngine::stop() {
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
  libcurl().multi_wakeup(multi_.get());
}

void CurlEngine::post(Command command) {
  const std::lock_guard lock(mutex_);
  // If there is one, the thread has been woken.
  const bool wakes = commands_.empty();
  commands_.push_back(std::move(command));
  if (wakes) libcurl().multi_wakeup(multi_.get());
}

void CurlEngine::run() {
  base::block_signals();
  while (process_commands()) {
    // libcurl may lose the timer by which it wants to be called again for bytes that TLS or HTTP/2
    // has already read: when it is set within a millisecond of the beginning of `multi_perform`,
    // and another one of the transfer has expired before.
    if (!perform()) wait();
  }
  end_all();
}

/// Returns false if the engine is being destroyed.
bool CurlEngine::process_commands() {
  bool is_stopped = false;
  taken_.clear();
  {
    const std::lock_guard lock(mutex_);
    if (ends_) return false;
    is_stopped = is_stopped_;
    taken_.swap(commands_);
  }
  for (Command& command : taken_) {
    const std::shared_ptr<CurlJob>& job = command.job;
    switch (command.kind) {
      case Command::Kind::start:
        begin(job);
        break;
      case Command::Kind::resume:
        // A transfer whose host is being looked up waits for nothing else.
        if (running_.contains(job->easy())) job->resume();
        break;
      case Command::Kind::cancel:
        end(*job);
        break;
      case Command::Kind::detach:
        if (running_.contains(job->easy())) add_detached(job, std::move(*command.detachment));
        break;
      case Command::Kind::looked_up:
        continue_after_lookup(command);
        break;
    }
  }
  taken_.clear();
  if (is_stopped) end_all();
  return true;
}

void CurlEngine::begin(const std::shared_ptr<CurlJob>& job) {
  try {
    EasyHandle easy;
    if (spares_.empty()) {
      easy.reset(libcurl().easy_init());
      if (!easy) throw std::bad_alloc();
      libcurl().easy_setopt(easy.get(), CURLOPT_SHARE, share_.get());
    } else {
      easy = std::move(spares_.back());
      spares_.pop_back();
    }
    job->set_up(std::move(easy), settings_);
    add(job);
  } catch (const std::exception& error) {
    job->fail(error.what());
    job->take_easy();
  }
}

void CurlEngine::add(const std::shared_ptr<CurlJob>& job) {
  running_.emplace(job->easy(), job);
  if (const CURLMcode code = libcurl().multi_add_handle(multi_.get(), job->easy())) {
    running_.erase(job->easy());
    check(code);
  }
  may_have_idle_ = true;
}

/// Looks up the host of a transfer, which continues afterwards.
void CurlEngine::look_up(const std::shared_ptr<CurlJob>& job) {
  running_.erase(job->easy());
  libcurl().multi_remove_handle(multi_.get(), job->easy());
  try {
    Lookup& lookup = looking_up_[job.get()];
    lookup.job = job;
    lookup.ticket =
        lookups_.begin(job->wanted_host(), [this, job](const LookupPool::Result& result) {
          post({Command::Kind::looked_up, job, result});
        });
  } catch (const std::exception& error) {
    looking_up_.erase(job.get());
    job->fail(error.what());
    keep_spare(*job);
  }
}

void CurlEngine::continue_after_lookup(const Command& command) {
  const std::shared_ptr<CurlJob>& job = command.job;
  if (looking_up_.erase(job.get()) == 0) return;
  try {
    if (command.result.addresses.empty()) throw std::runtime_error(command.result.error);
    job->set_addresses(command.result.addresses);
    add(job);
  } catch (const std::exception& error) {
    job->fail(error.what());
    keep_spare(*job);
  }
}

/// Returns false if the host of the transfer is not being looked up.
bool CurlEngine::stop_lookup(CurlJob& job) {
  const auto found = looking_up_.find(&job);
  if (found == looking_up_.end()) return false;
  lookups_.cancel(found->second.ticket);
  const auto kept = std::move(found->second.job);
  looking_up_.erase(found);
  keep_spare(*kept);
  return true;
}

/// Ends a transfer, and closes its connection unless it is complete.
void CurlEngine::end(CurlJob& job) {
  if (stop_lookup(job)) return;
  const auto found = running_.find(job.easy());
  if (found == running_.end()) return;
  const auto kept = std::move(found->second);
  running_.erase(found);
  kept->forbid_reuse();
  libcurl().multi_remove_handle(multi_.get(), kept->easy());
  keep_spare(*kept);
  last_end_ = std::chrono::steady_clock::now();
}

void CurlEngine::keep_spare(CurlJob& job) {
  EasyHandle easy = job.take_easy();
  libcurl().easy_reset(easy.get());
  if (spares_.size() < kMaxSpares) spares_.push_back(std::move(easy));
}

/// No handle may stay with a job, whose owners may outlive the engine and what handles share.
void CurlEngine::end_all() {
  for (const auto& [easy, job] : running_) job->fail("the application has ended");
  for (const auto& [key, lookup] : looking_up_) lookup.job->fail("the application has ended");
  while (!running_.empty()) end(*running_.begin()->second);
  while (!looking_up_.empty()) end(*looking_up_.begin()->second.job);
}

/// Returns whether bytes have arrived over TLS.
bool CurlEngine::perform() {
  int running = 0;
  libcurl().multi_perform(multi_.get(), &running);
  int left = 0;
  while (const CURLMsg* const message = libcurl().multi_info_read(multi_.get(), &left)) {
    const auto found = running_.find(message->easy_handle);
    if (message->msg != CURLMSG_DONE || found == running_.end()) continue;
    const std::shared_ptr<CurlJob> job = found->second;
    if (!job->wanted_host().empty()) {
      look_up(job);
      continue;
    }
    job->finish(message->data.result);
    end(*job);
    job->notify();
  }
  // Only now, so that a caller that waits for the head finds a short body as well.
  bool has_received = false;
  for (const auto& [easy, job] : running_) {
    job->notify();
    if (job->take_received_by_tls()) has_received = true;
  }
  end_detached();
  return has_received;
}

void CurlEngine::add_detached(std::shared_ptr<CurlJob> job, Detachment detachment) {
  job->resume();
  const auto now = Clock::now();
  const auto end = now + settings_.options.longest_detached;
  detachment.until = std::min(detachment.until.value_or(end), end);
  detached_.push_back({job, std::move(detachment), now, job->progress().sent});
  bound_detached(kMaxDetached, [](const CurlJob&) { return std::size_t{1}; });
  bound_detached(kMaxDetachedMemory, &CurlJob::memory);
  bound_detached(kMaxDetachedWithoutSize,
                 [](const CurlJob& each) { return std::size_t{each.has_body_size() ? 0U : 1U}; });
}

/// For how long nothing of the request has been sent, or zero while it is being sent. Without a
/// size, all of it may have been sent.
Clock::duration CurlEngine::Detached::pause(Clock::time_point now) const {
  const auto pause = now - last_sent;
  return pause < kShortPause && job->has_body_size() ? Clock::duration::zero() : pause;
}

/// Ends jobs until the sum of their amounts is not larger than `most`, or there is only one: of the
/// origin that has most, the job of which nothing has been sent for the longest time, and if all
/// are being sent, the newest one. So neither the clients of one upstream nor those that come first
/// cut off others.
void CurlEngine::bound_detached(std::size_t most, auto amount_of) {
  const auto amount = [&](const Detached& each) { return std::invoke(amount_of, *each.job); };
  while (true) {
    std::size_t sum = 0;
    std::map<std::string_view, std::size_t> by_origin;
    for (const Detached& each : detached_) {
      sum += amount(each);
      by_origin[each.job->origin()] += amount(each);
    }
    if (sum <= most) return;
    const auto now = Clock::now();
    const auto rank = [&](const Detached& each) {
      return std::pair(by_origin.at(each.job->origin()), each.pause(now));
    };
    auto last = detached_.end();
    std::size_t count = 0;
    for (auto each = detached_.begin(); each != detached_.end(); ++each) {
      if (amount(*each) == 0) continue;
      ++count;
      if (last == detached_.end() || rank(*each) >= rank(*last)) last = each;
    }
    if (count == 1) return;
    end(*last->job);
    last->detachment.on_cut_off("too many others are being sent for dropped responses");
    detached_.erase(last);
  }
}

void CurlEngine::end_detached() {
  const auto now = Clock::now();
  std::erase_if(detached_, [&](Detached& each) {
    CurlJob& job = *each.job;
    if (!running_.contains(job.easy())) return true;
    const Transfer::Progress& progress = job.progress();
    if (progress.sent != each.sent) each.last_sent = now;
    each.sent = progress.sent;
    if (!progress.has_sent_request && now < each.end()) return false;
    end(job);
    if (!progress.has_sent_request && job.has_body_size()) {
      each.detachment.on_cut_off(now < *each.detachment.until
                                     ? "nothing of it has been sent for idleTimeout"
                                     : "its time is over");
    }
    return true;
  });
}

void CurlEngine::wait() {
  int timeout = kMaxWait;
  if (running_.empty() && may_have_idle_) {
    const auto left = last_end_ + settings_.options.longest_idle - std::chrono::steady_clock::now();
    const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    if (milliseconds > 0) {
      timeout = static_cast<int>(milliseconds);
    } else if (!close_idle_connections()) {
      last_end_ = std::chrono::steady_clock::now();
      timeout = static_cast<int>(settings_.options.longest_idle.count());
    }
  }
  for (const Detached& each : detached_) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(each.end() - Clock::now());
    timeout = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, timeout));
  }
  libcurl().multi_poll(multi_.get(), nullptr, 0, timeout, nullptr);
}

/// libcurl has no function for this, so that the handle that has them is replaced. Returns false if
/// that is not possible now.
bool CurlEngine::close_idle_connections() {
  MultiHandle next;
  try {
    next = new_multi();
  } catch (const std::exception&) {
    return false;
  }
  may_have_idle_ = false;
  spares_.clear();
  const std::lock_guard lock(mutex_);
  multi_.swap(next);
  // Commands may have been posted to the earlier one.
  if (!commands_.empty() || ends_ || is_stopped_) libcurl().multi_wakeup(multi_.get());
  return true;
}

}  // namespace fw::client
