// Writes a line for each change that a route has made. Routes name it: .middlewares =
// {"audit-log"}.
#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_middleware([](const fw::Json&) -> fw::Middleware {
  return [](fw::Request& req, fw::Response& res, fw::Next next) {
    next();
    req.app().logger().log(fw::LogLevel::info, "audit",
                           {{"action", std::string(req.method()) + " " + std::string(req.path())},
                            {"status", res.status_code()}});
  };
});
