#include "client/network/lookup_pool.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <netdb.h>
#include <new>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "base/ascii.hpp"
#include "base/signals.hpp"

namespace fw::client {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kIdleTime{10};
/// Labels before a country below which anyone can register a domain: "co.uk", "com.au".
constexpr std::array<std::string_view, 16> kShared = {"ac",  "co",  "com", "edu", "go",  "gob",
                                                      "gov", "id",  "ltd", "me",  "mil", "ne",
                                                      "net", "nom", "or",  "org"};

LookupPool::Result result_of(const LookUp& look_up, const std::string& host) {
  try {
    return {.addresses = look_up(host), .error = {}};
  } catch (const std::exception& error) {
    return {.addresses = {}, .error = error.what()};
  }
}

}  // namespace

std::vector<std::string> system_addresses(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, freeaddrinfo);
  std::vector<std::string> addresses;
  for (const addrinfo* each = code == 0 ? found : nullptr; each != nullptr; each = each->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(each->ai_addr, each->ai_addrlen, text.data(), text.size(), nullptr, 0,
                    NI_NUMERICHOST) != 0) {
      continue;
    }
    // libcurl accepts no address with the name of an interface.
    if (std::string_view(text.data()).find('%') == std::string_view::npos) {
      addresses.emplace_back(text.data());
    }
  }
  if (addresses.empty()) throw std::runtime_error("Could not resolve host: " + host);
  return addresses;
}

std::string_view domain_of(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  const auto dot_before = [&](std::size_t end) {
    return end == std::string_view::npos || end == 0 ? std::string_view::npos
                                                     : host.rfind('.', end - 1);
  };
  const std::size_t last = dot_before(host.size());
  std::size_t begin = dot_before(last);
  const std::size_t label = begin == std::string_view::npos ? 0 : begin + 1;
  const bool has_country = last != std::string_view::npos && host.size() - last == 3;
  if (has_country && std::ranges::any_of(kShared, [&](std::string_view shared) {
        return base::equal_ignoring_case(host.substr(label, last - label), shared);
      })) {
    begin = dot_before(begin);
  }
  return begin == std::string_view::npos ? host : host.substr(begin + 1);
}

struct LookupPool::State {
  struct Job {
    std::map<std::uint64_t, Receive> receivers = {};
    std::optional<Clock::time_point> reserved = {};  ///< since when it has one of the threads
    bool is_running = false;
  };
  using Jobs = std::unordered_map<std::string, Job>;

  explicit State(LookUp function) : look_up(std::move(function)) {}

  // All of these functions are called with the lock.

  /// Null if no look-up may begin.
  Jobs::value_type* take() {
    for (auto* const queue : {&reserved_waiting, &others_waiting}) {
      if (queue == &others_waiting && others_running >= kMaxForOthers) continue;
      if (queue->empty()) continue;
      auto& job = *jobs.find(queue->front());
      queue->pop_front();
      return &job;
    }
    return nullptr;
  }
  std::deque<std::string>& queue_of(const Job& job) {
    return job.reserved ? reserved_waiting : others_waiting;
  }
  /// The number of waiting look-ups for which a thread has work.
  std::size_t ready() const {
    const auto free = kMaxForOthers - std::min(kMaxForOthers, others_running);
    return reserved_waiting.size() + std::min(others_waiting.size(), free);
  }
  /// Whether the name has one of the threads that others cannot take, until `release`.
  std::optional<Clock::time_point> reserve(const std::string& host) {
    const std::string domain(domain_of(host));
    if (!known.contains(domain)) return std::nullopt;
    const auto now = Clock::now();
    auto& begun = reserved[domain];
    if (!begun.empty() && now - begun.front() >= kQuick) {
      known.erase(domain);
      return std::nullopt;
    }
    if (begun.size() >= kMaxForDomain) return std::nullopt;
    begun.push_back(now);
    return now;
  }
  void release(const std::string& host, Clock::time_point since) {
    const auto found = reserved.find(std::string(domain_of(host)));
    auto& begun = found->second;
    begun.erase(std::ranges::find(begun, since));
    if (begun.empty()) reserved.erase(found);
  }
  void learn(const std::string& host, bool is_quick) {
    std::string domain(domain_of(host));
    if (!is_quick) {
      known.erase(domain);
      return;
    }
    if (known.size() >= kMaxKnown && !known.contains(domain)) known.erase(known.begin());
    known.insert(std::move(domain));
  }

  static void work(const std::shared_ptr<State>& state);
  void run(std::unique_lock<std::mutex>& lock, Jobs::value_type& entry);

