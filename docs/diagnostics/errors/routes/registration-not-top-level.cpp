#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  if (with_admin) app.get("/admin", admin);
});
