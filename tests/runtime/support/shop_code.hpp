// The code that the route compiler generates for the types: declarations.
#pragma once

#include <fairway/generated/type_code.hpp>

#include "support/shop_types.hpp"

template <>
struct fw::detail::TypeCode<shop::Channel> {
  static constexpr EnumName<shop::Channel> kValues[] = {{"web", shop::Channel::web},
                                                        {"phone", shop::Channel::phone}};
};
template <>
struct fw::detail::TypeCode<shop::Item> {
  static void read(JsonReader& in, shop::Item& out);
  static void read(FieldReader& in, shop::Item& out);
  static void write(JsonWriter& out, const shop::Item& value);
};
template <>
struct fw::detail::TypeCode<shop::Card> {
  static constexpr LiteralMember kLiterals[] = {{"kind", "card"}};
  static void read(JsonReader& in, shop::Card& out);
  static void read(FieldReader& in, shop::Card& out);
  static void write(JsonWriter& out, const shop::Card& value);
};
template <>
struct fw::detail::TypeCode<shop::Transfer> {
  static constexpr LiteralMember kLiterals[] = {{"kind", "transfer"}};
  static void read(JsonReader& in, shop::Transfer& out);
  static void read(FieldReader& in, shop::Transfer& out);
  static void write(JsonWriter& out, const shop::Transfer& value);
};
template <>
struct fw::detail::TypeCode<shop::NewOrder> {
  static void read(JsonReader& in, shop::NewOrder& out);
  static void write(JsonWriter& out, const shop::NewOrder& value);
};
template <>
struct fw::detail::TypeCode<shop::Number> {
  static constexpr LiteralMember kLiterals[] = {{"kind", "number"}};
  static void read(JsonReader& in, shop::Number& out);
  static void read(FieldReader& in, shop::Number& out);
  static void write(JsonWriter& out, const shop::Number& value);
};
template <>
struct fw::detail::TypeCode<shop::Sum> {
  static constexpr LiteralMember kLiterals[] = {{"kind", "sum"}};
  static void read(JsonReader& in, shop::Sum& out);
  static void write(JsonWriter& out, const shop::Sum& value);
};
template <>
struct fw::detail::TypeCode<shop::Tree> {
  static void read(JsonReader& in, shop::Tree& out);
  static void write(JsonWriter& out, const shop::Tree& value);
};
template <>
struct fw::detail::TypeCode<shop::Everything> {
  static void read(JsonReader& in, shop::Everything& out);
  static void write(JsonWriter& out, const shop::Everything& value);
};
template <>
struct fw::detail::TypeCode<shop::ById> {
  static void read(JsonReader& in, shop::ById& out);
  static void read(FieldReader& in, shop::ById& out);
  static void write(JsonWriter& out, const shop::ById& value);
};
template <>
struct fw::detail::TypeCode<shop::Filter> {
  static void read(JsonReader& in, shop::Filter& out);
  static void read(FieldReader& in, shop::Filter& out);
  static void write(JsonWriter& out, const shop::Filter& value);
};
template <>
struct fw::detail::TypeCode<shop::Headers> {
  static void read(JsonReader& in, shop::Headers& out);
  static void read(FieldReader& in, shop::Headers& out);
  static void write(JsonWriter& out, const shop::Headers& value);
};
template <>
struct fw::detail::TypeCode<shop::Order> {
  static void read(JsonReader& in, shop::Order& out);
  static void write(JsonWriter& out, const shop::Order& value);
};
template <>
struct fw::detail::TypeCode<shop::Conflict> {
  static void read(JsonReader& in, shop::Conflict& out);
  static void read(FieldReader& in, shop::Conflict& out);
  static void write(JsonWriter& out, const shop::Conflict& value);
};
