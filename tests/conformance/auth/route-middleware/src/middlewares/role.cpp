#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_middleware([](const fw::Json& options) -> fw::Middleware {
  return [role = options.dump()](fw::Request&, fw::Response& res, fw::Next next) {
    res.set_header("X-Role", role);
    next();
  };
});
