import type { ConnectionOptions, TlsOptions } from "node:tls"

/** The name of the one key there is. */
const IDENTITY = "assay-node"

/**
 * Nodes know each other by a key that all derive from the master secret (TLS 1.3 with a pre-shared
 * key and a key exchange): there are no certificates to make, whoever has not the secret gets no
 * further than the handshake, and what was recorded cannot be read with the secret afterwards.
 */
const common = { minVersion: "TLSv1.3", ciphers: "TLS_AES_128_GCM_SHA256" } as const

export function servingTls(key: Uint8Array): TlsOptions {
  return { ...common, pskCallback: (_socket, identity) => (identity === IDENTITY ? key : null) }
}

export function askingTls(key: Uint8Array): ConnectionOptions {
  return {
    ...common,
    pskCallback: () => ({ psk: key, identity: IDENTITY }),
    // The key proves who it is; there is no certificate whose name could be compared.
    checkServerIdentity: () => undefined,
  }
}
