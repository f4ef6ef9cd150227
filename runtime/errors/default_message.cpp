#include "errors/default_message.hpp"

namespace fw::detail {

std::string_view default_message(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 422:
      return "Validation Failed";
    default:
      return status < 500 ? "Request Failed" : "Internal Server Error";
  }
}

}  // namespace fw::detail
