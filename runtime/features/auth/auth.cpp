// fw::auth(): reads the credential of a request and fills `req.auth()`.
#include <fairway/auth.hpp>
#include <fairway/middleware.hpp>
#include <fairway/store.hpp>

#include <stdexcept>

#include "base/ascii.hpp"
#include "exchange/exchange.hpp"
#include "features/auth/auth_errors.hpp"
#include "observe/active_span.hpp"

namespace fw {
namespace {

/// The credential after the scheme "Bearer" (case-insensitive); empty for other schemes.
std::optional<std::string_view> bearer_credential(std::string_view header) {
  constexpr std::string_view kScheme = "bearer";
  header = base::trim_ows(header);
  if (!base::equal_ignoring_case(header.substr(0, kScheme.size()), kScheme)) return std::nullopt;
  header.remove_prefix(kScheme.size());
  const std::string_view credential = base::trim_ows(header);
  if (credential.empty() || credential.size() == header.size()) return std::nullopt;
  return credential;
}

/// Finds the credential of a source in a request.
class CredentialReader {
 public:
  explicit CredentialReader(const AuthOptions& options)
      : source_(options.source.str()),
        header_(options.header.str()),
        cookie_(options.cookie.str()),
        session_key_(options.session_key.str()) {
    if (source_ == "bearer") {
      if (header_.empty()) header_ = "authorization";
    } else if (source_ == "apiKey") {
      if (header_.empty()) header_ = "x-api-key";
    } else if (source_ != "session" && source_ != "custom") {
      throw std::invalid_argument(
          "fw::auth: the source must be 'bearer', 'apiKey', 'session' or 'custom', not '" +
          source_ + "'");
    }
  }

  /// Whether `read` finds the credential in a field that browsers never send by themselves, as
  /// they do cookies and, once a user has entered a password, Authorization with "Basic".
  bool is_from_header(const Request& req) const {
    if (base::equal_ignoring_case(header_, "cookie")) return false;
    if (source_ == "bearer") return true;
    return source_ == "apiKey" && !base::equal_ignoring_case(header_, "authorization") &&
           !base::equal_ignoring_case(header_, "proxy-authorization") &&
           !req.header(header_).value_or("").empty();
  }

  /// Adds the name of the field with the credential, if `kFieldsOfIdentity` does not have it.
  void add_field(base::StringPool& fields) const {
    if (source_ != "bearer" && source_ != "apiKey") return;
    for (const std::string_view known : {"authorization", "cookie"}) {
      if (base::equal_ignoring_case(header_, known)) return;
    }
    fields.keep(header_);
  }

  /// Empty for an anonymous request. A custom verifier reads the credential itself.
  std::optional<std::string_view> read(const Request& req) const {
    if (source_ == "custom") return std::string_view();
    if (source_ == "session") return session_credential(req);
    if (source_ == "bearer") return bearer_credential(req.header(header_).value_or(""));
    auto key = req.header(header_);
    if ((!key || key->empty()) && !cookie_.empty()) key = req.cookie(cookie_);
    if (!key || key->empty()) return std::nullopt;
    return key;
  }

 private:
  /// A string in the session. Requests of routes without sessions are anonymous.
  std::optional<std::string_view> session_credential(const Request& req) const {
    if (!req.has_session()) {
      if (detail::Exchange::of(req).env.config.session.enabled) return std::nullopt;
      detail::raise_auth(detail::kAuthConfigError,
                         "fw::auth: the source 'session' needs session.enabled");
    }
    const Json& data = req.session().data();
    const auto found = data.find(session_key_);
    if (found == data.end() || !found->is_string() || *found == "") return std::nullopt;
    return found->get_ref<const std::string&>();
  }

  std::string source_;
  std::string header_;
  std::string cookie_;
  std::string session_key_;
};

void fill(AuthContext& context, AuthIdentity identity, const AuthOptions& options,
          bool is_from_header) {
  context = AuthContext{.is_authenticated = true,
                        .subject = std::move(identity.subject),
                        .user_id = std::move(identity.user_id),
                        .roles = std::move(identity.roles),
                        .scopes = std::move(identity.scopes),
                        .claims = std::move(identity.claims),
                        .scheme = options.source.str(),
                        .provider = options.provider.str(),
                        .is_from_header = is_from_header,
                        .can_provider = std::move(identity.can),
                        .assert_provider = std::move(identity.assert_permission)};
}

/// Fills `req.auth()`. The response cache knows the identity; how it was found does not count.
void identify(Request& req, const AuthOptions& options, const CredentialReader& reader,
              bool unknown_is_anonymous) {
  detail::Exchange& exchange = detail::Exchange::of(req);
  if (exchange.reads.is_recorded() && exchange.route != nullptr) {
    reader.add_field(*exchange.route->credential_fields);
  }
  const detail::ObservationScope scope(exchange, nullptr);
  const auto credential = reader.read(req);
  if (!credential) return;
  auto identity = detail::ask_provider([&] {
    const detail::ActiveSpan span("auth");
    return options.verify(*credential, req);
  });
  if (identity) {
    fill(req.auth(), std::move(*identity), options, reader.is_from_header(req));
  } else if (!unknown_is_anonymous) {
    req.auth() = AuthContext{.error = std::string(detail::kAuthInvalid)};
  }
}

}  // namespace

Middleware auth(AuthOptions options) {
  CredentialReader reader(options);
  const bool unknown_is_anonymous = options.source.str() == "custom" && options.optional;
  return [options = std::move(options), reader = std::move(reader), unknown_is_anonymous](
             Request& req, Response&, Next next) {
    if (!options.verify) {
      detail::raise_auth(detail::kAuthConfigError, "fw::auth has no verify function");
    }
    identify(req, options, reader, unknown_is_anonymous);
    next();
  };
}

bool AuthContext::can(std::string_view action, const Json& resource, const Json& context) const {
  if (can_provider) return can_provider(action, resource, context);
  if (!assert_provider) {
    detail::raise_auth(
        detail::kAuthConfigError,
        "a permission is required, but the identity has neither can nor assert_permission");
  }
  try {
    assert_provider(action, resource, context);
    return true;
  } catch (const StoreError&) {
    throw;  // it could not decide
  } catch (...) {
    return false;
  }
}

}  // namespace fw
