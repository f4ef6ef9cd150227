// The server of cases.py: the epoll engine with HTTP/2 in cleartext. Prints its port, and ends with
// its standard input.
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/adapter.hpp"
#include "http/local_options.hpp"

namespace {

using namespace fw::http;

/// Responds with the request line, the fields, and the body.
void tell(const std::shared_ptr<Transaction>& transaction) {
  const RequestHead& head = transaction->head();
  std::string text = std::string(head.method) + " " + head.target + "\n";
  for (const auto& [name, value] : head.fields) {
    text.append(name).append(": ").append(value).append("\n");
  }
  std::string body;
  ResponseHead response;
  if (transaction->read_body(100'000, body) != BodyStatus::complete) response.status = 413;
  transaction->respond(response, text + "\n" + body);
}

}  // namespace

int main() {
  AdapterOptions options = test::local_options();
  options.http2.cleartext = true;
  const auto adapter = make_epoll_adapter();
  adapter->start(std::move(options), tell, [](int status, std::string_view message) {
    return std::pair(ResponseHead{.status = status, .fields = {}}, std::string(message));
  });
  std::printf("%d\n", adapter->port());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return adapter->stop(std::chrono::minutes(1)) ? 0 : 1;
}
