#include <fairway/text.hpp>

#include "base/declared_impl.hpp"

namespace fw {

std::string detail::copied(std::string_view text) { return std::string(text); }

Text::Text() noexcept = default;
Text::Text(const Text& other) = default;
Text::Text(Text&& other) noexcept = default;
Text& Text::operator=(const Text& other) = default;
Text& Text::operator=(Text&& other) noexcept = default;
Text::~Text() = default;

template class detail::Constant<std::vector<Text>>;
template class detail::List<Text>;

}  // namespace fw
