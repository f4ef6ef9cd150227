#include "client/network/network_transport.hpp"

#include <cstdlib>
#include <string>
#include <utility>

namespace fw::client {
namespace {

std::string variable(const char* name, const char* other) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') value = std::getenv(other);
  return value == nullptr ? "" : value;
}

class CurlChannel : public Channel {
 public:
  CurlChannel(CurlEngine& engine, std::shared_ptr<CurlJob> job)
      : engine_(engine), job_(std::move(job)) {
    engine_.start(job_);
  }
  ~CurlChannel() override {
    if (!is_detached_) engine_.cancel(job_);
  }
  CurlChannel(const CurlChannel&) = delete;
  CurlChannel& operator=(const CurlChannel&) = delete;

  void resume() override { engine_.resume(job_); }
  void cancel() override { engine_.cancel(job_); }
  void detach(Detachment detachment) override {
    engine_.detach(job_, std::move(detachment));
    is_detached_ = true;
  }

 private:
  CurlEngine& engine_;
  const std::shared_ptr<CurlJob> job_;
  bool is_detached_ = false;
};

}  // namespace

CurlSettings::CurlSettings(TransportOptions with_options)
    : options(std::move(with_options)),
      http_proxy(variable("http_proxy", "HTTP_PROXY")),
      https_proxy(variable("https_proxy", "HTTPS_PROXY")),
      certificates(options.ca_file) {}

std::unique_ptr<Channel> NetworkTransport::open(std::shared_ptr<Transfer> transfer) {
  return std::make_unique<CurlChannel>(engine_, std::make_shared<CurlJob>(std::move(transfer)));
}

bool has_http2() {
  return (libcurl().version_info(CURLVERSION_NOW)->features & CURL_VERSION_HTTP2) != 0;
}

std::shared_ptr<OutboundTransport> make_transport(TransportOptions options) {
  options.http2 = options.http2 && has_http2();
  return std::make_shared<NetworkTransport>(std::move(options));
}

}  // namespace fw::client
