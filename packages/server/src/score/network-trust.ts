/**
 * What the network says of a domain. A member that is null is unknown: it adds nothing to the risk.
 */
export interface DomainNetwork {
  readonly mx: boolean | null
  readonly domainAge: number | null
  /** A mail server of it that serves disposable hosts and no guarded one; null for none. */
  readonly disposableServer: string | null
  /**
   * Shares of the trust coverage that were answered: 0.2 for mail servers, 0.2 for the
   * registration.
   */
  readonly coverage: number
  /**
   * For the explanation: each look-up with its status and what it found. Off is not failed, and
   * neither is an answer; `late` had no answer in time, `unasked` nothing to ask about.
   */
  readonly explained: Readonly<Record<string, unknown>>
}

export interface NetworkTrust {
  /**
   * At once where nothing is configured or everything is known; otherwise within the budget. Never
   * throws.
   */
  look(domain: string, nowMs: number): DomainNetwork | Promise<DomainNetwork>
  close(): void
}

const OFF: DomainNetwork = {
  mx: null,
  domainAge: null,
  disposableServer: null,
  coverage: 0,
  explained: {
    mx: { status: "off" },
    mail_policy: { status: "off" },
    registration: { status: "off" },
  },
}

/** Without a configured resolver or registry nobody is asked. */
export const networkTrustOff: NetworkTrust = { look: () => OFF, close: () => undefined }
