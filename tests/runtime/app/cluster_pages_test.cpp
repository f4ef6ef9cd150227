// The pages of the admin listener of a cluster, with workers of this process.
#include <fairway/json.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/admin_pages.hpp"
#include "app/waiting_probes.hpp"
#include "cluster/worker_link.hpp"
#include "eventually.hpp"
#include "http/loopback.hpp"
#include "support/table_builder.hpp"
#include "testing/memory_transaction.hpp"

namespace cluster_pages_test {

using fairway::test::eventually;
using fw::Json;
using fw::cluster::ClusterView;
using fw::cluster::WorkerLink;
using fw::cluster::WorkerQuestion;
using fw::cluster::WorkerResponder;
using fw::detail::AdminPage;
using fw::http::test::Gate;
using namespace std::chrono_literals;

namespace {

const std::string kReady = R"({"status":"ready","checks":{}})";

class Probe : public fw::testing::MemoryTransaction {
 public:
  Probe() : MemoryTransaction(head_of_probe(), fw::http::Framing(), [] { return std::string(); }) {}

 private:
  static fw::http::RequestHead head_of_probe() {
    fw::http::RequestHead head;
    head.method = "GET";
    return head;
  }
};

/// One worker for each function, which returns its response to all questions.
class Cluster {
 public:
  using Respond = std::function<std::string()>;

  explicit Cluster(const std::vector<Respond>& workers) {
    for (const Respond& respond : workers) {
      const auto link = std::make_shared<WorkerLink>();
      known_.push_back({link, static_cast<pid_t>(known_.size() + 1), true, true});
      responders_.push_back(std::make_unique<WorkerResponder>(
          link->worker_socket(), link->file(),
          [respond](WorkerQuestion, std::uint8_t) { return respond(); }));
    }
    view_.update(ClusterView::Phase::serving, known_);
  }
  explicit Cluster(const std::vector<std::string>& responses) : Cluster(functions(responses)) {}

  /// The supervisor begins to stop the workers.
  void begin_stop() { view_.update(ClusterView::Phase::stopping, known_); }

  AdminPage page(std::string_view path, fw::http::Transaction& transaction) const {
    for (const auto& row : rows_) {
      if (row.path == path) return row.make(transaction);
    }
    return {};
  }
  AdminPage page(std::string_view path) const {
    Probe probe;
    return page(path, probe);
  }

 private:
  static std::vector<Respond> functions(const std::vector<std::string>& responses) {
    std::vector<Respond> workers;
    for (const std::string& response : responses)
      workers.push_back([response] { return response; });
    return workers;
  }

  const fw::Config config_;
  const fw::Logger logger_{std::make_shared<fw::support::RecordingSink>()};
  ClusterView view_;
  const std::vector<fw::detail::AdminServer::Row> rows_ =
      fw::detail::cluster_pages(config_, logger_, view_);
  std::vector<ClusterView::Worker> known_;
  std::vector<std::unique_ptr<WorkerResponder>> responders_;
};

}  // namespace

TEST_CASE("cluster pages: a probe that has closed its side still waits for the workers") {
  Gate gate;
  std::atomic<bool> is_asked = false;
  const Cluster cluster({[&] {
    is_asked = true;
    gate.wait();
    return kReady;
  }});
  Probe probe;
  auto page = std::async(std::launch::async, [&] { return cluster.page("/readyz", probe); });
  CHECK(eventually([&] { return is_asked.load(); }));
  probe.disconnect();
  CHECK(page.wait_for(50ms) == std::future_status::timeout);
  gate.open();
  CHECK(page.get().status == 200);
}

TEST_CASE("cluster pages: probes that wait for a silent worker leave threads for other pages") {
  constexpr std::size_t kMax = fw::detail::WaitingProbes::kMax;
  Gate gate;
  std::atomic<int> busy = 0;
  const Cluster cluster({[&] {
    gate.wait();
    return kReady;
  }});
  std::vector<std::future<AdminPage>> pages;
  for (std::size_t i = 0; i < kMax + 1; ++i) {
    pages.push_back(std::async(std::launch::async, [&] {
      AdminPage page = cluster.page("/readyz");
      busy += page.body == R"({"checks":{},"status":"busy"})";
      return page;
    }));
  }
  CHECK(eventually([&] { return busy == 1; }));
  CHECK(cluster.page("/livez").status == 200);
  gate.open();
  std::size_t ready = 0;
  for (auto& page : pages) ready += page.get().status == 200;
  CHECK(ready == kMax);
  CHECK(cluster.page("/readyz").status == 200);
}

TEST_CASE("cluster pages: a probe during a stop gets no earlier page") {
  constexpr std::size_t kMax = fw::detail::WaitingProbes::kMax;
  Gate gate;
  std::atomic<bool> hangs = false;
  Cluster cluster({[&] {
    if (hangs) gate.wait();
    return kReady;
  }});
  CHECK(cluster.page("/readyz").status == 200);
  hangs = true;
  std::atomic<std::size_t> last_pages = 0;
  std::vector<std::future<AdminPage>> pages;
  for (std::size_t i = 0; i < kMax + 1; ++i) {
    pages.push_back(std::async(std::launch::async, [&] {
      AdminPage page = cluster.page("/readyz");
      last_pages += page.status == 200;
      return page;
    }));
  }
  // As many wait as may.
  CHECK(eventually([&] { return last_pages == 1; }));
  cluster.begin_stop();
  CHECK(cluster.page("/readyz").body == R"({"checks":{},"status":"stopping"})");
  gate.open();
  std::size_t ready = 0;
  for (auto& page : pages) ready += page.get().status == 200;
  CHECK(ready == 1);
}

TEST_CASE("cluster pages: workers of a program with other pages are left out") {
  const std::string known =
      R"({"total":1,"states":{"handler":1},"requests":[{"state":"handler","age":5}]})";
  for (const char* other : {
           R"([])",
           R"({"total":"2","states":{"handler":2},"requests":[]})",
           R"({"total":2,"states":{"handler":"2"},"requests":[]})",
           R"({"total":2,"states":2,"requests":[]})",
           R"({"total":2,"states":{},"requests":2})",
           R"({"total":2,"states":{},"requests":[2]})",
           R"({"total":2,"states":{},"requests":[{"state":"handler","age":"5"}]})",
       }) {
    CAPTURE(other);
    const Cluster cluster(std::vector<std::string>{other, known, other});
    CHECK(Json::parse(cluster.page("/requests").body) == Json::parse(known));
  }
  for (const char* other : {R"({"status":1})", R"([])"}) {
    CAPTURE(other);
    const Cluster cluster(std::vector<std::string>{kReady, other});
    CHECK(cluster.page("/readyz").body == R"({"checks":{},"status":"failing"})");
  }
}

}  // namespace cluster_pages_test
