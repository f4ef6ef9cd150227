// What the tests of processes ask for: who responds, when, and how it ends.
#include <fairway/fairway.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <signal.h>
#include <string>
#include <thread>
#include <unistd.h>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/who", [&app](fw::Request& req, fw::Response& res) {
    const char* worker = std::getenv("FAIRWAY_WORKER");
    res.json({{"pid", getpid()},
              {"parent", getppid()},
              {"worker", worker != nullptr ? worker : "none"},
              {"release", app.config().app.value("release", 0)},
              {"ip", req.ip()}});
  });

  // Who responds, and how often the session has been here.
  app.get("/visit", [](fw::Request& req, fw::Response& res) {
    fw::Session& session = req.session();
    const int visits = session.get<int>("visits").value_or(0) + 1;
    session.set("visits", visits);
    res.json({{"visits", visits}, {"pid", getpid()}});
  });

  app.get("/limited", {.override_ = {.rate_limit = fw::RateLimitOptions{.max = 100}}},
          [](fw::Request&, fw::Response& res) { res.json({{"pid", getpid()}}); });

  // Until there is a file `go` in the directory of the server.
  app.get("/held", [&app](fw::Request&, fw::Response& res) {
    app.logger().info("a request is held", {{"by", getpid()}});
    while (!std::filesystem::exists("go")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    res.json("held");
  });

  app.get("/cached-held", {.cache = 60'000}, [&app](fw::Request&, fw::Response& res) {
    app.logger().info("a cached request is held");
    while (!std::filesystem::exists("go")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    res.json({{"pid", getpid()}});
  });

  app.get("/hang", [&app](fw::Request&, fw::Response& res) {
    app.logger().info("a request hangs");
    while (true) pause();
    res.json("never");
  });

  app.post("/crash", [](fw::Request&, fw::Response&) { kill(getpid(), SIGKILL); });
});
