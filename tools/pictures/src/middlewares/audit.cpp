// The middleware whose name is misspelled in docs/pictures/diagnostics.svg.
#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT =
    fw::define_middleware([](fw::Request&, fw::Response&, fw::Next next) { next(); });
