// What the tests of processes ask for: who answers, how long it takes, and how it ends.
#include <fairway/fairway.hpp>

#include <chrono>
#include <cstdlib>
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

  app.get("/slow", [](fw::Request& req, fw::Response& res) {
    const std::string time(req.query("ms").value_or("100"));
    std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(time)));
    res.json("slow");
  });

  app.get("/hang", [](fw::Request&, fw::Response& res) {
    while (true) pause();
    res.json("never");
  });

  app.post("/crash", [](fw::Request&, fw::Response&) { kill(getpid(), SIGKILL); });
});
