#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_middleware([](fw::Request& req, fw::Response&, fw::Next next) {
  if (!req.header("authorization")) throw fw::HttpError(401, "No token");
  next();
});
