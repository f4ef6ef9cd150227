// The HTTP server of glaze, which reads and writes structs by reflection.
#include <charconv>
#include <glaze/glaze.hpp>
#include <glaze/net/http_server.hpp>

#include "workload.hpp"

// Not in an anonymous namespace: glaze reads their names.
struct Hello {
  std::string message = "Hello, World!";
  int version = 1;
  bool ok = true;
};
struct User {
  std::string id;
  std::string name = "Ada Lovelace";
  bool active = true;
};
struct Uploaded {
  std::size_t size = 0;
};

int main(int, char** argv) {
  glz::http_server<> server;
  server.on_error([](std::error_code, std::source_location) {});  // clients that end connections
  server.get("/hello",
             [](const glz::request&, glz::response& response) { response.json(Hello{}); });
  server.get("/users/:id", [](const glz::request& request, glz::response& response) {
    response.json(User{.id = request.params.at("id")});
  });
  server.get("/file", [](const glz::request&, glz::response& response) {
    response.content_type("text/plain").body(bench::file());
  });
  server.post("/orders", [](const glz::request& request, glz::response& response) {
    bench::Order<std::string> order;
    if (glz::read_json(order, request.body)) {
      response.status(422);
      return;
    }
    try {
      response.status(201).json(bench::place_order(order));
    } catch (const std::invalid_argument&) {
      response.status(422);
    }
  });
  server.post("/upload", [](const glz::request& request, glz::response& response) {
    response.json(Uploaded{.size = request.body.size()});
  });
  std::uint16_t port = 0;
  std::from_chars(argv[1], argv[1] + std::char_traits<char>::length(argv[1]), port);
  server.bind("127.0.0.1", port);
  server.start(static_cast<std::size_t>(bench::threads()));
  server.wait_for_signal();
}
