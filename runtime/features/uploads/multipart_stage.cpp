// Uploads: fills `req.files()`, and `req.body()` where that is wanted, from a multipart form
// (docs/uploads.md).
#include <fairway/multipart.hpp>
#include <fairway/request.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "chain/stages.hpp"
#include "errors/messages.hpp"
#include "features/uploads/multipart_form.hpp"

namespace fw::detail {
namespace {

/// In the slots of the exchange.
struct UploadedFiles {
  std::vector<ParsedFile> files;
};

std::span<const ParsedFile> uploaded_files(Exchange& exchange) {
  const auto* const uploaded = exchange.slots.get<UploadedFiles>();
  if (uploaded == nullptr) return {};
  return uploaded->files;
}

/// The upload limits of a route.
struct UploadLimits {
  std::size_t max_files;
  std::size_t max_fields;  ///< text fields
  bool keeps_fields;       ///< they are the body
  std::uint64_t max_file_size;
  std::vector<std::string> media_types;  ///< in lower case; empty allows every type
  std::vector<std::string> required;     ///< fields that must have a file
};

class MultipartStage : public Stage {
 public:
  explicit MultipartStage(UploadLimits limits) : limits_(std::move(limits)) {}

  void run(Exchange& exchange, const NextStages& next) const override {
    try {
      if (const auto boundary = multipart_boundary(exchange.header("content-type").value_or(""))) {
        Json fields = Json::object();
        exchange.slots.set(UploadedFiles{read_files(exchange.raw_body(), *boundary, fields)});
        if (limits_.keeps_fields) set_form(exchange, std::move(fields), *boundary);
      } else if (!limits_.required.empty() && exchange.head.has_body) {
        throw status_error(415, "the body must be multipart/form-data");
      }
    } catch (const MultipartError& error) {
      throw status_error(400, fmt::format("malformed multipart body: {}", error.what()));
    }
    require_files(uploaded_files(exchange));
    next(exchange);
  }

 private:
  /// Makes the text fields the body.
  static void set_form(Exchange& exchange, Json fields, std::string boundary) {
    // Read again, because a copy of all values would be needed only where arrays are declared.
    exchange.parsed_body.set_form(
        std::move(fields), [boundary = std::move(boundary)](std::string_view bytes,
                                                            const ParsedBody::VisitField& visit) {
          MultipartReader reader(bytes, boundary);
          while (auto part = reader.next()) {
            if (part->filename) continue;
            visit(std::move(part->name), base::valid_utf8(std::string(reader.content())));
          }
        });
  }

  /// Sets members of `fields` to the values of the text fields, if they are the body; the last of
  /// repeated names wins.
  std::vector<ParsedFile> read_files(std::string_view body, std::string_view boundary,
                                     Json& fields) const {
    std::vector<ParsedFile> files;
    std::size_t field_count = 0;
    MultipartReader reader(body, boundary);
    while (auto part = reader.next()) {
      if (!part->filename) {
        if (++field_count > limits_.max_fields) {
          throw status_error(400, fmt::format("more than {} form fields", limits_.max_fields));
        }
        if (limits_.keeps_fields) {
          fields[std::move(part->name)] = base::valid_utf8(std::string(reader.content()));
        }
        continue;
      }
      const std::string_view content = reader.content();
      // Browsers send this for a file input without a file.
      if (part->filename->empty() && content.empty()) continue;
      if (files.size() == limits_.max_files) {
        throw status_error(413, fmt::format("more than {} files", limits_.max_files));
      }
      if (part->media_type.empty()) part->media_type = "application/octet-stream";
      require_acceptable(*part, content.size());
      files.push_back({.fieldname = std::move(part->name),
                       .filename = std::move(*part->filename),
                       .mimetype = std::move(part->media_type),
                       .buffer = std::string(content),
                       .size = content.size()});
    }
    return files;
  }

