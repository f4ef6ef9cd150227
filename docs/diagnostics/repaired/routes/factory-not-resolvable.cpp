#include <fairway/fairway.hpp>

void users(fw::Router& app) { app.get("/", list); }
FW_EXPORT_DEFAULT = fw::define_routes(users);
