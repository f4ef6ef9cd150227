// Which addresses are public, and calls that may only use those.
#include "client/public_address.hpp"

#include <fairway/fairway.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "client/outbound_client.hpp"
#include "client/recorder.hpp"
#include "client/transfer.hpp"

namespace public_address_test {

namespace {

using fw::client::test::has;
using fw::client::test::quiet;
using fw::client::test::Recorder;

/// A public server that redirects to `location`. Other hosts are reached over the network.
class PublicRedirect : public fw::client::OutboundTransport {
 public:
  explicit PublicRedirect(std::string location) : location_(std::move(location)) {}

  std::unique_ptr<fw::client::Channel> open(
      std::shared_ptr<fw::client::Transfer> transfer) override {
    if (transfer->request().url.text != "http://public.example/") {
      return network_->open(std::move(transfer));
    }
    fw::http::Fields fields;
    fields.add("location", location_);
    transfer->put_head(302, std::move(fields));
    transfer->finish(std::nullopt);
    return std::make_unique<Ended>();
  }
  void stop() override { network_->stop(); }

 private:
  struct Ended : fw::client::Channel {
    void resume() override {}
    void cancel() override {}
    void detach(fw::client::Detachment) override {}
  };
  const std::string location_;
  const std::shared_ptr<fw::client::OutboundTransport> network_ = fw::client::make_transport({});
};

}  // namespace

TEST_CASE("addresses: only public Internet addresses are public") {
  using fw::client::is_public_address;
  for (const std::string address :
       {"8.8.8.8", "1.1.1.1", "168.63.129.15", "168.63.129.17", "172.15.0.1", "172.32.0.1",
        "100.63.0.1", "100.128.0.1", "192.167.1.1", "198.17.0.1", "198.20.0.1", "223.255.255.255",
        "2606:4700::1111", "2a00:1450::1", "64:ff9b::808:808"}) {
    CAPTURE(address);
    CHECK(is_public_address(address));
  }
  for (const std::string address : {"0.0.0.0",
                                    "0.1.2.3",
                                    "10.0.0.1",
                                    "100.64.0.1",
                                    "100.127.255.255",
                                    "127.0.0.1",
                                    "127.255.0.1",
                                    "168.63.129.16",
                                    "169.254.169.254",
                                    "172.16.0.1",
                                    "172.31.255.255",
                                    "192.0.0.1",
                                    "192.0.2.1",
                                    "192.168.1.1",
                                    "198.18.0.1",
                                    "198.19.0.1",
                                    "198.51.100.1",
                                    "203.0.113.1",
                                    "224.0.0.1",
                                    "239.1.1.1",
                                    "240.0.0.1",
                                    "255.255.255.255",
                                    "::",
                                    "::1",
                                    "::8.8.8.8",
                                    "::ffff:127.0.0.1",
                                    "::ffff:8.8.8.8",
                                    "fe80::1",
                                    "fec0::1",
                                    "fc00::1",
                                    "fd12::1",
                                    "ff02::1",
                                    "64:ff9b::7f00:1",
                                    "64:ff9b::a9fe:a9fe",
                                    "64:ff9b:1::1",
                                    "2001::1",
                                    "2001:db8::1",
                                    "2002:7f00:1::",
                                    "3fff::1",
                                    "100::1",
                                    "4000::1",
                                    "",
                                    "unix",
                                    "localhost",
                                    "127.1"}) {
    CAPTURE(address);
    CHECK(!is_public_address(address));
  }
}

TEST_CASE("addresses: public_only rejects other addresses, even on an open connection") {
  fw::App app(quiet());
  Recorder recorder;
  const std::string url = recorder.upstream.url();
  const std::string port = url.substr(url.rfind(':'));
  const auto is_rejected = [&](const std::string& target) {
    try {
      app.fetch.get(target,
                    {.retry = 3, .retry_delay = 0, .addresses = fw::Addresses::public_only});
      return false;
    } catch (const fw::AddressError& error) {
      return has(error.what(), "failed: the host has no public address") && error.attempt() == 0;
    }
  };
  for (const char* host :
       {"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0x7f.1", "2130706433"}) {
    CAPTURE(host);
    CHECK(is_rejected(std::string("http://") + host + port));
  }
  CHECK(recorder.upstream.connections() == 0);
  app.fetch.get(url).text();
  CHECK(recorder.last().starts_with("GET / "));
  CHECK(is_rejected(recorder.upstream.url("/other")));
  CHECK(recorder.last().starts_with("GET / "));
  const auto guarded = app.fetch.create({.base_url = url, .addresses = fw::Addresses::public_only});
  CHECK_THROWS_AS(guarded.get("/"), fw::AddressError);
  CHECK(guarded.get("/", {.addresses = fw::Addresses::any}).text() == "ok");
  // A proxy, whose own address is public, would connect to the address for the call.
  ::setenv("http_proxy", "http://8.8.8.8:1", 1);
  fw::App proxied(quiet());
  CHECK_THROWS_AS(
      proxied.fetch.get(url, {.timeout = 60'000, .addresses = fw::Addresses::public_only}),
      fw::AddressError);
  ::unsetenv("http_proxy");
}

TEST_CASE("addresses: public_only also applies to the targets of redirects") {
  fw::App app(quiet());
  Recorder recorder;
  fw::detail::Access::core(app).client->set_transport(
      std::make_shared<PublicRedirect>(recorder.upstream.url("/internal")));
  const std::string url = "http://public.example/";
  CHECK_THROWS_WITH_AS(app.fetch.get(url, {.addresses = fw::Addresses::public_only}),
                       doctest::Contains("the host has no public address"), fw::AddressError);
  CHECK(recorder.upstream.connections() == 0);
  CHECK(app.fetch.get(url).text() == "ok");
  CHECK(recorder.last().starts_with("GET /internal "));
}

}  // namespace public_address_test
