// Names of components, made of the operation ids that use them.
#pragma once

#include <string>
#include <vector>

#include "emit/openapi_components.hpp"

namespace fairway::emit {

/// What operations act on: the words that their ids begin with, the verb aside. "createOrder" and
/// "listOrdersById" have "Order" in common; nothing in common gives an empty text.
std::string common_noun(const std::vector<SchemaUse>& uses);

/// The name that its first use alone gives a schema: "CreateOrderBody".
std::string name_of_use(const SchemaUse& use);

/// The name of a schema with several uses: "Order", "OrderBody", else that of its first use that is
/// not an item.
std::string name_of_uses(const std::vector<SchemaUse>& uses);

}  // namespace fairway::emit
