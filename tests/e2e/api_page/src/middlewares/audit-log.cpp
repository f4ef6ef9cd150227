#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_middleware([](fw::Request&, fw::Response& res, fw::Next next) {
  res.set_header("x-audited", "yes");
  next();
});
