// The files for TLS, with certificates made for the test.
#include "tls.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <filesystem>
#include <memory>

#include "fairdeal/errors.h"

namespace fairdeal {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open(const std::string& name) { return File(std::fopen(name.c_str(), "wb"), std::fclose); }

/// Write NAME and NAME-key: a certificate and its key, under a password if there is one.
void make(const std::string& name, const char* password = nullptr) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> cert(X509_new(), X509_free);
  X509_gmtime_adj(X509_getm_notBefore(cert.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(cert.get()), 3600);
  X509_set_pubkey(cert.get(), key.get());
  X509_sign(cert.get(), key.get(), EVP_sha256());
  PEM_write_X509(open(name).get(), cert.get());
  PEM_write_PrivateKey(open(name + "-key").get(), key.get(), password ? EVP_aes_128_cbc() : nullptr, nullptr, 0, nullptr,
                       const_cast<char*>(password));
}

class TlsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/fairdeal-XXXXXX";
    folder_ = mkdtemp(name);
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(folder_);  // short names, so that whole lines can be compared
    make("ca");
    make("bot");
    make("other");
    make("locked", "secret");
  }

  void TearDown() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

 private:
  std::filesystem::path folder_;
  std::filesystem::path before_;
};

TEST_F(TlsTest, FilesAreRead) {
  EXPECT_FALSE(load_tls("", "", ""));
  const auto one_sided = load_tls("ca", "", "");
  ASSERT_TRUE(one_sided);
  EXPECT_EQ(one_sided->ca.find("-----BEGIN CERTIFICATE"), 0u);
  EXPECT_EQ(one_sided->cert + one_sided->key, "");
  const auto mutual = load_tls("ca", "bot", "bot-key");
  ASSERT_TRUE(mutual);
  EXPECT_EQ(mutual->cert.find("-----BEGIN CERTIFICATE"), 0u);
  EXPECT_EQ(mutual->key.find("-----BEGIN PRIVATE KEY"), 0u);
}

TEST_F(TlsTest, FilesThatCannotBeAreRefused) {
  const std::string no_pair = ": are not a certificate and its key in PEM, without a password";
  const struct {
    const char *ca, *cert, *key;
    std::string text;
  } cases[] = {
      {"nowhere", "", "", "CA file nowhere: No such file or directory"},
      {".", "", "", "CA file .: Is a directory"},
      {"ca-key", "", "", "CA file ca-key: holds no certificates in PEM"},
      {"ca", "bot", "", "cert bot: its key is missing; give it as key or FAIRDEAL_KEY"},
      {"ca", "", "bot-key", "key bot-key: its certificate is missing; give it as cert or FAIRDEAL_CERT"},
      {"", "bot", "bot-key", "cert bot: the certificates to trust are missing; give them as ca or FAIRDEAL_CA"},
      {"ca", "nowhere", "bot-key", "cert file nowhere: No such file or directory"},
      {"ca", "bot", "nowhere", "key file nowhere: No such file or directory"},
      {"ca", "bot", "other-key", "cert file bot and key file other-key" + no_pair},
      {"ca", "bot", "bot", "cert file bot and key file bot" + no_pair},
      {"ca", "bot-key", "bot-key", "cert file bot-key and key file bot-key" + no_pair},
      {"ca", "locked", "locked-key", "cert file locked and key file locked-key" + no_pair},
  };
  for (const auto& each : cases) {
    try {
      load_tls(each.ca, each.cert, each.key);
      ADD_FAILURE() << each.text;
    } catch (const BadSetting& error) {
      EXPECT_EQ(error.what(), each.text);
    }
  }
}

}  // namespace
}  // namespace fairdeal
