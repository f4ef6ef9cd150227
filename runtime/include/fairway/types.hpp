// Plain C++ types as schemas, and the signatures of handlers (docs/types.md).
#pragma once

#include <fairway/field.hpp>
#include <fairway/handler.hpp>
#include <fairway/items.hpp>
#include <fairway/literal.hpp>
#include <fairway/type_reference.hpp>
