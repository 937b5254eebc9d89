package fairdeal

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"os"
)

// loadTLS reads and checks the PEM files for TLS before anything is dialled; nil without any.
func loadTLS(ca, cert, key string) (*tls.Config, error) {
	switch {
	case cert != "" && key == "":
		return nil, badSetting("cert %s: its key is missing; give it as key or FAIRDEAL_KEY", cert)
	case key != "" && cert == "":
		return nil, badSetting("key %s: its certificate is missing; give it as cert or FAIRDEAL_CERT", key)
	case cert != "" && ca == "":
		return nil, badSetting("cert %s: the certificates to trust are missing; give them as ca or FAIRDEAL_CA", cert)
	case ca == "":
		return nil, nil
	}
	trusted, err := readFile("CA", ca)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	if !config.RootCAs.AppendCertsFromPEM(trusted) {
		return nil, badSetting("CA file %s: holds no certificates in PEM", ca)
	}
	if cert == "" {
		return config, nil
	}
	certPEM, err := readFile("cert", cert)
	if err != nil {
		return nil, err
	}
	keyPEM, err := readFile("key", key)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, badSetting(
			"cert file %s and key file %s: are not a certificate and its key in PEM, without a password", cert, key)
	}
	config.Certificates = []tls.Certificate{pair}
	return config, nil
}

func readFile(name, path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	var place *fs.PathError
	if errors.As(err, &place) {
		err = place.Err // without the path, which is told already
	}
	if err != nil {
		return nil, badSetting("%s file %s: %v", name, path, err)
	}
	return content, nil
}
