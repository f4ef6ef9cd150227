#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  constexpr Register verb = &fw::Router::get;
  (app.*verb)("/", list);
});
