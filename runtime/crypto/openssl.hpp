// The functions of OpenSSL that the runtime uses. Its two libraries would take a third of the
// processor time of the start of a small program, and a fifth of its memory, so that each is loaded
// when it is first used, unless it was linked; see cmake/FairwayOpenssl.cmake. Sources include this
// header instead of <openssl/...>, and call the functions by their usual names.
#pragma once

// All that is renamed below must be declared before.
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#ifndef FAIRWAY_LINKS_OPENSSL

#include <atomic>

// OpenSSL's names. NOLINTBEGIN(readability-identifier-naming)
// clang-format off
#define FAIRWAY_LIBCRYPTO_FUNCTIONS(DO)                                                           \
  DO(ASN1_STRING_get0_data) DO(ASN1_STRING_length) DO(ASN1_TIME_to_tm) DO(BIO_clear_flags)        \
  DO(BIO_ctrl) DO(BIO_ctrl_pending) DO(BIO_free) DO(BIO_get_data)                \
  DO(BIO_get_new_index) DO(BIO_meth_new) DO(BIO_meth_set_create) DO(BIO_meth_set_ctrl)            \
  DO(BIO_meth_set_read) DO(BIO_meth_set_write) DO(BIO_new) DO(BIO_new_file) DO(BIO_read)          \
  DO(BIO_s_mem) DO(BIO_set_data) DO(BIO_set_flags) DO(BIO_set_init) DO(BIO_write)                 \
  DO(CRYPTO_get_ex_new_index) DO(CRYPTO_memcmp) DO(ERR_clear_error) DO(ERR_error_string_n)        \
  DO(ERR_get_error) DO(ERR_peek_error) DO(ERR_peek_last_error) DO(ERR_reason_error_string)        \
  DO(EVP_CIPHER_get_iv_length) DO(EVP_DecryptInit_ex) DO(EVP_Digest) DO(EVP_DigestFinal_ex)       \
  DO(EVP_DigestInit_ex) DO(EVP_DigestUpdate) DO(EVP_EncodeBlock) DO(EVP_EncryptInit_ex)           \
  DO(EVP_MAC_CTX_set_params) DO(EVP_MD_CTX_free) DO(EVP_MD_CTX_new) DO(EVP_MD_fetch)              \
  DO(EVP_aes_256_cbc) DO(EVP_sha1) DO(EVP_sha256) DO(GENERAL_NAMES_free) DO(HMAC)                 \
  DO(OPENSSL_sk_num) DO(OPENSSL_sk_value) DO(OSSL_PARAM_construct_end)                            \
  DO(OSSL_PARAM_construct_octet_string) DO(OSSL_PARAM_construct_utf8_string)                      \
  DO(OpenSSL_version_num) DO(RAND_bytes) DO(X509_NAME_print_ex) DO(X509_OBJECT_get0_X509)         \
  DO(X509_STORE_free) DO(X509_STORE_get0_objects) DO(X509_STORE_load_file)                        \
  DO(X509_STORE_load_path) DO(X509_STORE_new) DO(X509_VERIFY_PARAM_set1_ip_asc)                   \
  DO(X509_check_issued) DO(X509_cmp_current_time) DO(X509_digest) DO(X509_get0_notAfter)          \
  DO(X509_get0_notBefore) DO(X509_get0_pubkey) DO(X509_get_ext_d2i) DO(X509_get_subject_name)     \
  DO(X509_verify)
