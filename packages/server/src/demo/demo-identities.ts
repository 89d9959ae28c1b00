import type { ListCategory } from "../score/email/lists.ts"
import type {
  DataClass,
  EntryKind,
  SecretClass,
  SourceDescription,
} from "@assay/stores/exposure-index"

// Nobody real: `.example` domains (RFC 2606) and numbers that the Australian and Swedish
// authorities set aside for fiction. Each identity shows one thing; the comment beside it says
// which.

export interface DemoObservation {
  readonly source: string
  readonly kind: EntryKind
  readonly daysAgo?: number
  readonly hoursAgo?: number
  readonly secret?: SecretClass
  /** Fingerprinted like a real import's; never stored. */
  readonly password?: string
  readonly classes?: readonly DataClass[]
  readonly confidence?: number
  readonly item?: string
  readonly value?: number
}

export const demoLists: readonly { domain: string; category: ListCategory; note: string }[] = [
  {
    domain: "throwaway.example",
    category: "disposable",
    note: "demo: mailboxes that live ten minutes",
  },
  { domain: "relay.example", category: "masked", note: "demo: a privacy relay" },
  { domain: "mail.example", category: "free", note: "demo: a large free provider" },
]

const plain = { spamList: false, fabricated: false, sensitive: false, verified: true }

function source(
  name: string,
  title: string,
  kind: EntryKind,
  confidence: number,
  more: Partial<Pick<SourceDescription, "classes" | "flags" | "eventDate">> = {},
): SourceDescription {
  return {
    name,
    title,
    kind,
    confidence,
    classes: [],
    flags: plain,
    eventDate: null,
    circulates: false,
    ...more,
  }
}

export const demoSources: readonly SourceDescription[] = [
  source("demo-shop", "Demo: an online shop, passwords in plain text", "breach", 0.95, {
    classes: ["phone", "dob", "address", "ip_geo"],
  }),
  source("demo-forum", "Demo: a forum, passwords in plain text", "breach", 0.8),
  source("demo-network", "Demo: a social network, bcrypt", "breach", 0.95, {
    eventDate: "2016-05-17",
  }),
  source("demo-spam-list", "Demo: an address list without passwords", "breach", 0.8, {
    flags: { ...plain, spamList: true },
  }),
  source("demo-combolist", "Demo: a credential-stuffing list", "combolist", 0.8),
  source("demo-stealer-logs", "Demo: logs of an information stealer", "stealer", 0.8, {
    classes: ["session", "device", "ip_geo", "payment"],
  }),
  source("demo-phishing-kit", "Demo: captures of a phishing kit", "phish", 0.9),
  source("demo-channel", "Demo: a chat channel that reposts lists", "repost", 0.8),
  source("demo-paste-site", "Demo: a paste site", "repost", 0.6),
  source("demo-market", "Demo: a marketplace of access", "listing", 0.8),
  source("demo-checker", "Demo: hit lists of a credential checker", "tested", 0.8),
  source("demo-incidents", "Demo: incidents confirmed by the victim's service", "attack", 0.95),
  source("demo-carrier", "Demo: notices of a mobile operator", "sim_change", 0.95),
  source("demo-numbers", "Demo: a register of ported and reassigned numbers", "port", 0.95),
]

