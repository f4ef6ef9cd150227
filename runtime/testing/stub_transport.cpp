#include "testing/stub_transport.hpp"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <stdexcept>
#include <utility>

#include "client/network/url.hpp"

namespace fw::testing {

using client::Transfer;

namespace {

/// Responds when the body of the request is complete, on the thread of the caller.
class StubChannel : public client::Channel {
 public:
  StubChannel(Transfer& transfer, const StubTransport& transport)
      : transfer_(transfer), transport_(transport) {
    const client::OutboundRequest& request = transfer_.request();
    if (!request.streams_body) {
      transport_.respond(transfer_, request.body ? *request.body : std::string());
    }
  }

  void resume() override {
    if (!transfer_.request().streams_body) return;
    std::array<char, 4096> buffer;
    for (;;) {
      std::size_t count = 0;
      const Transfer::Take take = transfer_.take_body(buffer, count);
      if (take == Transfer::Take::end) return transport_.respond(transfer_, std::move(body_));
      if (take != Transfer::Take::some) return;
      body_.append(buffer.data(), count);
    }
  }
  void cancel() override {}
  void detach(client::Detachment) override {}

 private:
  Transfer& transfer_;
  const StubTransport& transport_;
  std::string body_;
};

}  // namespace

void StubTransport::add(const std::string& call, Handler handler) {
  const std::size_t space = call.find(' ');
  if (space == 0 || space == call.npos || !handler) {
    throw std::invalid_argument(fmt::format(
        "fetch_stub: expected a method and a URL such as \"GET https://api.example.com/users\" and "
        "a handler, not \"{}\"",
        call));
  }
  const bool is_prefix = call.ends_with('*');
  const std::string url = call.substr(space + 1, call.size() - space - 1 - (is_prefix ? 1 : 0));
  const std::string normalized = client::parse_url(url).text;
  const std::lock_guard lock(mutex_);
  handlers_.insert_or_assign(call.substr(0, space + 1) + normalized + (is_prefix ? "*" : ""),
                             std::move(handler));
}

StubTransport::Handler StubTransport::find(std::string_view method, std::string_view url) const {
  const std::string call = fmt::format("{} {}", method, url);
  const std::lock_guard lock(mutex_);
  const auto exact = handlers_.find(call);
  if (exact != handlers_.end()) return exact->second;
  const std::pair<const std::string, Handler>* longest = nullptr;
  for (const auto& entry : handlers_) {
    const std::string_view pattern = entry.first;
    const bool matches =
        pattern.ends_with('*') && call.starts_with(pattern.substr(0, pattern.size() - 1));
    if (matches && (longest == nullptr || longest->first.size() < pattern.size())) {
      longest = &entry;
    }
  }
  return longest == nullptr ? Handler() : longest->second;
}

std::unique_ptr<client::Channel> StubTransport::open(std::shared_ptr<Transfer> transfer) {
  return std::make_unique<StubChannel>(*transfer, *this);
}

void StubTransport::respond(Transfer& transfer, std::string body) const {
  const client::OutboundRequest& request = transfer.request();
  const auto fail = [&](std::string message) {
    transfer.finish(client::OutboundFailure{.kind = client::OutboundFailure::Kind::network,
                                            .message = std::move(message)});
  };
  const Handler handler = find(request.method, request.url.text);
  if (!handler) {
    fail(fmt::format("the test has no fetch_stub for {} {}", request.method, request.url.text));
    return;
  }
  try {
    FetchReply reply = handler({.method = request.method,
                                .url = request.url.text,
                                .headers = request.fields.pairs(),
                                .body = std::move(body)});
    if (reply.body.empty() && !reply.json.is_null()) {
      reply.body = reply.json.dump();
      reply.headers.emplace_back("content-type", "application/json");
    }
    transfer.put_head(reply.status, reply.headers);
    transfer.put_body(reply.body);
    transfer.finish(std::nullopt);
  } catch (const std::exception& error) {
    fail(fmt::format("the fetch_stub for {} {} failed: {}", request.method, request.url.text,
                     error.what()));
  }
}

}  // namespace fw::testing
