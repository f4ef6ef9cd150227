#include <fairway/fairway.hpp>

const auto users = fw::define_routes([](fw::Router& app) { app.get("/", list); });
