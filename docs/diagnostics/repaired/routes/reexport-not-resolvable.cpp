#include <fairway/fairway.hpp>

FW_REEXPORT_DEFAULT("accounts.cpp");
