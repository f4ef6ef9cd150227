// The identifier that a client's class and file are named by.
#pragma once

#include <string>

#include "cli/options.hpp"

namespace fairway::cli {

struct ClientNameOption {
  std::string name;

  void declare(const OptionGroup& group);
  /// The name, or one made of the API's title: "Orders API" gives "orders_api".
  std::string resolved(const std::string& title) const;
};

}  // namespace fairway::cli