#define FAIRWAY_LIBSSL_FUNCTIONS(DO)                                                              \
  DO(SSL_CTX_callback_ctrl) DO(SSL_CTX_ctrl) DO(SSL_CTX_free) DO(SSL_CTX_get0_certificate)        \
  DO(SSL_CTX_get_cert_store) DO(SSL_CTX_get_ex_data) DO(SSL_CTX_load_verify_file)                 \
  DO(SSL_CTX_load_verify_locations) DO(SSL_CTX_new) DO(SSL_CTX_set1_cert_store)                   \
  DO(SSL_CTX_set_alpn_select_cb) DO(SSL_CTX_set_cipher_list) DO(SSL_CTX_set_client_CA_list)       \
  DO(SSL_CTX_set_default_passwd_cb) DO(SSL_CTX_set_default_verify_paths) DO(SSL_CTX_set_ex_data)  \
  DO(SSL_CTX_set_num_tickets) DO(SSL_CTX_set_options) DO(SSL_CTX_set_security_level)              \
  DO(SSL_CTX_set_session_id_context) DO(SSL_CTX_set_tlsext_ticket_key_evp_cb)                     \
  DO(SSL_CTX_set_verify) DO(SSL_CTX_use_PrivateKey_file) DO(SSL_CTX_use_certificate_chain_file)   \
  DO(SSL_ctrl) DO(SSL_do_handshake) DO(SSL_free) DO(SSL_get0_alpn_selected) DO(SSL_get0_param)    \
  DO(SSL_get0_peer_certificate) DO(SSL_get_SSL_CTX) DO(SSL_get_error) DO(SSL_get_servername)      \
  DO(SSL_has_pending) DO(SSL_is_init_finished) DO(SSL_load_client_CA_file) DO(SSL_new)            \
  DO(SSL_read_ex) DO(SSL_set1_host) DO(SSL_set_SSL_CTX) DO(SSL_set_accept_state) DO(SSL_set_bio)  \
  DO(SSL_set_connect_state) DO(SSL_set_msg_callback) DO(SSL_shutdown) DO(SSL_want)                \
  DO(SSL_write_ex) DO(TLS_client_method) DO(TLS_server_method)
// clang-format on

namespace fw::crypto {

#define FAIRWAY_OPENSSL_MEMBER(name) decltype(&::name) name;
struct LibcryptoFunctions {
  FAIRWAY_LIBCRYPTO_FUNCTIONS(FAIRWAY_OPENSSL_MEMBER)
};
struct LibsslFunctions {
  FAIRWAY_LIBSSL_FUNCTIONS(FAIRWAY_OPENSSL_MEMBER)
};
#undef FAIRWAY_OPENSSL_MEMBER

/// Load the shared libraries of these names, which stay loaded. Throw std::runtime_error if there
/// is none, or if it is not of OpenSSL 3.
LibcryptoFunctions find_libcrypto(const char* soname);
LibsslFunctions find_libssl(const char* soname);

/// Null until the library is loaded.
extern std::atomic<const LibcryptoFunctions*> loaded_libcrypto;
extern std::atomic<const LibsslFunctions*> loaded_libssl;
const LibcryptoFunctions& load_libcrypto();
const LibsslFunctions& load_libssl();

/// Loads the library at the first call. Throws std::runtime_error if that is not possible; the next
/// call tries again. Thread-safe.
inline const LibcryptoFunctions& libcrypto() {
  const auto* const functions = loaded_libcrypto.load(std::memory_order_acquire);
  return functions != nullptr ? *functions : load_libcrypto();
}
inline const LibsslFunctions& libssl() {
  const auto* const functions = loaded_libssl.load(std::memory_order_acquire);
  return functions != nullptr ? *functions : load_libssl();
}

/// Loads what requests will need. Throws std::runtime_error if that is not possible.
inline void prepare_openssl(bool for_tls) {
  libcrypto();
  if (for_tls) libssl();
}

}  // namespace fw::crypto

