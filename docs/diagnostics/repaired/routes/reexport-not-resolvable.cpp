#include <fairway/fairway.hpp>

FW_REEXPORT_DEFAULT("missing-docs-summary.cpp");
