/** The version of this package. */
export const PACKAGE_VERSION = "0.1.0";

/** The version of the protocol that this package speaks. */
export const PROTOCOL_VERSION = 1;
