// What the wire cases, the errors and the soak are served by: every response tells what the
// application was given.
#include <fairway/fairway.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "../request_count.hpp"

namespace {

std::size_t number(const fw::Request& req, std::string_view name) {
  return std::stoul(std::string(req.param(name).value()));
}

/// "METHOD target" as a header, and again with all fields and the body.
void echo(fw::Request& req, fw::Response& res) {
  const std::string line = std::string(req.method()) + " " + std::string(req.url());
  std::string text = line + "\n";
  for (const auto& [name, value] : req.headers()) text += name + ": " + value + "\n";
  text += "\n";
  text += req.raw_body();
  res.set_header("X-Saw", line);
  res.text(std::move(text));
}

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/-/status/:code", [](fw::Request& req, fw::Response& res) {
    res.set_header("X-Saw", std::string(req.method()) + " " + std::string(req.url()));
    res.text("a body", static_cast<int>(number(req, "code")));
  });

  app.get("/-/stream/:size", [](fw::Request& req, fw::Response& res) {
    res.stream([left = number(req, "size")](std::span<char> buffer) mutable {
      const auto size = std::min(left, buffer.size());
      std::fill_n(buffer.data(), size, 'x');
      left -= size;
      return size;
    });
  });

  app.get("/-/text/:size", [](fw::Request& req, fw::Response& res) {
    res.text(std::string(number(req, "size"), 'x'));
  });

  app.get("/-/sleep/:milliseconds", [](fw::Request& req, fw::Response& res) {
    std::this_thread::sleep_for(std::chrono::milliseconds(number(req, "milliseconds")));
    res.text("slept");
  });

  // Makes the file in the directory of the server, and waits until there is one named `go`.
  app.get("/-/held/:file", [](fw::Request& req, fw::Response& res) {
    std::ofstream(std::string(req.param("file").value())).put('x');
    while (!std::filesystem::exists("go")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    res.text("held");
  });

  app.post("/-/counted", [](fw::Request& req, fw::Response& res) {
    req.raw_body();
    ++req.app().services().get<RequestCount>().value;
    res.text("counted");
  });

  // Like `held`; whoever is cut off waits for a callback.
  app.get("/-/slow-close/:file", [](fw::Request& req, fw::Response& res) {
    req.on_close([] { std::this_thread::sleep_for(std::chrono::hours(1)); });
    std::ofstream(std::string(req.param("file").value())).put('x');
    while (!std::filesystem::exists("go")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    res.text("held");
  });

  app.get("/-/log/:size", [](fw::Request& req, fw::Response& res) {
    req.app().logger().error(std::string(number(req, "size"), 'x'));
    res.text("logged");
  });

  app.post("/-/validated",
           {.validate = {.body = {{"name", "string"}, {"x", fw::array_of({{"a", "integer?"}})}}}},
           [](fw::Request&, fw::Response& res) { res.text("valid"); });

  // The body stays where it is.
  app.post("/-/unread", [](fw::Request&, fw::Response& res) { res.text("unread"); });

  app.get("/*", echo);
  app.head("/*", echo);
  app.post("/*", echo);
  app.put("/*", echo);
  app.patch("/*", echo);
  app.del("/*", echo);
  app.options("/*", echo);
});
