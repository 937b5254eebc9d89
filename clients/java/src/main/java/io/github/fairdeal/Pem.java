package io.github.fairdeal;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;

/** What PEM files hold. */
final class Pem {
    private static final String BEGIN_CERTIFICATE = "-----BEGIN CERTIFICATE-----";
    private static final String BEGIN_KEY = "-----BEGIN PRIVATE KEY-----"; // PKCS #8, what Java reads
    private static final String END_KEY = "-----END PRIVATE KEY-----";

    private Pem() {}

    /** Returns whether it is one certificate or more. */
    static boolean areCertificates(byte[] pem) {
        try {
            return !certificates(pem).isEmpty();
        } catch (CertificateException error) {
            return false;
        }
    }

    /** Returns whether it is a certificate and the key to it, RSA or EC, for which no password is needed. */
    static boolean arePair(byte[] cert, byte[] key) {
        try {
            PublicKey known = certificates(cert).iterator().next().getPublicKey();
            Signature signature = Signature.getInstance(signature(known.getAlgorithm()));
            signature.initSign(key(known.getAlgorithm(), key));
            byte[] signed = signature.sign();
            signature.initVerify(known);
            return signature.verify(signed);
        } catch (GeneralSecurityException | RuntimeException error) {
            return false; // they are something else, in one of many ways
        }
    }

    private static Collection<? extends Certificate> certificates(byte[] pem) throws CertificateException {
        if (!text(pem).contains(BEGIN_CERTIFICATE)) {
            throw new CertificateException("no PEM");
        }
        return CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem));
    }

    private static PrivateKey key(String algorithm, byte[] pem) throws GeneralSecurityException {
        String text = text(pem);
        String base64 = text.substring(text.indexOf(BEGIN_KEY) + BEGIN_KEY.length(), text.indexOf(END_KEY));
        byte[] encoded = Base64.getMimeDecoder().decode(base64);
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
    }

    private static String signature(String algorithm) {
        return algorithm.equals("EC") ? "SHA256withECDSA" : "SHA256with" + algorithm; // RSA
    }

    private static String text(byte[] pem) {
        return new String(pem, StandardCharsets.ISO_8859_1);
    }
}
