#include <fairway/fairway.hpp>

#include "support/answers.hpp"

FW_EXPORT_DEFAULT = fw::define_middleware([](fw::Request& req, fw::Response&, fw::Next next) {
  answers::trace(req).emplace_back("m2>");
  next();
});
