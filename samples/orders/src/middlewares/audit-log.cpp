// Writes a line for each change that a route lets through. Options: {"level": "info" | "warn"}.
#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_middleware([](const fw::Json& options) -> fw::Middleware {
  const bool warn = options.is_object() && options.value("level", "info") == "warn";
  const fw::LogLevel level = warn ? fw::LogLevel::warn : fw::LogLevel::info;
  return [level](fw::Request& req, fw::Response& res, fw::Next next) {
    next();
    req.app().logger().log(level, "audit",
                           {{"user", req.auth().user_id},
                            {"action", std::string(req.method()) + " " + std::string(req.path())},
                            {"status", res.status_code()}});
  };
});
