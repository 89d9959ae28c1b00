import type { Seen } from "./evidence.ts"

/** An address, what is known of it, and what happens before it is asked about. */
export interface Identity {
  readonly name: string
  readonly email: string
  /** The address it was seen as, if not the one asked about. */
  readonly seenAs?: string
  readonly seen?: readonly Seen[]
  /** Reports of the tenant, in order; `daysAgo` dates them. */
  readonly feedback?: readonly { readonly outcome: string; readonly daysAgo: number }[]
  /** Other addresses that sign up from the same device in the hour before. */
  readonly signUpsBefore?: readonly string[]
  readonly context?: object
}

const AT = "2026-11-14T15:30:00Z"
const checked: readonly Seen[] = [
  { source: "log-cloud", daysAgo: 20, secret: "plaintext" },
  { source: "market", daysAgo: 18 },
  { source: "hits", daysAgo: 15 },
  { source: "checker", daysAgo: 15 },
]
const ring = Array.from({ length: 8 }, (_, n) => `zq8xk${n}wv@mailinator.com`)

/** Together they reach every stage, band and action. All addresses are made up. */
export const identities: readonly Identity[] = [
  { name: "nothing is known of it", email: "ana.silva@gmail.com" },
  {
    name: "four old breaches, hashed in several ways",
    email: "ben.okafor@gmail.com",
    seen: [
      { source: "shop", daysAgo: 2400, secret: "weak_hash" },
      { source: "forum", daysAgo: 3100, secret: "salted_hash" },
      { source: "games", daysAgo: 3600, secret: "slow_hash" },
      { source: "library", daysAgo: 4300, secret: "weak_hash" },
    ],
  },
  {
    name: "a fresh breach in plain text",
    email: "carla.novak@gmail.com",
    seen: [{ source: "shop", daysAgo: 20, secret: "plaintext" }],
  },
  {
    name: "the same by an alias of the mailbox",
    email: "Carla.Novak+shop@googlemail.com",
    seenAs: "carlanovak@gmail.com",
  },
  {
    name: "one password in two breaches, with a rich record",
    email: "dora.haddad@gmail.com",
    seen: [
      {
        source: "shop",
        daysAgo: 20,
        secret: "plaintext",
        password: "one of mine",
        classes: ["phone", "dob", "address", "payment"],
      },
      { source: "forum", daysAgo: 60, secret: "plaintext", password: "one of mine" },
    ],
  },
  {
    name: "a breach of slow hashes only",
    email: "emil.rossi@gmail.com",
    seen: [{ source: "shop", daysAgo: 20, secret: "slow_hash" }],
  },
  {
    name: "a combo list and two reposts of this autumn",
    email: "fay.singh@gmail.com",
    seen: [
      { source: "combo-north", daysAgo: 60, secret: "plaintext" },
      { source: "board", daysAgo: 50 },
      { source: "other-board", daysAgo: 40 },
    ],
  },
  {
    name: "the same two years later",
    email: "gus.kim@gmail.com",
    seen: [
      { source: "combo-north", daysAgo: 790, secret: "plaintext" },
      { source: "board", daysAgo: 780 },
      { source: "other-board", daysAgo: 770 },
    ],
  },
  {
    name: "a stealer log on a market, talked about",
    email: "hana.weber@gmail.com",
    seen: [
      {
        source: "log-cloud",
        daysAgo: 10,
        secret: "plaintext",
        classes: ["session", "device", "ip_geo", "payment"],
      },
      { source: "market", daysAgo: 8 },
      { source: "channel", daysAgo: 6 },
    ],
  },
  {
    name: "a password typed into a phishing page",
    email: "ivo.marin@gmail.com",
    seen: [{ source: "kits", daysAgo: 2, secret: "plaintext" }],
  },
  { name: "checked and ready to use", email: "jana.costa@gmail.com", seen: checked },
  {
    name: "the same after the password was changed",
    email: "karl.berg@gmail.com",
    seen: checked,
    feedback: [{ outcome: "credential_rotated", daysAgo: 1 }],
  },
  {
    name: "an attack with the right password",
    email: "lea.moreau@gmail.com",
    seen: [
      { source: "combo-south", daysAgo: 90, secret: "plaintext" },
      { source: "telemetry", daysAgo: 3 },
    ],
  },
  {
    name: "the same a year later",
    email: "max.duval@gmail.com",
    seen: [
      { source: "combo-south", daysAgo: 455, secret: "plaintext" },
      { source: "telemetry", daysAgo: 368 },
    ],
  },
  {
    name: "a loss that was paid out",
    email: "nina.sato@gmail.com",
    seen: [
      { source: "combo-south", daysAgo: 90, secret: "plaintext" },
      { source: "telemetry", daysAgo: 12 },
      { source: "claims", daysAgo: 10 },
    ],
  },
  { name: "a disposable domain and a generated name", email: "xk7qz9w2pf@mailinator.com" },
  {
    name: "a ring of generated names on one device that acts at once",
    email: "zq8xk9wv@mailinator.com",
    signUpsBefore: ring,
    context: {
      event: "transaction",
      occurred_at: AT,
      signup_at: "2026-11-14T15:29:55Z",
      device_id: "device of the ring",
      anomaly: 0.5,
    },
  },
  { name: "an alias of a privacy relay", email: "dpdcnf87nu@privaterelay.appleid.com" },
  { name: "a role at a domain that imitates a provider", email: "billing@gmial.com" },
  {
    name: "a list of addresses without passwords",
    email: "olga.petrov@gmail.com",
    seen: [{ source: "spam-list", daysAgo: 100, secret: "plaintext" }],
  },
  {
    name: "only a source that is hardly believed",
    email: "paul.lund@gmail.com",
    seen: [{ source: "hearsay", daysAgo: 30, secret: "plaintext" }],
  },
  {
    name: "a paste, a block list, and a mailbox that worked once",
    email: "rosa.dias@gmail.com",
    seen: [
      { source: "pastes", daysAgo: 5, secret: "plaintext" },
      { source: "desk", daysAgo: 9 },
      { source: "mailer", kind: "delivered", daysAgo: 200 },
      { source: "mailer", daysAgo: 4 },
    ],
  },
  {
    name: "fraud that the tenant confirmed",
    email: "sven.holm@gmail.com",
    feedback: [{ outcome: "fraud_confirmed", daysAgo: 2 }],
  },
  {
    name: "ownership verified, and half a year without fraud",
    email: "tess.amara@gmail.com",
    seen: [{ source: "seller", daysAgo: 400 }],
    feedback: [
      { outcome: "ownership_verified", daysAgo: 210 },
      { outcome: "not_fraud", daysAgo: 200 },
    ],
  },
]
