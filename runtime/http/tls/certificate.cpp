#include "http/tls/certificate.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <new>
#include <span>
#include <utility>

#include "crypto/openssl.hpp"

namespace fw::http {
namespace {

/// Reasons of OpenSSL for certificates that it considers too weak, and for the key of another one.
constexpr std::array kWeak = {SSL_R_EE_KEY_TOO_SMALL, SSL_R_CA_KEY_TOO_SMALL, SSL_R_CA_MD_TOO_WEAK};
constexpr std::array kOtherKey = {X509_R_KEY_VALUES_MISMATCH, X509_R_KEY_TYPE_MISMATCH};

bool is_one_of(int reason, std::span<const int> reasons) {
  return std::ranges::find(reasons, reason) != reasons.end();
}

/// The reason of OpenSSL's last error, without its codes.
std::string take_reason() {
  const unsigned long error = ERR_peek_last_error();
  const char* reason = ERR_reason_error_string(error);
  ERR_clear_error();
  return reason != nullptr ? reason : "unknown error";
}

std::chrono::system_clock::time_point time_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
  return std::chrono::system_clock::from_time_t(timegm(&parts));
}

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using OwnedBio = std::unique_ptr<BIO, FreeBio>;

struct FreeNames {
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};

std::string text_of(const X509_NAME* name) {
  const OwnedBio out(BIO_new(BIO_s_mem()));
  if (!out || X509_NAME_print_ex(out.get(), name, 0, XN_FLAG_RFC2253) < 0) return {};
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return std::string(data, static_cast<std::size_t>(size));
}

std::vector<std::string> names_of(const X509& certificate) {
  std::vector<std::string> names;
  const std::unique_ptr<GENERAL_NAMES, FreeNames> list(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; i < sk_GENERAL_NAME_num(list.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(list.get(), i);
    if (name->type == GEN_DNS || name->type == GEN_EMAIL || name->type == GEN_URI) {
      const ASN1_IA5STRING* text = name->d.ia5;
      names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                         static_cast<std::size_t>(ASN1_STRING_length(text)));
    } else if (name->type == GEN_IPADD) {
      const ASN1_OCTET_STRING* address = name->d.iPAddress;
      char text[INET6_ADDRSTRLEN] = {};
      const int family = ASN1_STRING_length(address) == 4 ? AF_INET : AF_INET6;
      inet_ntop(family, ASN1_STRING_get0_data(address), text, sizeof text);
      names.emplace_back(text);
    }
  }
  return names;
}

std::string fingerprint_of(const X509& certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (X509_digest(&certificate, EVP_sha256(), digest.data(), &size) != 1) throw std::bad_alloc();
  return fmt::format("{:02x}", fmt::join(std::span(digest).first(size), ""));
}

/// Whether the file can be opened; OpenSSL's own reports of this are hard to read.
bool is_readable(const std::string& path, std::string& reason) {
  const OwnedBio file(BIO_new_file(path.c_str(), "r"));
  if (file) return true;
  reason = std::strerror(errno);
  ERR_clear_error();
  return false;
}

/// Why a certificate cannot be used now; empty if it can.
std::string problem_of_time(const X509& certificate) {
  if (X509_cmp_current_time(X509_get0_notAfter(&certificate)) < 0) {
    return fmt::format("the certificate of {} has expired on {}",
                       text_of(X509_get_subject_name(&certificate)),
                       date_of(time_of(X509_get0_notAfter(&certificate))));
  }
  if (X509_cmp_current_time(X509_get0_notBefore(&certificate)) > 0) {
    return fmt::format("the certificate of {} is not valid before {}",
                       text_of(X509_get_subject_name(&certificate)),
                       date_of(time_of(X509_get0_notBefore(&certificate))));
  }
  return {};
}

/// Why a client could not verify the certificate with its chain; empty if it could.
std::string problem_of_chain(SSL_CTX& context) {
  X509* certificate = SSL_CTX_get0_certificate(&context);
  if (auto problem = problem_of_time(*certificate); !problem.empty()) return problem;
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_get0_chain_certs(&context, &chain);
  for (int i = 0; i < sk_X509_num(chain); ++i) {
    X509* issuer = sk_X509_value(chain, i);
    if (X509_check_issued(issuer, certificate) != X509_V_OK ||
        X509_verify(certificate, X509_get0_pubkey(issuer)) != 1) {
      ERR_clear_error();
      return fmt::format(
          "certificate {} of the chain, of {}, has not issued the one before it, of {}", i + 2,
          text_of(X509_get_subject_name(issuer)), text_of(X509_get_subject_name(certificate)));
    }
    if (auto problem = problem_of_time(*issuer); !problem.empty()) return problem;
    certificate = issuer;
  }
  return {};
}

/// The certificates that the context trusts.
std::vector<const X509*> authorities_of(const SSL_CTX& context) {
  std::vector<const X509*> authorities;
  const STACK_OF(X509_OBJECT)* objects = X509_STORE_get0_objects(SSL_CTX_get_cert_store(&context));
  for (int i = 0; i < sk_X509_OBJECT_num(objects); ++i) {
    const X509* authority = X509_OBJECT_get0_X509(sk_X509_OBJECT_value(objects, i));
    if (authority != nullptr) authorities.push_back(authority);
  }
  return authorities;
}

CertificateFacts read_facts(const X509& certificate) {
  return {.subject = text_of(X509_get_subject_name(&certificate)),
          .names = names_of(certificate),
          .end = time_of(X509_get0_notAfter(&certificate))};
}

}  // namespace