#ifndef FAIRWAY_OPENSSL_LIBRARY  // which takes the names from the lists
#define ASN1_STRING_get0_data ::fw::crypto::libcrypto().ASN1_STRING_get0_data
#define ASN1_STRING_length ::fw::crypto::libcrypto().ASN1_STRING_length
#define ASN1_TIME_to_tm ::fw::crypto::libcrypto().ASN1_TIME_to_tm
#define BIO_clear_flags ::fw::crypto::libcrypto().BIO_clear_flags
#define BIO_ctrl ::fw::crypto::libcrypto().BIO_ctrl
#define BIO_ctrl_pending ::fw::crypto::libcrypto().BIO_ctrl_pending
#define BIO_free ::fw::crypto::libcrypto().BIO_free
#define BIO_get_data ::fw::crypto::libcrypto().BIO_get_data
#define BIO_get_new_index ::fw::crypto::libcrypto().BIO_get_new_index
#define BIO_meth_new ::fw::crypto::libcrypto().BIO_meth_new
#define BIO_meth_set_create ::fw::crypto::libcrypto().BIO_meth_set_create
#define BIO_meth_set_ctrl ::fw::crypto::libcrypto().BIO_meth_set_ctrl
#define BIO_meth_set_read ::fw::crypto::libcrypto().BIO_meth_set_read
#define BIO_meth_set_write ::fw::crypto::libcrypto().BIO_meth_set_write
#define BIO_new ::fw::crypto::libcrypto().BIO_new
#define BIO_new_file ::fw::crypto::libcrypto().BIO_new_file
#define BIO_read ::fw::crypto::libcrypto().BIO_read
#define BIO_s_mem ::fw::crypto::libcrypto().BIO_s_mem
#define BIO_set_data ::fw::crypto::libcrypto().BIO_set_data
#define BIO_set_flags ::fw::crypto::libcrypto().BIO_set_flags
#define BIO_set_init ::fw::crypto::libcrypto().BIO_set_init
#define BIO_write ::fw::crypto::libcrypto().BIO_write
#define CRYPTO_get_ex_new_index ::fw::crypto::libcrypto().CRYPTO_get_ex_new_index
#define CRYPTO_memcmp ::fw::crypto::libcrypto().CRYPTO_memcmp
#define ERR_clear_error ::fw::crypto::libcrypto().ERR_clear_error
#define ERR_error_string_n ::fw::crypto::libcrypto().ERR_error_string_n
#define ERR_get_error ::fw::crypto::libcrypto().ERR_get_error
#define ERR_peek_error ::fw::crypto::libcrypto().ERR_peek_error
#define ERR_peek_last_error ::fw::crypto::libcrypto().ERR_peek_last_error
#define ERR_reason_error_string ::fw::crypto::libcrypto().ERR_reason_error_string
#define EVP_CIPHER_get_iv_length ::fw::crypto::libcrypto().EVP_CIPHER_get_iv_length
#define EVP_DecryptInit_ex ::fw::crypto::libcrypto().EVP_DecryptInit_ex
#define EVP_Digest ::fw::crypto::libcrypto().EVP_Digest
#define EVP_DigestFinal_ex ::fw::crypto::libcrypto().EVP_DigestFinal_ex
#define EVP_DigestInit_ex ::fw::crypto::libcrypto().EVP_DigestInit_ex
#define EVP_DigestUpdate ::fw::crypto::libcrypto().EVP_DigestUpdate
#define EVP_EncodeBlock ::fw::crypto::libcrypto().EVP_EncodeBlock
#define EVP_EncryptInit_ex ::fw::crypto::libcrypto().EVP_EncryptInit_ex
#define EVP_MAC_CTX_set_params ::fw::crypto::libcrypto().EVP_MAC_CTX_set_params
#define EVP_MD_CTX_free ::fw::crypto::libcrypto().EVP_MD_CTX_free
#define EVP_MD_CTX_new ::fw::crypto::libcrypto().EVP_MD_CTX_new
#define EVP_MD_fetch ::fw::crypto::libcrypto().EVP_MD_fetch
#define EVP_aes_256_cbc ::fw::crypto::libcrypto().EVP_aes_256_cbc
#define EVP_sha1 ::fw::crypto::libcrypto().EVP_sha1
#define EVP_sha256 ::fw::crypto::libcrypto().EVP_sha256
#define GENERAL_NAMES_free ::fw::crypto::libcrypto().GENERAL_NAMES_free
#define HMAC ::fw::crypto::libcrypto().HMAC
#define OPENSSL_sk_num ::fw::crypto::libcrypto().OPENSSL_sk_num
#define OPENSSL_sk_value ::fw::crypto::libcrypto().OPENSSL_sk_value
#define OSSL_PARAM_construct_end ::fw::crypto::libcrypto().OSSL_PARAM_construct_end
#define OSSL_PARAM_construct_octet_string \
  ::fw::crypto::libcrypto().OSSL_PARAM_construct_octet_string
