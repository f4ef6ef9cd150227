// uWebSockets: an event loop for each thread, nlohmann for JSON.
#include <App.h>
#include <thread>
#include <vector>

#include "workload.hpp"

namespace {

constexpr std::string_view kType = "Content-Type";
constexpr std::string_view kJson = "application/json";

template <bool kHasTls>
using Response = uWS::HttpResponse<kHasTls>;

template <bool kHasTls>
void respond_to_order(Response<kHasTls>* response, const std::string& body) {
  try {
    const auto placed = bench::place_order(nlohmann::json::parse(body)).dump();
    response->writeStatus("201 Created")->writeHeader(kType, kJson)->end(placed);
  } catch (const std::exception&) {
    response->writeStatus("400 Bad Request")->end();
  }
}

template <bool kHasTls>
void respond_to_upload(Response<kHasTls>* response, const std::string& body) {
  response->writeHeader(kType, kJson)->end(bench::uploaded(body.size()).dump());
}

/// Calls `respond` once the body is complete.
template <bool kHasTls>
void receive(Response<kHasTls>* response, void (*respond)(Response<kHasTls>*, const std::string&)) {
  response->onAborted([] {});
  response->onData(
      [response, respond, body = std::string()](std::string_view part, bool is_last) mutable {
        body.append(part);
        if (is_last) respond(response, body);
      });
}

/// What a socket keeps.
struct Nothing {};

template <bool kHasTls>
void serve(int port) {
  uWS::SocketContextOptions options;
  const auto certificate = bench::certificate();
  if (certificate) {
    options.cert_file_name = certificate->chain.c_str();
    options.key_file_name = certificate->key.c_str();
  }
  uWS::TemplatedApp<kHasTls>(options)
      .get("/hello", [](auto* response,
                        auto*) { response->writeHeader(kType, kJson)->end(bench::hello().dump()); })
      .get("/users/:id",
           [](auto* response, auto* request) {
             const std::string id(request->getParameter(0));
             response->writeHeader(kType, kJson)->end(bench::user(id).dump());
           })
      .get("/file", [](auto* response,
                       auto*) { response->writeHeader(kType, "text/plain")->end(bench::file()); })
      .post("/orders", [](auto* response, auto*) { receive(response, &respond_to_order<kHasTls>); })
      .post("/upload",
            [](auto* response, auto*) { receive(response, &respond_to_upload<kHasTls>); })
      .template ws<Nothing>("/push/echo",
                            {.message = [](auto* socket, std::string_view message,
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
  const auto run = bench::certificate() ? &serve<true> : &serve<false>;
  for (int i = 0; i < bench::threads(); ++i) threads.emplace_back(run, std::atoi(argv[argc - 1]));
  for (auto& thread : threads) thread.join();
}
