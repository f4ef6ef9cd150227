#include "model/route_declaration.hpp"

#include <utility>

#include "options/option_members.hpp"

namespace fairway::model {
namespace {

using fw::options::Form;
using fw::options::OptionMember;

// JSON objects have sorted members at run time.
Json sorted(const Json& value) { return nlohmann::json(value); }

enum class Scope { everything, effective };

Json declared_record(std::string_view record, const Json& written, Scope scope);

// A record or its shorthand.
Json declared_record(const OptionMember& member, const Json& written, Scope scope) {
  if (written == true) return Json::object();
  if (written.is_object()) return declared_record(member.record_type, written, scope);
  // `.cache = 0` is `.cache = false`.
  if (member.shorthand.empty() || written.is_boolean() || written == 0) return false;
  Json spelled_out;
  spelled_out[fw::options::reference_name(member.shorthand)] = written;
  return declared_record(member.record_type, spelled_out, scope);
}

Json declared_permission(const Json& permission) {
  if (!permission.is_object()) return permission;
  Json declared = Json::object();
  for (const auto& [name, value] : permission.items()) {
    if (!value.is_null()) declared[name] = sorted(value);
  }
  return declared.size() == 1 ? declared.front() : declared;
}

Json declared_value(const OptionMember& member, const Json& written, Scope scope) {
  switch (member.form) {
    case Form::size:
      return written.is_number() ? Json(written.dump()) : written;
    case Form::number:  // "99.0", however it is written
      return written.is_number() ? Json(written.get<double>()) : written;
    case Form::json:
      return sorted(written);
    case Form::record:
      return declared_record(member, written, scope);
    case Form::named:
    case Form::middlewares:
    case Form::permissions:
      break;
    default:
      return written;
  }
  Json declared = written;
  for (Json& each : declared) {
    if (member.form == Form::named) {
      each = declared_record(member, each, scope);
    } else if (member.form == Form::permissions) {
      each = declared_permission(each);
    } else if (each.is_object()) {
      each["options"] = sorted(each["options"]);
    }
  }
  return declared;
}

Json declared_record(std::string_view record, const Json& written, Scope scope) {
  Json declared = Json::object();
  for (const OptionMember& member : fw::options::kOptionMembers) {
    if (member.record != record) continue;
    if (member.only_documents && scope == Scope::effective) continue;
    const std::string name = fw::options::reference_name(member.name);
    const auto found = written.find(name);
    if (found == written.end()) continue;
    Json value = declared_value(member, *found, scope);
    if (!fw::options::is_default(member.default_value, value)) declared[name] = std::move(value);
  }
  return declared;
}

Json declared_route(std::string_view method, std::string_view subpath, const Json& options,
                    Scope scope) {
  Json route;
  route["method"] = method;
  route["path"] = subpath;
  route.update(declared_record("RouteOptions", options, scope));
  return route;
}

}  // namespace

Json route_declaration(std::string_view method, std::string_view subpath, const Json& options) {
  return declared_route(method, subpath, options, Scope::everything);
}

Json effective_declaration(std::string_view method, std::string_view subpath, const Json& options) {
  return declared_route(method, subpath, options, Scope::effective);
}

}  // namespace fairway::model
