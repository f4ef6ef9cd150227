// `app.fetch` of one URL by so many threads at once, for so many seconds. Prints requests per
// second and microseconds of processor time per request as JSON. Usage: bench_outbound_fetch URL
// [CONCURRENCY [SECONDS]]
#include <fairway/fairway.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: bench_outbound_fetch URL [CONCURRENCY [SECONDS]]\n", stderr);
    return 2;
  }
  const std::string url = argv[1];
  const int concurrency = argc > 2 ? std::atoi(argv[2]) : 64;
  const int seconds = argc > 3 ? std::atoi(argv[3]) : 2;
  fw::App app(fw::Config{});
  std::atomic<bool> ends = false;
  std::atomic<long> requests = 0;
  const auto begin = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < concurrency; ++i) {
      threads.emplace_back([&] {
        while (!ends) {
          if (!app.fetch.get(url).json().is_object()) std::abort();
          ++requests;
        }
      });
    }
    std::this_thread::sleep_for(std::chrono::seconds(seconds));
    ends = true;
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const auto count = static_cast<double>(requests.load());
  std::printf("{\"rate\": %.0f, \"cpu\": %.1f}\n", count / elapsed.count(),
              static_cast<double>(std::clock()) / CLOCKS_PER_SEC * 1e6 / count);
}