#define OSSL_PARAM_construct_utf8_string ::fw::crypto::libcrypto().OSSL_PARAM_construct_utf8_string
#define OpenSSL_version_num ::fw::crypto::libcrypto().OpenSSL_version_num
#define RAND_bytes ::fw::crypto::libcrypto().RAND_bytes
#define X509_NAME_print_ex ::fw::crypto::libcrypto().X509_NAME_print_ex
#define X509_OBJECT_get0_X509 ::fw::crypto::libcrypto().X509_OBJECT_get0_X509
#define X509_STORE_free ::fw::crypto::libcrypto().X509_STORE_free
#define X509_STORE_get0_objects ::fw::crypto::libcrypto().X509_STORE_get0_objects
#define X509_STORE_load_file ::fw::crypto::libcrypto().X509_STORE_load_file
#define X509_STORE_load_path ::fw::crypto::libcrypto().X509_STORE_load_path
#define X509_STORE_new ::fw::crypto::libcrypto().X509_STORE_new
#define X509_VERIFY_PARAM_set1_ip_asc ::fw::crypto::libcrypto().X509_VERIFY_PARAM_set1_ip_asc
#define X509_check_issued ::fw::crypto::libcrypto().X509_check_issued
#define X509_cmp_current_time ::fw::crypto::libcrypto().X509_cmp_current_time
#define X509_digest ::fw::crypto::libcrypto().X509_digest
#define X509_get0_notAfter ::fw::crypto::libcrypto().X509_get0_notAfter
#define X509_get0_notBefore ::fw::crypto::libcrypto().X509_get0_notBefore
#define X509_get0_pubkey ::fw::crypto::libcrypto().X509_get0_pubkey
#define X509_get_ext_d2i ::fw::crypto::libcrypto().X509_get_ext_d2i
#define X509_get_subject_name ::fw::crypto::libcrypto().X509_get_subject_name
#define X509_verify ::fw::crypto::libcrypto().X509_verify
#define SSL_CTX_callback_ctrl ::fw::crypto::libssl().SSL_CTX_callback_ctrl
#define SSL_CTX_ctrl ::fw::crypto::libssl().SSL_CTX_ctrl
#define SSL_CTX_free ::fw::crypto::libssl().SSL_CTX_free
#define SSL_CTX_get0_certificate ::fw::crypto::libssl().SSL_CTX_get0_certificate
#define SSL_CTX_get_cert_store ::fw::crypto::libssl().SSL_CTX_get_cert_store
#define SSL_CTX_get_ex_data ::fw::crypto::libssl().SSL_CTX_get_ex_data
#define SSL_CTX_load_verify_file ::fw::crypto::libssl().SSL_CTX_load_verify_file
#define SSL_CTX_load_verify_locations ::fw::crypto::libssl().SSL_CTX_load_verify_locations
#define SSL_CTX_new ::fw::crypto::libssl().SSL_CTX_new
#define SSL_CTX_set1_cert_store ::fw::crypto::libssl().SSL_CTX_set1_cert_store
#define SSL_CTX_set_alpn_select_cb ::fw::crypto::libssl().SSL_CTX_set_alpn_select_cb
#define SSL_CTX_set_cipher_list ::fw::crypto::libssl().SSL_CTX_set_cipher_list
#define SSL_CTX_set_client_CA_list ::fw::crypto::libssl().SSL_CTX_set_client_CA_list
#define SSL_CTX_set_default_passwd_cb ::fw::crypto::libssl().SSL_CTX_set_default_passwd_cb
#define SSL_CTX_set_default_verify_paths ::fw::crypto::libssl().SSL_CTX_set_default_verify_paths
#define SSL_CTX_set_ex_data ::fw::crypto::libssl().SSL_CTX_set_ex_data
#define SSL_CTX_set_num_tickets ::fw::crypto::libssl().SSL_CTX_set_num_tickets
#define SSL_CTX_set_options ::fw::crypto::libssl().SSL_CTX_set_options
#define SSL_CTX_set_security_level ::fw::crypto::libssl().SSL_CTX_set_security_level
#define SSL_CTX_set_session_id_context ::fw::crypto::libssl().SSL_CTX_set_session_id_context
#define SSL_CTX_set_tlsext_ticket_key_evp_cb \
  ::fw::crypto::libssl().SSL_CTX_set_tlsext_ticket_key_evp_cb
