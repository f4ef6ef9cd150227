// The JSON type of the public interface, fw::Json. A file with <fairway/routes.hpp> that needs it
// gets everything that depends on it, too.
#pragma once

#include <fairway/json_type.hpp>

#ifdef FAIRWAY_WITH_JSON
#include FAIRWAY_WITH_JSON
#endif
