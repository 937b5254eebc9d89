/** The files for TLS, read and checked before anything is dialled. */

import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { getSystemErrorMap } from "node:util";

import { BadSetting } from "./errors.js";

/** What a bot trusts and, for mutual TLS, who it is; contents of PEM files. */
export interface Tls {
  readonly ca: Buffer;
  readonly own?: { readonly cert: Buffer; readonly key: Buffer };
}

/**
 * Read the files that are named; undefined without any.
 *
 * Throws BadSetting when one is missing, cannot be read, or holds something else.
 */
export function loadTls(ca: string, cert: string, key: string): Tls | undefined {
  if (cert && !key) throw new BadSetting(`cert ${cert}: its key is missing; give it as key or FAIRDEAL_KEY`);
  if (key && !cert) {
    throw new BadSetting(`key ${key}: its certificate is missing; give it as cert or FAIRDEAL_CERT`);
  }
  if (cert && !ca) {
    const text = "the certificates to trust are missing; give them as ca or FAIRDEAL_CA";
    throw new BadSetting(`cert ${cert}: ${text}`);
  }
  if (!ca) return undefined;
  const trusted = read("CA", ca);
  if (!holdsCertificates(trusted)) throw new BadSetting(`CA file ${ca}: holds no certificates in PEM`);
  if (!cert) return { ca: trusted };
  const own = { cert: read("cert", cert), key: read("key", key) };
  try {
    createSecureContext(own);
  } catch {
    const text = "are not a certificate and its key in PEM, without a password";
    throw new BadSetting(`cert file ${cert} and key file ${key}: ${text}`);
  }
  return { ca: trusted, own };
}

function holdsCertificates(pem: Buffer): boolean {
  const blocks = pem.toString("latin1").match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
  try {
    for (const block of blocks) new X509Certificate(block);
  } catch {
    return false;
  }
  return blocks.length > 0;
}

function read(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { errno = 0 } = error as NodeJS.ErrnoException;
    const why = getSystemErrorMap().get(errno)?.[1] ?? "it cannot be read";
    throw new BadSetting(`${name} file ${path}: ${why}`);
  }
}
