#include <fairway/fairway.hpp>

using namespace std::chrono_literals;

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.override_ = {.timeout = 5s}},
          list);
});
