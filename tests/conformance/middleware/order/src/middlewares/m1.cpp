#include <fairway/fairway.hpp>

#include "support/responses.hpp"

FW_EXPORT_DEFAULT = fw::define_middleware([](fw::Request& req, fw::Response&, fw::Next next) {
  responses::trace(req).emplace_back("m1>");
  next();
});
