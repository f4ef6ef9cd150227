// What thousands of clients that send a byte a second cost those who send requests.
// Usage: bench_slow_loris SERVER [CONNECTIONS], default 2000.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "support/latency.hpp"
#include "support/server_process.hpp"
#include "support/slow_loris.hpp"

namespace {

constexpr int kRounds = 7;
constexpr std::size_t kRequests = 3000;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int run(const std::string& program, std::size_t connections) {
  if (wire::raise_descriptor_limit() < connections + 100) {
    std::fprintf(stderr, "bench: too few descriptors for %zu connections\n", connections);
    return 2;
  }
  wire::ServerProcess server(program);
  wire::p99_of(server.port(), kRequests);
  const auto memory = server.resident_bytes();
  std::vector<double> quiet;
  std::vector<double> beside;
  std::size_t with_slow = 0;
  std::size_t threads = 0;
  for (int round = 0; round < kRounds; ++round) {
    quiet.push_back(wire::p99_of(server.port(), kRequests).count());
    const wire::SlowLoris loris(server.port(), connections);
    beside.push_back(wire::p99_of(server.port(), kRequests).count());
    with_slow = std::max(with_slow, server.resident_bytes());
    threads = std::max(threads, server.threads());
  }
  std::printf("p99 of %zu requests on one connection, median of %d interleaved rounds\n", kRequests,
              kRounds);
  std::printf("  quiet                        %8.0f us\n", median(quiet));
  std::printf("  beside %5zu slow heads      %8.0f us  (ratio %.2f)\n", connections, median(beside),
              median(beside) / median(quiet));
  std::printf("memory per slow connection     %8.0f bytes\n",
              static_cast<double>(with_slow - std::min(with_slow, memory)) /
                  static_cast<double>(connections));
  std::printf("threads of the server          %8zu\n", threads);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_slow_loris SERVER [CONNECTIONS]\n");
    return 2;
  }
  try {
    return run(argv[1], argc > 2 ? std::stoul(argv[2]) : 2000);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_slow_loris: %s\n", error.what());
    return 2;
  }
}
