// A long mixed load. Usage: wire_soak SERVER MINUTES SET...
// Fails on a wrong response, on memory that grows, or that does not go back to the system within a
// minute of the load, on anything the server says on standard error (as a sanitizer does), and when
// it does not end cleanly.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "soak/loads.hpp"
#include "support/server_process.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kReportInterval = 30s;
/// Buffers and pools have their size after a quarter of the time, within these bounds. A run that
/// is shorter says nothing of the memory.
constexpr auto kMinWarmUp = 60s;
constexpr auto kMaxWarmUp = 300s;
constexpr std::size_t kMegabyte = 1024 * 1024;

/// What may be added to the memory after the warm-up: a part of it for the allocator's moods.
std::size_t allowed(std::size_t warm) { return warm + warm / 5 + 16 * kMegabyte; }

/// What may be left of a load's memory, and when.
constexpr std::size_t kLeftBehind = 30 * kMegabyte;
constexpr auto kTimeToRecover = 60s;

/// Cases in which a body does not come wait for it that long, once for each way of sending them. A
/// client may not be scheduled for some seconds.
constexpr auto kConfig = R"({"server": {"requestTimeout": 5000, "keepAliveTimeout": 10000}})";

class Clients {
 public:
  Clients(std::uint16_t port, const std::vector<wire::Load>& loads) : rounds_(loads.size()) {
    for (std::size_t i = 0; i < loads.size(); ++i) {
      threads_.emplace_back([this, port, i, load = loads[i]] { run(port, i, load); });
    }
  }

  void stop() {
    stopping_ = true;
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }

  std::size_t rounds(std::size_t load) const { return rounds_[load]; }
  std::size_t failures() const { return failures_; }

 private:
  void run(std::uint16_t port, std::size_t index, const wire::Load& load) {
    wire::Random random(static_cast<std::uint32_t>(index + 1));
    while (!stopping_) {
      try {
        load.round(port, random);
        ++rounds_[index];
      } catch (const std::exception& error) {
        if (++failures_ > 20) return;
        const std::lock_guard lock(mutex_);
        std::cerr << "soak: " << load.name << ": " << error.what() << "\n";
      }
    }
  }

  std::atomic<bool> stopping_{false};
  std::vector<std::atomic<std::size_t>> rounds_;
  std::atomic<std::size_t> failures_{0};
  std::mutex mutex_;  ///< of standard error
  std::vector<std::thread> threads_;
};

/// Reports until the time is over; false if the memory grew past what is allowed.
bool watch_memory(const wire::ServerProcess& server, const Clients& clients,
                  std::chrono::seconds time) {
  const auto begin = Clock::now();
  const auto warm_up = std::clamp<std::chrono::seconds>(time / 4, kMinWarmUp, kMaxWarmUp);
  std::size_t warm = 0;
  std::size_t resident = 0;
  auto next_report = begin;
  while (Clock::now() < begin + time && clients.failures() <= 20) {
    resident = server.resident_bytes();
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin);
    if (warm == 0 && passed >= warm_up) warm = resident;
    if (Clock::now() >= next_report) {
      next_report += kReportInterval;
      std::cout << passed.count() << " s: " << resident / kMegabyte << " MB, "
                << server.descriptors() << " descriptors, " << server.threads() << " threads"
                << std::endl;
    }
    if (warm != 0 && resident > allowed(warm)) break;
    std::this_thread::sleep_for(500ms);
  }
  if (warm == 0) return true;
  std::cout << "memory after the warm-up " << warm / kMegabyte << " MB, at the end "
            << resident / kMegabyte << " MB\n";
  return resident <= allowed(warm);
}

/// Whether the memory comes back to what it was. Sanitizers keep what has been freed.
bool watch_recovery(const wire::ServerProcess& server, std::size_t before) {
  if (wire::kIsSanitized) return true;
  const auto begin = Clock::now();
  const auto loaded = server.resident_bytes();
  auto resident = loaded;
  while (resident > before + kLeftBehind && Clock::now() < begin + kTimeToRecover) {
    std::this_thread::sleep_for(500ms);
    resident = server.resident_bytes();
  }
  const auto passed = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin);
  std::cout << "memory before the load " << before / kMegabyte << " MB, after it "
            << loaded / kMegabyte << " MB, " << passed.count() << " s later "
            << resident / kMegabyte << " MB\n";
  return resident <= before + kLeftBehind;
}

int soak(const std::string& program, std::chrono::seconds time, std::vector<wire::Case> cases) {
  wire::raise_descriptor_limit();
  wire::ServerProcess server(program, {.config = kConfig});
  const auto before = server.resident_bytes();
  const auto loads = wire::all_loads(std::move(cases));
  Clients clients(server.port(), loads);
  const bool is_flat = watch_memory(server, clients, time);
  clients.stop();
  const bool has_recovered = watch_recovery(server, before);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    std::cout << loads[i].name << ": " << clients.rounds(i) << " rounds\n";
    if (clients.rounds(i) == 0) std::cerr << "soak: " << loads[i].name << ": no round was right\n";
  }
  server.process().signal(SIGTERM);
  const int status = server.process().wait(60s);
  const auto said = server.process().standard_error();
  if (!is_flat) std::cerr << "soak: the memory grew\n";
  if (!has_recovered) std::cerr << "soak: the memory did not come back\n";
  if (status != 0) std::cerr << "soak: the server ended with status " << status << "\n";
  if (!said.empty()) std::cerr << "soak: the server said:\n" << said;
  const bool is_good =
      is_flat && has_recovered && status == 0 && said.empty() && clients.failures() == 0;
  std::cout << (is_good ? "soak: no failure\n" : "soak: FAILED\n");
  return is_good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: wire_soak SERVER MINUTES SET...\n";
    return 2;
  }
  try {
    const auto minutes = std::stod(argv[2]);
    std::vector<wire::Case> cases;
    for (int i = 3; i < argc; ++i) {
      for (auto& one : wire::read_cases(argv[i]).cases) cases.push_back(std::move(one));
    }
    return soak(argv[1], std::chrono::seconds(static_cast<long>(minutes * 60)), std::move(cases));
  } catch (const std::exception& error) {
    std::cerr << "wire_soak: " << error.what() << "\n";
    return 2;
  }
}
