// uWebSockets: an event loop for each thread, nlohmann for JSON.
#include <App.h>
#include <thread>
#include <vector>

#include "workload.hpp"

namespace {

constexpr std::string_view kType = "Content-Type";
constexpr std::string_view kJson = "application/json";

using Response = uWS::HttpResponse<false>;

void respond_to_order(Response* response, const std::string& body) {
  try {
    const auto placed = bench::place_order(nlohmann::json::parse(body)).dump();
    response->writeStatus("201 Created")->writeHeader(kType, kJson)->end(placed);
  } catch (const std::exception&) {
    response->writeStatus("400 Bad Request")->end();
  }
}

void respond_to_upload(Response* response, const std::string& body) {
  response->writeHeader(kType, kJson)->end(bench::uploaded(body.size()).dump());
}

/// Calls `respond` once the body is complete.
void receive(Response* response, void (*respond)(Response*, const std::string&)) {
  response->onAborted([] {});
  response->onData(
      [response, respond, body = std::string()](std::string_view part, bool is_last) mutable {
        body.append(part);
        if (is_last) respond(response, body);
      });
}

/// What a socket keeps.
struct Nothing {};

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
      .post("/orders", [](auto* response, auto*) { receive(response, respond_to_order); })
      .post("/upload", [](auto* response, auto*) { receive(response, respond_to_upload); })
      .ws<Nothing>("/push/echo", {.message = [](auto* socket, std::string_view message,
                                                uWS::OpCode code) { socket->send(message, code); }})
      .listen("127.0.0.1", port,
              [](auto* socket) {
                if (socket == nullptr) std::exit(1);
              })
      .run();
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::thread> threads;
  for (int i = 0; i < bench::threads(); ++i) threads.emplace_back(serve, std::atoi(argv[argc - 1]));
  for (auto& thread : threads) thread.join();
}
