#include <fairway/fairway.hpp>

#include <atomic>
#include <string>

#include "deliveries.hpp"

namespace {

std::atomic<int> calls = 0;

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/cached", {.cache = 3'600'000}, [](fw::Request&, fw::Response& res) {
    res.json({{"calls", ++calls}, {"text", std::string(5'000, 'x')}});
  });
  app.get("/stream", [](fw::Request&, fw::Response& res) {
    res.stream(
        [left = 100](std::span<char> buffer) mutable -> std::size_t {
          if (left-- == 0) return 0;
          return std::string(1'000, 'x').copy(buffer.data(), buffer.size());
        },
        "text/plain");
  });
  app.get("/deliveries", [&app](fw::Request&, fw::Response& res) {
    res.json(app.services().get<Deliveries>().take());
  });
});