  const LookUp look_up;
  std::mutex mutex;  // guards the following members
  std::condition_variable changed;
  Jobs jobs;
  std::deque<std::string> reserved_waiting;
  std::deque<std::string> others_waiting;
  std::unordered_set<std::string> known;  ///< domains
  /// By domain: since when its names have had their threads, the oldest first.
  std::unordered_map<std::string, std::vector<Clock::time_point>> reserved;
  std::uint64_t next_number = 0;
  std::size_t threads = 0;
  std::size_t idle = 0;
  std::size_t others_running = 0;
  bool has_ended = false;
};

void LookupPool::State::work(const std::shared_ptr<State>& state) {
  base::block_signals();
  std::unique_lock lock(state->mutex);
  while (!state->has_ended) {
    if (auto* const entry = state->take()) {
      state->run(lock, *entry);
      continue;
    }
    ++state->idle;
    const bool is_idle = state->changed.wait_for(lock, kIdleTime) == std::cv_status::timeout;
    --state->idle;
    if (is_idle && state->reserved_waiting.empty() && state->others_waiting.empty()) break;
  }
  --state->threads;
}

void LookupPool::State::run(std::unique_lock<std::mutex>& lock, Jobs::value_type& entry) {
  const std::string host = entry.first;
  const auto since = entry.second.reserved;
  entry.second.is_running = true;
  if (!since) ++others_running;
  lock.unlock();
  const auto begin = Clock::now();
  const Result result = result_of(look_up, host);
  const bool is_quick = Clock::now() - begin < kQuick;
  lock.lock();
  if (since) {
    release(host, *since);
  } else {
    --others_running;
  }
  // Servers that quickly say that there is no such name are not slow.
  if (!is_quick || !result.addresses.empty()) learn(host, is_quick);
  const auto job = jobs.extract(host);
  // With the lock, so that none is called after the end of the pool.
  for (const auto& [number, receive] : job.mapped().receivers) {
    try {
      receive(result);
    } catch (const std::bad_alloc&) {
      // The call ends at its deadline.
    }
  }
  if (ready() > 0) changed.notify_one();
}

LookupPool::LookupPool(LookUp look_up)
    : state_(std::make_shared<State>(look_up ? std::move(look_up) : system_addresses)) {}

LookupPool::~LookupPool() {
  const std::lock_guard lock(state_->mutex);
  state_->has_ended = true;
  for (auto& [host, job] : state_->jobs) job.receivers.clear();
  state_->changed.notify_all();
}

LookupPool::Ticket LookupPool::begin(const std::string& host, Receive receive) {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  const auto [found, is_new] = state.jobs.try_emplace(host);
  State::Job& job = found->second;
  const std::uint64_t number = state.next_number++;
  if (!is_new) {
    job.receivers.emplace(number, std::move(receive));
    return {host, number};
  }
  const auto discard = [&] {
    if (job.reserved) state.release(host, *job.reserved);
    state.jobs.erase(host);
  };
  const auto reject = [&](const char* why) {
    discard();
    receive({.addresses = {}, .error = "Could not resolve host: " + host + ": " + why});
    return Ticket{host, number};
  };
  try {
    job.reserved = state.reserve(host);
  } catch (...) {
    discard();
    throw;
  }
  auto& queue = state.queue_of(job);
  if (queue.size() >= kMaxWaiting) return reject("too many names are being looked up");
  const bool may_begin =
      job.reserved || state.others_running + state.others_waiting.size() < kMaxForOthers;
  if (may_begin && state.ready() >= state.idle && state.threads < kMaxThreads) {
    try {
      std::thread([shared = state_] { State::work(shared); }).detach();
      ++state.threads;
    } catch (const std::exception&) {
      if (state.threads == 0) return reject("there is no thread for it");
    }
  }
  try {
    job.receivers.emplace(number, std::move(receive));
    queue.push_back(host);
  } catch (...) {
    discard();
    throw;
  }
  state.changed.notify_one();
  return {host, number};
}

void LookupPool::cancel(const Ticket& ticket) {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  const auto found = state.jobs.find(ticket.host);
  if (found == state.jobs.end()) return;
  State::Job& job = found->second;
  job.receivers.erase(ticket.number);
  if (!job.receivers.empty() || job.is_running) return;
  std::erase(state.queue_of(job), ticket.host);
  if (job.reserved) state.release(ticket.host, *job.reserved);
  state.jobs.erase(found);
}

std::size_t LookupPool::size() const {
  const std::lock_guard lock(state_->mutex);
  return state_->threads;
}

}  // namespace fw::client
