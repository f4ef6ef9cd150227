// cpp-httplib as it comes, with a pool and a keep-alive count that let it serve the load at all: by
// default it closes a connection after five requests and serves as many as it has threads.
#include <httplib.h>

#include "workload.hpp"

int main(int, char** argv) {
  const char* pool = std::getenv("BENCH_CONNECTIONS");
  const int connections = pool != nullptr ? std::atoi(pool) : 64;
  httplib::Server server;
  server.new_task_queue = [connections] {
    return new httplib::ThreadPool(static_cast<std::size_t>(connections) + 8);
  };
  server.set_keep_alive_max_count(1'000'000'000);
  server.set_tcp_nodelay(true);
  server.set_exception_handler([](const httplib::Request&, httplib::Response& response,
                                  std::exception_ptr) { response.status = 400; });
  const auto send = [](httplib::Response& response, const nlohmann::json& body) {
    response.set_content(body.dump(), "application/json");
  };
  server.Get("/hello", [&](const httplib::Request&, httplib::Response& response) {
    send(response, bench::hello());
  });
  server.Get(R"(/users/([^/]+))",
             [&](const httplib::Request& request, httplib::Response& response) {
               send(response, bench::user(request.matches[1]));
             });
  server.Get("/file", [](const httplib::Request&, httplib::Response& response) {
    response.set_content(bench::file(), "text/plain");
  });
  server.Get("/stream", [](const httplib::Request&, httplib::Response& response) {
    response.set_chunked_content_provider("application/octet-stream",
                                          [](std::size_t offset, httplib::DataSink& sink) {
                                            static const std::string piece(bench::kPiece, 'x');
                                            if (offset >= bench::kPiece * bench::kPieces) {
                                              sink.done();
                                            } else {
                                              sink.write(piece.data(), piece.size());
                                            }
                                            return true;
                                          });
  });
  server.Post("/orders", [&](const httplib::Request& request, httplib::Response& response) {
    response.status = 201;
    send(response, bench::place_order(nlohmann::json::parse(request.body)));
  });
  return server.listen("127.0.0.1", std::atoi(argv[1])) ? 0 : 1;
}
