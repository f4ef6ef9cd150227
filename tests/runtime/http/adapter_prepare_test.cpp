// Requests that wait for the operation that `RequestPlan::prepare` starts.
#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engines.hpp"

namespace adapter_prepare_test {

using namespace fw::http;
using namespace fw::http::test;

namespace {

/// Prepares requests for targets that begin with /wait, until the test resumes them.
class Preparation {
 public:
  AdapterOptions options() {
    auto options = test_options();
    options.plan = [this](const RequestHead&) { return std::make_unique<Plan>(*this); };
    options.prepares_requests = true;
    return options;
  }

  /// Waits until so many requests wait.
  void await(std::size_t count) const {
    while (size() < count) std::this_thread::sleep_for(1ms);
  }
  void resume_all() {
    std::vector<std::shared_ptr<WaitingRequest>> requests;
    {
      const std::lock_guard lock(mutex_);
      requests.swap(requests_);
    }
    for (const auto& request : requests) request->resume();
  }

  /// Also lets bodies of up to 100 bytes be received first.
  class Plan : public RequestPlan {
   public:
    explicit Plan(Preparation& preparation) : preparation_(preparation) {}

    std::uint64_t body_limit() const override { return 100; }
    bool prepare(const RequestHead& head,
                 const std::shared_ptr<WaitingRequest>& request) noexcept override {
      result = preparation_.prepare(head.target, request);
      return !result.empty();
    }

    std::string result;  ///< empty: nothing was prepared

   private:
    Preparation& preparation_;
  };

 private:
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return requests_.size();
  }
  std::string prepare(const std::string& target, const std::shared_ptr<WaitingRequest>& request) {
    if (target.starts_with("/now")) {
      request->resume();
    } else if (target.starts_with("/wait")) {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
    } else {
      return {};
    }
    return "prepared " + target;
  }

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<WaitingRequest>> requests_;
};

/// Responds with what was prepared, and with the body.
void tell(const std::shared_ptr<Transaction>& transaction) {
  const auto* plan = static_cast<const Preparation::Plan*>(transaction->plan());
  std::string body;
  transaction->read_body(100, body);
  respond(*transaction, (plan->result.empty() ? "not prepared" : plan->result) + body);
}

std::string get(std::string_view target) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

std::string post(std::string_view target, std::string_view body) {
  return "POST " + std::string(target) +
         " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

}  // namespace

TEST_CASE("adapter prepare: requests in preparation occupy no thread" *
          not_on_httplib("waiting for Redis")) {
  Preparation preparation;
  auto options = preparation.options();
  options.min_workers = 2;
  options.max_workers = 2;
  Server server(tell, options);
  std::vector<std::unique_ptr<Client>> waiting;
  for (int i = 0; i < 20; ++i) {
    waiting.push_back(std::make_unique<Client>(server.port()));
    waiting.back()->send(get("/wait/" + std::to_string(i)));
  }
  preparation.await(20);
  Client other(server.port());
  for (int i = 0; i < 20; ++i) CHECK(other.exchange(get("/")).body == "not prepared");
  for (int i = 0; i < 20; ++i) CHECK(other.exchange(get("/now")).body == "prepared /now");
  preparation.resume_all();
  for (int i = 0; i < 20; ++i) {
    CHECK(waiting[static_cast<std::size_t>(i)]->read_response().body ==
          "prepared /wait/" + std::to_string(i));
  }
}

TEST_CASE("adapter prepare: requests are prepared in order, and keep their bodies" *
          not_on_httplib("waiting for Redis") * not_on_http2("requests are prepared in parallel")) {
  Preparation preparation;
  Server server(tell, preparation.options());
  Client client(server.port());
  std::string rest = post("/wait/3", ":later");
  client.send(get("/wait/1") + post("/wait/2", ":at once") + get("/") +
              rest.substr(0, rest.size() - 2));
  preparation.await(1);
  preparation.resume_all();
  CHECK(client.read_response().body == "prepared /wait/1");
  preparation.await(1);
  preparation.resume_all();
  CHECK(client.read_response().body == "prepared /wait/2:at once");
  CHECK(client.read_response().body == "not prepared");
  client.send(rest.substr(rest.size() - 2));
  preparation.await(1);
  preparation.resume_all();
  CHECK(client.read_response().body == "prepared /wait/3:later");
}

TEST_CASE("adapter prepare: input that arrives during the preparation is read afterwards" *
          not_on_httplib("waiting for Redis") * not_on_http2("requests are prepared in parallel")) {
  Preparation preparation;
  Server server(tell, preparation.options());
  for (int round = 0; round < 200; ++round) {
    Client client(server.port());
    client.send(get("/wait/1"));
    preparation.await(1);
    std::thread sender([&] { client.send(get("/now/2")); });
    preparation.resume_all();
    CHECK(client.read_response().body == "prepared /wait/1");
    CHECK(client.read_response().body == "prepared /now/2");
    sender.join();
  }
}

TEST_CASE("adapter prepare: a request whose client disconnects meanwhile is not handled" *
          not_on_httplib("waiting for Redis")) {
  Preparation preparation;
  std::atomic<int> handled{0};
  Server server(
      [&](const std::shared_ptr<Transaction>& transaction) {
        ++handled;
        tell(transaction);
      },
      preparation.options());
  Client gone(server.port());
  gone.send(get("/wait"));
  preparation.await(1);
  gone.reset();
  Client other(server.port());
  CHECK(other.exchange(get("/")).body == "not prepared");
  REQUIRE(eventually([&] { return server.connections() == 1; }));
  preparation.resume_all();
  CHECK(other.exchange(get("/")).body == "not prepared");
  CHECK(handled == 2);
  // A client that only ends its side still gets the response.
  Client half(server.port());
  half.send(get("/wait"));
  half.end_sending();
  preparation.await(1);
  preparation.resume_all();
  CHECK(half.read_response().body == "prepared /wait");
}

TEST_CASE("adapter prepare: a stop waits for requests in preparation" *
          not_on_httplib("waiting for Redis")) {
  Preparation preparation;
  {
    Server server(tell, preparation.options());
    Client client(server.port());
    client.send(get("/wait"));
    preparation.await(1);
    std::thread resumer([&] {
      std::this_thread::sleep_for(30ms);
      preparation.resume_all();
    });
    CHECK(server.stop(1min));
    CHECK(client.read_response().body == "prepared /wait");
    resumer.join();
  }
  {
    Server server(tell, preparation.options());
    Client client(server.port());
    client.send(get("/wait"));
    preparation.await(1);
    CHECK_FALSE(server.stop(10ms));
    CHECK(client.sees_end());
  }
  preparation.resume_all();  // after the end of the server
}

}  // namespace adapter_prepare_test
