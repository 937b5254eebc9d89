package io.github.fairdeal;

import io.github.fairdeal.FairdealException.Kind;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * What a bot trusts and, for mutual TLS, who it is: contents of PEM files, read before anything is dialled; a null
 * {@code cert} and {@code key} mean nobody.
 */
record Tls(byte[] ca, byte[] cert, byte[] key) {
    /**
     * Reads the files that are named; null without any.
     *
     * @throws FairdealException one is missing, cannot be read, or holds something else
     */
    static Tls load(String ca, String cert, String key) {
        if (!cert.isEmpty() && key.isEmpty()) {
            throw bad("cert " + cert + ": its key is missing; give it as key or FAIRDEAL_KEY");
        }
        if (!key.isEmpty() && cert.isEmpty()) {
            throw bad("key " + key + ": its certificate is missing; give it as cert or FAIRDEAL_CERT");
        }
        if (!cert.isEmpty() && ca.isEmpty()) {
            throw bad("cert " + cert + ": the certificates to trust are missing; give them as ca or FAIRDEAL_CA");
        }
        if (ca.isEmpty()) {
            return null;
        }
        Tls tls =
                new Tls(
                        read("CA", ca),
                        cert.isEmpty() ? null : read("cert", cert),
                        key.isEmpty() ? null : read("key", key));
        if (!Pem.areCertificates(tls.ca)) {
            throw bad("CA file " + ca + ": holds no certificates in PEM");
        }
        if (tls.cert != null && !Pem.arePair(tls.cert, tls.key)) {
            throw bad(
                    "cert file " + cert + " and key file " + key
                            + ": are not a certificate and its key in PEM, without a password");
        }
        return tls;
    }

    private static byte[] read(String name, String path) {
        try {
            return Files.readAllBytes(Path.of(path));
        } catch (NoSuchFileException error) {
            throw bad(name + " file " + path + ": No such file or directory");
        } catch (AccessDeniedException error) {
            throw bad(name + " file " + path + ": Permission denied");
        } catch (IOException | InvalidPathException error) {
            throw bad(name + " file " + path + ": " + error.getMessage());
        }
    }

    private static FairdealException bad(String text) {
        return new FairdealException(Kind.BAD_SETTING, text);
    }
}
