#include "tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include "fairdeal/errors.h"

namespace fairdeal {
namespace {

using Context = std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)>;

std::string read(const std::string& name, const std::string& path) {
  const auto fail = [&] { return BadSetting(name + " file " + path + ": " + std::strerror(errno)); };
  // not a stream of C++, which does not say why it failed
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw fail();
  std::string text;
  char part[4096];
  while (const std::size_t size = std::fread(part, 1, sizeof part, file.get())) text.append(part, size);
  if (std::ferror(file.get())) throw fail();
  return text;
}

// nobody is asked for a password
int no_password(char*, int, int, void*) { return 0; }

bool is_pair(SSL_CTX* context, const std::string& cert, const std::string& key) {
  return SSL_CTX_use_certificate_chain_file(context, cert.c_str()) == 1 &&
         SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) == 1;  // which fits the certificate
}

void check(const std::string& ca, const std::string& cert, const std::string& key) {
  const Context context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (!context) throw std::bad_alloc();
  SSL_CTX_set_default_passwd_cb(context.get(), no_password);
  if (SSL_CTX_load_verify_locations(context.get(), ca.c_str(), nullptr) != 1) {
    throw BadSetting("CA file " + ca + ": holds no certificates in PEM");
  }
  if (!cert.empty() && !is_pair(context.get(), cert, key)) {
    throw BadSetting("cert file " + cert + " and key file " + key +
                     ": are not a certificate and its key in PEM, without a password");
  }
}

}  // namespace

std::optional<Tls> load_tls(const std::string& ca, const std::string& cert, const std::string& key) {
  if (!cert.empty() && key.empty()) {
    throw BadSetting("cert " + cert + ": its key is missing; give it as key or FAIRDEAL_KEY");
  }
  if (!key.empty() && cert.empty()) {
    throw BadSetting("key " + key + ": its certificate is missing; give it as cert or FAIRDEAL_CERT");
  }
  if (!cert.empty() && ca.empty()) {
    throw BadSetting("cert " + cert + ": the certificates to trust are missing; give them as ca or FAIRDEAL_CA");
  }
  if (ca.empty()) return std::nullopt;
  Tls tls{read("CA", ca), {}, {}};
  if (!cert.empty()) {
    tls.cert = read("cert", cert);
    tls.key = read("key", key);
  }
  const struct ForgetErrors {  // which OpenSSL keeps for the next one who asks on this thread
    ~ForgetErrors() { ERR_clear_error(); }
  } forget;
  check(ca, cert, key);
  return tls;
}

}  // namespace fairdeal