void FreeSslContext::operator()(SSL_CTX* context) const { SSL_CTX_free(context); }

std::vector<CertificateError> load_certificate(SSL_CTX& context,
                                               const TlsCertificateConfig& files) {
  std::vector<CertificateError> errors;
  const auto add = [&](std::string_view member, const std::string& path, const std::string& text) {
    errors.push_back({member, fmt::format("{}: {}", path, text)});
  };
  // A prompt for a passphrase would stop the server, so there is none.
  SSL_CTX_set_default_passwd_cb(&context, [](char*, int, int, void*) { return 0; });
  std::string reason;
  if (!is_readable(files.certificate, reason)) {
    add("certificate", files.certificate, reason);
  } else if (SSL_CTX_use_certificate_chain_file(&context, files.certificate.c_str()) != 1) {
    const bool is_weak = is_one_of(ERR_GET_REASON(ERR_peek_last_error()), kWeak);
    reason = take_reason();
    add("certificate", files.certificate,
        is_weak ? fmt::format("the certificate is too weak: {}", reason)
                : "the file has no certificate in PEM");
  }
  if (!is_readable(files.key, reason)) {
    add("key", files.key, reason);
    return errors;
  }
  if (!errors.empty()) return errors;
  if (SSL_CTX_use_PrivateKey_file(&context, files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    const bool is_other = is_one_of(ERR_GET_REASON(ERR_peek_last_error()), kOtherKey);
    ERR_clear_error();
    add("key", files.key,
        is_other ? fmt::format("the key does not belong to the certificate {}", files.certificate)
                 : "the file has no private key in PEM without a passphrase");
    return errors;
  }
  if (const auto problem = problem_of_chain(context); !problem.empty()) {
    add("certificate", files.certificate, problem);
  }
  return errors;
}

CertificateFacts facts_of(const SSL_CTX& context) {
  return read_facts(*SSL_CTX_get0_certificate(&context));
}

std::optional<std::string> ask_for_certificates(SSL_CTX& context,
                                                const TlsClientCertificatesConfig& config) {
  const auto problem = [&](std::string_view text) {
    ERR_clear_error();
    return fmt::format("{}: {}", config.ca, text);
  };
  std::string reason;
  if (!is_readable(config.ca, reason)) return problem(reason);
  STACK_OF(X509_NAME)* authorities = SSL_load_client_CA_file(config.ca.c_str());
  if (authorities == nullptr) return problem("the file has no certificate in PEM");
  SSL_CTX_set_client_CA_list(&context, authorities);
  if (SSL_CTX_load_verify_file(&context, config.ca.c_str()) != 1) {
    return problem("the file has no certificate in PEM");
  }
  for (const X509* authority : authorities_of(context)) {
    if (const auto ended = problem_of_time(*authority); !ended.empty()) return problem(ended);
  }
  SSL_CTX_set_verify(&context,
                     config.mode == "required" ? SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
                                               : SSL_VERIFY_PEER,
                     nullptr);
  return std::nullopt;
}

std::vector<CertificateFacts> facts_of_authorities(const SSL_CTX& context) {
  std::vector<CertificateFacts> all;
  for (const X509* authority : authorities_of(context)) all.push_back(read_facts(*authority));
  return all;
}

std::shared_ptr<const ClientCertificate> certificate_of_client(const SSL& connection) {
  const X509* certificate = SSL_get0_peer_certificate(&connection);
  if (certificate == nullptr) return nullptr;
  CertificateFacts facts = read_facts(*certificate);
  return std::make_shared<const ClientCertificate>(
      ClientCertificate{.subject = std::move(facts.subject),
                        .names = std::move(facts.names),
                        .fingerprint = fingerprint_of(*certificate),
                        .end = facts.end});
}

std::string date_of(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

}  // namespace fw::http
