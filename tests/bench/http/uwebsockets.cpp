// uWebSockets: an event loop for each thread, nlohmann for JSON.
#include <thread>
#include <uWebSockets/App.h>
#include <vector>

#include "workload.hpp"

namespace {

constexpr std::string_view kType = "Content-Type";
constexpr std::string_view kJson = "application/json";

void serve(int port) {
  uWS::App()
      .get("/hello", [](auto* response,
                        auto*) { response->writeHeader(kType, kJson)->end(bench::hello().dump()); })
      .get("/users/:id",
           [](auto* response, auto* request) {
             const std::string id(request->getParameter(0));
             response->writeHeader(kType, kJson)->end(bench::user(id).dump());
           })
      .get("/file", [](auto* response,
                       auto*) { response->writeHeader(kType, "text/plain")->end(bench::file()); })
      .post("/orders",
            [](auto* response, auto*) {
              response->onAborted([] {});
              response->onData([response, body = std::string()](std::string_view part,
                                                                bool is_last) mutable {
                body.append(part);
                if (!is_last) return;
                const auto placed = bench::place_order(nlohmann::json::parse(body));
                response->writeStatus("201 Created")->writeHeader(kType, kJson)->end(placed.dump());
              });
            })
      .listen("127.0.0.1", port,
              [](auto* socket) {
                if (socket == nullptr) std::exit(1);
              })
      .run();
}

}  // namespace

int main(int, char** argv) {
  std::vector<std::thread> threads;
  for (int i = 0; i < bench::threads(); ++i) threads.emplace_back(serve, std::atoi(argv[1]));
  for (auto& thread : threads) thread.join();
}
