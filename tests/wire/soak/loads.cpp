#include "soak/loads.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "eventually.hpp"
#include "loopback.hpp"
#include "run_case.hpp"

namespace wire {
namespace {

using fw::http::test::Client;

std::size_t up_to(Random& random, std::size_t most) {
  return std::uniform_int_distribution<std::size_t>(0, most)(random);
}

std::string text_of(Random& random, std::size_t size) {
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>('a' + random() % 26);
  return text;
}

std::string head(std::string_view line, std::string_view fields = "") {
  return std::string(line) + " HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

void require(bool is_right, const std::string& what) {
  if (!is_right) throw std::runtime_error(what);
}

/// The body that the application says it was given.
void require_echo(const fw::http::test::ReceivedResponse& response, std::string_view body) {
  require(response.status == 200 && response.is_complete,
          "status " + std::to_string(response.status) + " instead of an echo");
  const auto begin = response.body.find("\n\n");
  require(begin != std::string::npos && response.body.substr(begin + 2) == body,
          "the body that came back is another one");
}

void ask_ordinarily(std::uint16_t port, Random& random) {
  Client client(port);
  for (int i = 0; i < 50; ++i) {
    const auto body = text_of(random, up_to(random, i % 10 == 0 ? 100'000 : 500));
    const auto length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
    client.send(head("POST /ordinary", length) + body);
    require_echo(client.read_response(), body);
  }
}

void ask_pipelined(std::uint16_t port, Random& random) {
  Client client(port);
  for (int round = 0; round < 10; ++round) {
    const auto mark = std::to_string(random());
    std::string requests;
    for (int i = 0; i < 16; ++i) requests += head("GET /" + mark + "/" + std::to_string(i));
    client.send(requests);
    for (int i = 0; i < 16; ++i) {
      require(client.read_response().field("x-saw") == "GET /" + mark + "/" + std::to_string(i),
              "pipelined responses are out of order");
    }
  }
}

void ask_chunked(std::uint16_t port, Random& random) {
  Client client(port);
  for (int round = 0; round < 10; ++round) {
    std::string body;
    client.send(head("PUT /chunked", "Transfer-Encoding: chunked\r\n"));
    for (auto left = 1 + up_to(random, 20); left > 0; --left) {
      const auto chunk = text_of(random, 1 + up_to(random, 5000));
      char size[32];
      std::snprintf(size, sizeof size, "%zx;x=y\r\n", chunk.size());
      client.send(size + chunk + "\r\n");
      body += chunk;
    }
    client.send("0\r\nX-Sum: 1\r\n\r\n");
    require_echo(client.read_response(), body);
  }
}

void ask_for_streams(std::uint16_t port, Random& random) {
  Client client(port, 8192);
  for (int round = 0; round < 5; ++round) {
    const auto size = up_to(random, 1'000'000);
    const auto response = client.exchange(head("GET /-/stream/" + std::to_string(size)));
    require(response.is_complete && response.body.size() == size, "a stream came back cut");
  }
}

void ask_slowly(std::uint16_t port, Random& random) {
  Client client(port);
  const auto body = text_of(random, 20);
  for (const char c : head("POST /slow", "Content-Length: 20\r\n") + body) {
    client.send({&c, 1});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  require_echo(client.read_response(), body);
}

void abort_requests(std::uint16_t port, Random& random) {
  const std::string requests[] = {
      head("GET /aborted"),
      head("GET /-/sleep/5"),
      head("GET /-/text/1000000"),
      head("GET /-/stream/10000000"),
      head("POST /aborted", "Content-Length: 1000\r\n") + std::string(500, 'x'),
      head("POST /aborted", "Transfer-Encoding: chunked\r\n") + "ff\r\nbroken off"};
  for (int i = 0; i < 20; ++i) {
    const auto& request = requests[random() % std::size(requests)];
    Client client(port);
    client.send(
        request.substr(0, random() % 3 == 0 ? up_to(random, request.size()) : request.size()));
    if (random() % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(random() % 5));
    if (random() % 2 == 0) client.reset();
  }
}

/// Repeats a case whose client may have been late: two seconds after an error, the server ends the
/// connection.
CaseResult run_in_time(std::uint16_t port, const Case& one) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + fairway::test::kPatience;
  while (true) {
    const auto begin = Clock::now();
    auto result = run_case(port, one);
    const auto now = Clock::now();
    if (result.failures.empty() || now - begin <= std::chrono::seconds(2) || now > until) {
      return result;
    }
  }
}

}  // namespace

std::vector<Load> all_loads(std::vector<Case> cases) {
  const auto shared = std::make_shared<const std::vector<Case>>(std::move(cases));
  return {{"ordinary", ask_ordinarily},
          {"pipelined", ask_pipelined},
          {"chunked", ask_chunked},
          {"streaming", ask_for_streams},
          {"slow", ask_slowly},
          {"aborted", abort_requests},
          {"cases", [shared](std::uint16_t port, Random& random) {
             const auto& one = (*shared)[random() % shared->size()];
             const auto result = run_in_time(port, one);
             require(result.failures.empty(),
                     one.name + ": " + (result.failures.empty() ? "" : result.failures.front()));
           }}};
}

}  // namespace wire
