// What renewing pages in the background costs other requests: their latency, and the age of another
// page, while slow pages are renewed all the time, and while many hosts want one page.
// Usage: bench_renewals SERVER [SECONDS], default 10 seconds for each measurement of slow pages; a
// measurement of hosts takes four times as long.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "loopback.hpp"
#include "support/server_process.hpp"

namespace {

using fw::http::test::Client;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;
using Seconds = std::chrono::duration<double>;

constexpr std::string_view kBeforeTime = "<p>";

std::string request_for(std::string_view path, std::string_view host = "a") {
  return fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n", path, host);
}

/// When the page of a response was rendered.
Clock::time_point rendered(std::string_view body) {
  const auto begin = body.find(kBeforeTime);
  if (begin == body.npos) throw std::runtime_error("a page does not contain its time");
  const std::string number(body.substr(begin + kBeforeTime.size()));
  return Clock::time_point(std::chrono::nanoseconds(std::stoll(number)));
}

/// What the requests for one thing have seen.
struct Seen {
  std::vector<double> milliseconds;
  Seconds oldest{0};  ///< of the pages, when they arrived
  std::size_t stale = 0;

  void request(Client& client, const std::string& request, bool is_page) {
    const auto begin = Clock::now();
    const auto response = client.exchange(request);
    const auto end = Clock::now();
    if (response.status != 200) throw std::runtime_error("a response is not 200");
    milliseconds.push_back(Milliseconds(end - begin).count());
    if (!is_page) return;
    oldest = std::max<Seconds>(oldest, end - rendered(response.body));
    if (response.field("x-cache") == "STALE") ++stale;
  }

  double quantile(double part) {
    std::sort(milliseconds.begin(), milliseconds.end());
    const auto index = static_cast<std::size_t>(part * static_cast<double>(milliseconds.size()));
    return milliseconds.at(std::min(index, milliseconds.size() - 1));
  }
};

/// Requests pages in turn from a thread of its own, all of them once in an interval.
class Visitors {
 public:
  Visitors(std::uint16_t port, std::vector<std::string> requests, Clock::duration interval)
      : requests_(std::move(requests)),
        interval_(interval),
        client_(port),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  Seen& stop() {
    thread_.request_stop();
    thread_.join();
    return seen_;
  }

 private:
  void run(const std::stop_token& stop) {
    try {
      auto next = Clock::now();
      for (std::size_t i = 0; !stop.stop_requested(); i = (i + 1) % requests_.size()) {
        next += interval_ / requests_.size();
        std::this_thread::sleep_until(next);
        seen_.request(client_, requests_[i], true);
      }
    } catch (const std::exception& error) {
      std::fprintf(stderr, "bench_renewals: %s\n", error.what());
      std::_Exit(2);
    }
  }

  const std::vector<std::string> requests_;
  const Clock::duration interval_;
  Client client_;
  Seen seen_;
  std::jthread thread_;
};

/// Requests each page once, all at the same time, so that it is stored.
void render_first(std::uint16_t port, const std::vector<std::string>& requests) {
  std::vector<Client> clients;
  clients.reserve(requests.size());
  for (const std::string& request : requests) clients.emplace_back(port).send(request);
  for (Client& client : clients) {
    if (client.read_response().status != 200) throw std::runtime_error("a response is not 200");
  }
}

/// Each slow page takes 2 s, and has two hosts, as many as the page may have renewals at a time.
void measure_slow_pages(std::uint16_t port, int pages, std::chrono::seconds time) {
  std::vector<std::string> slow;
  for (int i = 0; i < pages; ++i) {
    for (const char* host : {"a", "b"})
      slow.push_back(request_for(fmt::format("/slow/{}", i), host));
  }
  render_first(port, slow);
  std::optional<Visitors> visitors;
  if (!slow.empty()) visitors.emplace(port, slow, 100ms);
  const std::string plain = request_for("/plain");
  const std::string page = request_for("/page");
  Client client(port);
  Seen of_page;
  of_page.request(client, page, true);
  std::this_thread::sleep_for(3s);  // until the slow pages are stale
  of_page.request(client, page, true);
  std::this_thread::sleep_for(1s);
  Seen of_plain;
  of_page = {};
  const auto end = Clock::now() + time;
  while (Clock::now() < end) {
    of_plain.request(client, plain, false);
    of_page.request(client, page, true);
    std::this_thread::sleep_for(5ms);
  }
  fmt::print("| {} | {:.2f} | {:.2f} | {:.1f} |", pages, of_plain.quantile(0.99),
             of_page.quantile(0.99), of_page.oldest.count());
  if (visitors) {
    Seen& seen = visitors->stop();
    fmt::print(
        " {:.2f} | {:.1f} | {:.0f} % |\n", seen.quantile(0.99), seen.oldest.count(),
        100.0 * static_cast<double>(seen.stale) / static_cast<double>(seen.milliseconds.size()));
  } else {
    fmt::print(" | | |\n");
  }
  std::fflush(stdout);
}

/// A page that takes 50 ms for each of its hosts. One host is requested at another rate.
void measure_hosts(std::uint16_t port, int hosts, Clock::duration of_each, Clock::duration of_one,
                   std::chrono::seconds time) {
  std::vector<std::string> others;
  for (int i = 0; i < hosts; ++i) {
    others.push_back(request_for("/hosts", fmt::format("h{}", i)));
  }
  const std::string wanted = request_for("/hosts", "wanted");
  render_first(port, others);
  render_first(port, {wanted});
  Visitors visitors(port, others, of_each);
  Client client(port);
  Seen seen;
  const auto end = Clock::now() + time;
  for (auto next = Clock::now(); Clock::now() < end; next += of_one) {
    std::this_thread::sleep_until(next);
    seen.request(client, wanted, true);
  }
  const Seen& of_others = visitors.stop();
  fmt::print("| {:.1f} | {:.2f} | {:.1f} | {:.1f} |\n", of_each / Seconds(of_one),
             seen.quantile(0.99), seen.oldest.count(), of_others.oldest.count());
  std::fflush(stdout);
}

int run(const std::string& program, std::chrono::seconds time) {
  const wire::ServerProcess server(program);
  fmt::print(
      "| slow pages | GET, p99 ms | page, p99 ms | page, oldest s | slow pages, p99 ms | oldest s "
      "| "
      "stale |\n|--:|--:|--:|--:|--:|--:|--:|\n");
  for (const int pages : {0, 1, 7, 8}) measure_slow_pages(server.port(), pages, time);
  fmt::print(
      "\n| requests, relative to another host | p99 ms | oldest s | oldest of the others s |\n"
      "|--:|--:|--:|--:|\n");
  for (const auto of_one : {30ms, 300ms, 600ms}) {
    measure_hosts(server.port(), 300, 300ms, of_one, 4 * time);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_renewals SERVER [SECONDS]\n");
    return 2;
  }
  try {
    return run(argv[1], std::chrono::seconds(argc > 2 ? std::stoul(argv[2]) : 10));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_renewals: %s\n", error.what());
    return 2;
  }
}
