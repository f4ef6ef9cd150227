#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_plugin({.name = "generator", .setup = [](fw::App& app) {
                                         app.set_request_id_generator([] { return "plug-1"; });
                                       }});