  void require_acceptable(const MultipartPart& file, std::size_t size) const {
    const auto accepts = [&](std::string_view type) {
      if (type.ends_with("/*")) return file.media_type.starts_with(type.substr(0, type.size() - 1));
      return file.media_type == type;
    };
    const auto& types = limits_.media_types;
    if (!types.empty() && std::none_of(types.begin(), types.end(), accepts)) {
      throw status_error(415, fmt::format("'{}' is {}, not {}", *file.filename, file.media_type,
                                          fmt::join(types, " or ")));
    }
    if (size > limits_.max_file_size) {
      throw status_error(
          413, fmt::format("'{}' has more than {} bytes", *file.filename, limits_.max_file_size));
    }
  }

  void require_files(std::span<const ParsedFile> files) const {
    std::vector<std::string_view> missing;
    for (const std::string& field : limits_.required) {
      const bool is_there = std::any_of(files.begin(), files.end(), [&](const ParsedFile& file) {
        return file.fieldname == field;
      });
      if (!is_there) missing.push_back(field);
    }
    if (missing.empty()) return;
    throw status_error(400, fmt::format("missing required files: {}", fmt::join(missing, ", ")));
  }

  const UploadLimits limits_;
};

bool requires_files(const Multipart& options) {
  return std::any_of(options.files.begin(), options.files.end(),
                     [](const FileField& field) { return field.rules.required; });
}

void warn_unchecked(const StageContext& context) {
  const Route& route = *context.route;
  context.env.logger.warn(fmt::format(
      "{}: {} requires files, but its forms are not parsed, so nothing checks them; set "
      "multipart.enabled to true, or to false if the handler or a middleware parses forms",
      source_of(route), name_of(route)));
}

UploadLimits limits_of(const Config& config, const Multipart& route) {
  const MultipartConfig& global = config.multipart;
  UploadLimits limits{
      .max_files = static_cast<std::size_t>(route.max_files.value_or(global.max_files)),
      .max_fields = static_cast<std::size_t>(config.body_parser.max_form_fields),
      .keeps_fields = route.fields.value_or(global.fields),
      .max_file_size =
          (route.max_file_size.is_set() ? route.max_file_size : global.max_file_size).bytes(),
      .media_types = {},
      .required = {}};
  for (const Text& type : route.allowed_mime_types) {
    limits.media_types.push_back(base::lower_case(type.str()));
  }
  if (limits.media_types.empty()) {
    for (const std::string& type : global.allowed_mime_types) {
      limits.media_types.push_back(base::lower_case(type));
    }
  }
  for (const FileField& field : route.files) {
    if (field.rules.required) limits.required.push_back(field.name.str());
  }
  return limits;
}

}  // namespace

Stages multipart_stage(const StageContext& context) {
  const Route* route = context.route;
  if (route == nullptr) return {};
  const Multipart& options = route->options.multipart;
  if (!has_request_body(*route)) {
    if (requires_files(options)) {
      context.error(
          "multipart.files requires files, which only requests with a body can have: "
          "register the route with post, put or patch");
    }
    return {};
  }
  if (route->options.body_parser.stream ||
      !options.enabled.value_or(context.env.config.multipart.enabled)) {
    if (requires_files(options) && options.enabled.value_or(true)) warn_unchecked(context);
    return {};
  }
  UploadLimits limits = limits_of(context.env.config, options);
  if (options.max_file_size.is_set() && limits.max_file_size > route->body_limit) {
    context.env.logger.warn(
        fmt::format("{}: {} accepts files of {} bytes, but bodies of {} bytes only; raise "
                    "body_parser.max_body_size",
                    source_of(*route), name_of(*route), limits.max_file_size, route->body_limit));
  }
  return one_stage<MultipartStage>(std::move(limits));
}

}  // namespace fw::detail

namespace fw {

std::span<const ParsedFile> Request::files() const {
  exchange_.observe(detail::RequestPart::body);
  return detail::uploaded_files(exchange_);
}

void Request::set_files(std::vector<ParsedFile> files) {
  exchange_.slots.set(detail::UploadedFiles{std::move(files)});
}

}  // namespace fw
