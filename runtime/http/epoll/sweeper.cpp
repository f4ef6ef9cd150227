#include "http/epoll/sweeper.hpp"

#include <algorithm>
#include <ctime>
#include <malloc.h>
#include <new>
#include <numeric>
#include <vector>

namespace fw::http {
namespace {

/// Milliseconds between two reports of late requests.
constexpr std::int64_t kReportInterval = 1'000;
/// Milliseconds of processor time after which freed memory is worth returning to the system.
constexpr std::int64_t kMinCpuTimeBeforeTrim = 10;

std::int64_t process_cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1000 + time.tv_nsec / 1'000'000;
}

}  // namespace

void Sweeper::run(std::size_t busy) {
  const auto now = coarse_now();
  connections_.for_each([&](const auto& connection) { connection->wake_if_expired(now); });
  if (context_->buffers.is_scarce()) shed_slowest(now);
  report_rejected(now);
  if (busy == 0) trim_memory(now);
}

/// Frees memory: sheds the connections with buffered data whose clients are slowest.
void Sweeper::shed_slowest(std::int64_t now) {
  struct Candidate {
    TransferMeter::Reading transfer;
    std::shared_ptr<Connection> connection;
  };
  std::vector<Candidate> candidates;
  connections_.for_each([&](const auto& connection) {
    if (const auto transfer = connection->transfer(now)) {
      candidates.push_back({*transfer, connection});
    }
  });
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.transfer.rate < b.transfer.rate;
  });
  for (const auto& [transfer, connection] : candidates) {
    if (context_->buffers.excess() == 0) return;
    // If a worker owns the connection, it makes progress.
    if (!connection->acquire()) continue;
    try {
      connection->shed();
    } catch (const std::bad_alloc&) {
      connection->abort();
    }
    connection->post();
  }
}

/// Returns memory to the system, because the allocator keeps most of it after a load.
void Sweeper::trim_memory(std::int64_t now) {
  const auto interval = context_->options.trim_interval.count();
  if (interval == 0 || now < next_trim_) return;
  next_trim_ = now + interval;
  const auto cpu_time = process_cpu_time();
  if (cpu_time - cpu_time_at_trim_ < kMinCpuTimeBeforeTrim) return;
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  cpu_time_at_trim_ = process_cpu_time();
}

void Sweeper::report_rejected(std::int64_t now) {
  const FloodCounts counts = context_->flood_counts();
  const std::uint64_t floods = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const bool has_any =
      late_requests_.load() > 0 || floods > reported_floods_ || context_->failed_accepts.load() > 0;
  if (now < next_report_ || !has_any) return;
  next_report_ = now + kReportInterval;
  const AdapterOptions& options = context_->options;
  const auto late = late_requests_.exchange(0);
  if (late > 0 && options.report_late) options.report_late(late);
  const std::uint64_t unreported = floods - std::exchange(reported_floods_, floods);
  if (unreported > 0 && options.report_floods) options.report_floods(unreported);
  const auto failed_accepts = context_->failed_accepts.exchange(0);
  if (failed_accepts > 0 && options.report_failed_accepts) {
    options.report_failed_accepts(failed_accepts, context_->accept_error.load());
  }
}

}  // namespace fw::http