#define SSL_CTX_set_verify ::fw::crypto::libssl().SSL_CTX_set_verify
#define SSL_CTX_use_PrivateKey_file ::fw::crypto::libssl().SSL_CTX_use_PrivateKey_file
#define SSL_CTX_use_certificate_chain_file ::fw::crypto::libssl().SSL_CTX_use_certificate_chain_file
#define SSL_ctrl ::fw::crypto::libssl().SSL_ctrl
#define SSL_do_handshake ::fw::crypto::libssl().SSL_do_handshake
#define SSL_free ::fw::crypto::libssl().SSL_free
#define SSL_get0_alpn_selected ::fw::crypto::libssl().SSL_get0_alpn_selected
#define SSL_get0_param ::fw::crypto::libssl().SSL_get0_param
#define SSL_get0_peer_certificate ::fw::crypto::libssl().SSL_get0_peer_certificate
#define SSL_get_SSL_CTX ::fw::crypto::libssl().SSL_get_SSL_CTX
#define SSL_get_error ::fw::crypto::libssl().SSL_get_error
#define SSL_get_servername ::fw::crypto::libssl().SSL_get_servername
#define SSL_has_pending ::fw::crypto::libssl().SSL_has_pending
#define SSL_is_init_finished ::fw::crypto::libssl().SSL_is_init_finished
#define SSL_load_client_CA_file ::fw::crypto::libssl().SSL_load_client_CA_file
#define SSL_new ::fw::crypto::libssl().SSL_new
#define SSL_read_ex ::fw::crypto::libssl().SSL_read_ex
#define SSL_set1_host ::fw::crypto::libssl().SSL_set1_host
#define SSL_set_SSL_CTX ::fw::crypto::libssl().SSL_set_SSL_CTX
#define SSL_set_accept_state ::fw::crypto::libssl().SSL_set_accept_state
#define SSL_set_bio ::fw::crypto::libssl().SSL_set_bio
#define SSL_set_connect_state ::fw::crypto::libssl().SSL_set_connect_state
#define SSL_set_msg_callback ::fw::crypto::libssl().SSL_set_msg_callback
#define SSL_shutdown ::fw::crypto::libssl().SSL_shutdown
#define SSL_want ::fw::crypto::libssl().SSL_want
#define SSL_write_ex ::fw::crypto::libssl().SSL_write_ex
#define TLS_client_method ::fw::crypto::libssl().TLS_client_method
#define TLS_server_method ::fw::crypto::libssl().TLS_server_method
#endif
// NOLINTEND(readability-identifier-naming)

#else

namespace fw::crypto {

inline void prepare_openssl(bool) {}

}  // namespace fw::crypto

#endif
