// Responses that a generated client reads straight into a struct, against its general path: what
// the reader accepts, parsing a tree and decoding it accept with the same result.
#include <fairway_client_support.hpp>

#include "fuzz.hpp"

namespace {

namespace detail = fairway_client::detail;
using fairway_client::Json;

enum class Color { red, green };
inline constexpr auto enum_values(Color) {
  return std::to_array<std::pair<Color, std::string_view>>(
      {{Color::red, "red"}, {Color::green, "gr\"ün"}});
}

// As `fairway client cpp` emits it.
struct Part {
  std::int64_t id = {};
  std::string name = {};
  std::optional<Color> color = {};
  std::optional<double> weight = {};
  std::optional<bool> spare = {};
  std::optional<std::monostate> none = {};
  std::optional<Json> any = {};
  std::optional<std::variant<std::int64_t, std::string, std::vector<bool>>> choice = {};
  std::optional<fairway_client::Box<Part>> parent = {};
  std::vector<Part> children = {};
  std::optional<std::map<std::string, Part>> named = {};
  std::map<std::string, std::optional<double>> additional_properties = {};

  template <class FwSelf, class FwVisitor>
  static void visit_fields(FwSelf& fw_self, FwVisitor& fw_visitor) {
    fw_visitor.required("id", fw_self.id);
    fw_visitor.required("name", fw_self.name);
    fw_visitor.optional("color", fw_self.color);
    fw_visitor.optional("weight", fw_self.weight);
    fw_visitor.optional("spare", fw_self.spare);
    fw_visitor.optional("none", fw_self.none);
    fw_visitor.optional("any", fw_self.any);
    fw_visitor.optional("choice", fw_self.choice);
    fw_visitor.optional("parent", fw_self.parent);
    fw_visitor.required("children", fw_self.children);
    fw_visitor.optional("named", fw_self.named);
    fw_visitor.rest(fw_self.additional_properties);
  }
  friend bool operator==(const Part&, const Part&) = default;
};

template <class T>
void check(std::string_view text) {
  T value = {};
  if (!detail::read_text(text, value)) return;
  const Json tree = Json::parse(text, nullptr, false);
  fuzz::require(!tree.is_discarded());
  // Throws, which is a finding, if the value does not match. The texts show the sign of zero.
  const T truth = detail::decode<T>(tree);
  fuzz::require(value == truth);
  fuzz::require(detail::encode(value).dump() == detail::encode(truth).dump());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  check<Part>(text);
  check<std::vector<Part>>(text);
  check<Json>(text);
  check<std::string>(text);
  check<double>(text);
  check<std::int64_t>(text);
  return 0;
}