export const demoEmails: readonly { email: string; observations: readonly DemoObservation[] }[] = [
  // LEAKED, elevated: two fresh breaches with the same password.
  {
    email: "ana.silva@mail.example",
    observations: [
      {
        source: "demo-shop",
        kind: "breach",
        daysAgo: 20,
        secret: "plaintext",
        password: "tangerine-42",
      },
      {
        source: "demo-forum",
        kind: "breach",
        daysAgo: 400,
        secret: "plaintext",
        password: "tangerine-42",
      },
    ],
  },
  // CLEAN: nothing at all is known.
  { email: "omar.haddad@mail.example", observations: [] },
  // LEAKED, low: one old breach with slow hashes.
  {
    email: "lena.fischer@mail.example",
    observations: [{ source: "demo-network", kind: "breach", daysAgo: 3800, secret: "slow_hash" }],
  },
  // LEAKED, low: an address list is not a credential leak.
  {
    email: "pat.byrne@mail.example",
    observations: [{ source: "demo-spam-list", kind: "breach", daysAgo: 100 }],
  },
  // REPOSTED, elevated: a two-month-old list that others passed on.
  {
    email: "yusuf.demir@mail.example",
    observations: [
      { source: "demo-network", kind: "breach", daysAgo: 2300, secret: "weak_hash" },
      {
        source: "demo-combolist",
        kind: "combolist",
        daysAgo: 60,
        secret: "plaintext",
        password: "galata1905",
      },
      { source: "demo-channel", kind: "repost", daysAgo: 55 },
      { source: "demo-paste-site", kind: "repost", daysAgo: 40 },
    ],
  },
  // TRADED, elevated: a stealer log with live sessions, on sale.
  {
    email: "mei.tanaka@mail.example",
    observations: [
      {
        source: "demo-stealer-logs",
        kind: "stealer",
        daysAgo: 10,
        secret: "plaintext",
        password: "hanabi-hanabi",
      },
      { source: "demo-market", kind: "listing", daysAgo: 9 },
      { source: "demo-channel", kind: "mention", daysAgo: 5 },
    ],
  },
  // TESTED, high: a phishing capture, then a hit list.
  {
    email: "ivan.petrov@mail.example",
    observations: [
      {
        source: "demo-phishing-kit",
        kind: "phish",
        daysAgo: 2,
        secret: "plaintext",
        password: "neva-neva",
      },
      { source: "demo-checker", kind: "tested", daysAgo: 1 },
    ],
  },
  // ATTACKED, critical: somebody signed in with the right password.
  {
    email: "sofia.rossi@mail.example",
    observations: [
      {
        source: "demo-combolist",
        kind: "combolist",
        daysAgo: 30,
        secret: "plaintext",
        password: "gelato!",
      },
      { source: "demo-incidents", kind: "attack", daysAgo: 3 },
    ],
  },
  // MONETIZED, critical: and was robbed.
  {
    email: "noah.williams@mail.example",
    observations: [
      {
        source: "demo-stealer-logs",
        kind: "stealer",
        daysAgo: 40,
        secret: "plaintext",
        password: "sunday-roast",
      },
      { source: "demo-incidents", kind: "monetized", daysAgo: 10 },
    ],
  },
  // Disposable domain, random handle: the owner is the risk, not the victim.
  { email: "xk7qz9w2pf@throwaway.example", observations: [] },
  // A privacy relay: not held against anyone.
  { email: "quiet.fox@relay.example", observations: [] },
]

export const demoPhones: readonly { phone: string; observations: readonly DemoObservation[] }[] = [
  // SIM changed 2 hours ago, into a new handset.
  {
    phone: "+61491570156",
    observations: [
      { source: "demo-carrier", kind: "sim_change", hoursAgo: 2 },
      { source: "demo-carrier", kind: "device_change", hoursAgo: 2 },
      { source: "demo-carrier", kind: "tenure", hoursAgo: 2, value: 1100 },
    ],
  },
  // SIM changed 5 days ago.
  {
    phone: "+61491570157",
    observations: [{ source: "demo-carrier", kind: "sim_change", hoursAgo: 120 }],
  },
  // SIM changed 40 days ago.
  {
    phone: "+61491570158",
    observations: [{ source: "demo-carrier", kind: "sim_change", hoursAgo: 960 }],
  },
  // Three years with one carrier, in service, the same SIM and handset for over a year.
  {
    phone: "+61491570159",
    observations: [
      { source: "demo-carrier", kind: "sim_change", hoursAgo: 9600 },
      { source: "demo-carrier", kind: "device_change", hoursAgo: 9600 },
      { source: "demo-carrier", kind: "tenure", hoursAgo: 24, value: 1100 },
      { source: "demo-carrier", kind: "line_status", hoursAgo: 24, value: 1 },
      { source: "demo-carrier", kind: "subscription", hoursAgo: 24, value: 2 },
    ],
  },
  // Ported yesterday, calls forwarded.
  {
    phone: "+61491570110",
    observations: [
      { source: "demo-numbers", kind: "port", hoursAgo: 24 },
      { source: "demo-carrier", kind: "call_forwarding", hoursAgo: 20, value: 1 },
    ],
  },
  // Given to somebody else.
  {
    phone: "+46701740606",
    observations: [{ source: "demo-numbers", kind: "recycled", hoursAgo: 480 }],
  },
  // In service, and nothing else is known.
  {
    phone: "+46701740605",
    observations: [{ source: "demo-carrier", kind: "line_status", hoursAgo: 24, value: 1 }],
  },
  // Set aside for fiction, and no source reports a line behind it.
  { phone: "+46701740607", observations: [] },
  // No numbering plan allows it.
  { phone: "+999123456789", observations: [] },
]
