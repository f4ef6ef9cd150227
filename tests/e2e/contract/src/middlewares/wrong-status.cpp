// Numbers are looked at too early.
#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_middleware([](fw::Request& req, fw::Response&, fw::Next next) {
  const auto id = req.param("id").value_or("");
  if (id.find_first_not_of("0123456789") != id.npos) fw::raise(409, "not a number");
  next();
});
