#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_middleware([](const fw::Json& options) -> fw::Middleware {
  return [required = options.at("required").get<std::string>()](fw::Request&, fw::Response& res,
                                                                fw::Next next) {
    res.set_header("x-role", required);
    next();
  };
});
