import { EVENT_DAYS } from "@assay/core/contract"
import { HOUR_MS } from "@assay/runtime/time"
import { CLAIM_MS } from "@assay/stores/records-idempotency"
import type { Schema } from "@assay/stores/records-schema"
import type { SettingName } from "./config.ts"

/**
 * Days that undone and expired feedback is kept: undoing it again is answered as the first time.
 */
export const ENDED_FEEDBACK_DAYS = 90
/** Days that costs are kept: a year can be compared with the one before, month by month. */
export const PROVIDER_COST_DAYS = 400

/** Days that invitations which are over are kept, for whoever looks one up. */
export const INVITATION_KEPT_DAYS = 30
/** Days that a sign-up may wait for an administrator. */
export const WAITING_SIGNUP_DAYS = 90

/** What is kept, and for how long. */
export interface Kept {
  readonly what: string
  /** Whom it is about, and how they stand in it. */
  readonly person: string
  /** A setting that says how many days, or a sentence. */
  readonly long: SettingName | { readonly text: string }
}

const keyed = "a keyed hash of the identity"
const nobody = "nobody"
const forEver = { text: "as long as the service exists" }

/** Every table of the records. A table that is added here without an answer does not compile. */
export const keptInRecords: Readonly<Record<keyof Schema, Kept>> = {
  meta: {
    what: "formats and check values; among several nodes, what became of each one's last imports over HTTP, and how many requests each was asked by minute of a day and by day",
    person: nobody,
    long: { text: "as long as the service exists; imports until the operator forgets the node" },
  },
  tenants: { what: "tenants and their settings", person: "names of organisations", long: forEver },
  policies: {
    what: "versions of a tenant's settings",
    person: "who changed them, as the audit trail names them",
    long: forEver,
  },
  keys: { what: "API keys", person: "SHA-256 of the key, a label", long: forEver },
  usage: { what: "counts of lookups by key and day", person: nobody, long: forEver },
  daily_identities: {
    what: "tags of the identities a tenant asked about today",
    person: "8 bytes of a keyed hash that changes with tenant and day",
    long: { text: "until the next UTC day" },
  },
  people: {
    what: "people who sign in",
    person: "their name; their address as a keyed hash and sealed under a subkey",
    long: forEver,
  },
  memberships: { what: "who belongs to which tenant", person: "ids of people", long: forEver },
  credentials: {
    what: "what people sign in by",
    person: "argon2id hashes of passwords, public keys of passkeys, sealed secrets of apps",
    long: { text: "until the person replaces or removes it" },
  },
  invitations: {
    what: "one-time links",
    person: "SHA-256 of the link",
    long: { text: `${INVITATION_KEPT_DAYS} days after it was used or ended` },
  },
  sessions: {
    what: "sessions of people",
    person: "SHA-256 of the cookie, ids of people, when it was last used",
    long: { text: "until it ends: `ASSAY_SESSION_IDLE_MINUTES`, `ASSAY_SESSION_HOURS`" },
  },
  signups: {
    what: "sign-ups for the free plan",
    person:
      "name of the organisation, purposes and terms; the address as a keyed hash and sealed under a subkey",
    long: {
      text: `as long as the service exists once done; a day after it was refused or its token ended; ${WAITING_SIGNUP_DAYS} days while it waits`,
    },
  },
  audit: {
    what: "audit trail",
    person: "who acted: a key, a person or a user of the machine; never whom it was about",
    long: "ASSAY_AUDIT_DAYS",
  },
  feedback: {
    what: "reports of tenants",
    person: keyed,
    long: {
      text: `until the subject is erased; ${ENDED_FEEDBACK_DAYS} days after it was undone or expired`,
    },
  },
  tombstones: {
    what: "who was erased",
    person: keyed,
    long: { text: "as long as the service exists: it keeps them erased" },
  },
  evidence: {
    what: "evidence of tenants and notifications of carriers",
    person: keyed,
    long: { text: "until the subject is erased or the source is removed" },
  },
  idempotency: {
    what: "requests that must not be carried out twice",
    person: "keyed hashes of key and body",
    long: { text: `${CLAIM_MS / HOUR_MS} hours` },
  },
  provider_costs: {
    what: "costs of providers by tenant and day",
    person: nobody,
    long: { text: `${PROVIDER_COST_DAYS} days` },
  },
  reviews: { what: "decisions that wait for an analyst", person: keyed, long: "ASSAY_REVIEW_DAYS" },
  outside_accounts: {
    what: "who signs in at which provider of single sign-on",
    person: "a keyed hash of issuer and subject",
    long: forEver,
  },
  shadows: {
    what: "policies that are computed beside those that act",
    person: "who set them",
    long: { text: "until they are replaced or ended" },
  },
  watch_items: {
    what: "identities that tenants watch",
    person:
      "a keyed hash of the identity; numbers and flags that a score takes from it; the identity itself sealed under a subkey where the tenant asked for it in events",
    long: { text: "until the tenant ends watching or the subject is erased" },
  },
  watch_domains: {
    what: "what lists say of the domains of watched addresses",
    person: "keyed hashes of the domain",
    long: { text: "until no address of the domain is watched" },
  },
  watch_batches: { what: "imports gone through for watch lists", person: nobody, long: forEver },
  domain_watches: {
    what: "domains that tenants watch whole",
    person: "the name of the domain, which the tenant has shown to be its own or has to",
    long: { text: "until the tenant ends watching" },
  },
  nodes: {
    what: "services that share the records, and when each was last there",
    person: nobody,
    long: { text: "until the operator forgets the node" },
  },
  leases: {
    what: "whose turn something is; attempts they count together",
    person: "keyed hashes of networks, accounts and browsers",
    long: { text: "leases as long as the service exists; counts until an hour after their end" },
  },
  sinks: { what: "up to where each sink has events", person: nobody, long: forEver },
  ssf_streams: {
    what: "streams of OpenID Shared Signals",
    person: "nobody; the receiver's header is sealed under a subkey",
    long: { text: "until it is deleted" },
  },
  ssf_notes: {
    what: "what receivers are told about their streams",
    person: nobody,
    long: { text: "until it is taken, at most a day" },
  },
  ssf_acks: {
    what: "ids of events that a stream took out of order",
    person: nobody,
    long: { text: "until those before them are taken" },
  },
  ssf_left_out: {
    what: "whom a stream leaves out",
    person: "a keyed hash of the tenant's own name of the watch item",
    long: { text: "until the stream is deleted" },
  },
  ssf_keys: {
    what: "keys that sign for streams",
    person: "nobody; private keys are sealed under a subkey",
    long: { text: "7 days after the next one signs" },
  },
  watch_tenants: {
    what: "policies that watched identities were scored by",
    person: nobody,
    long: forEver,
  },
  saved_views: {
    what: "saved views of reviews and decisions",
    person: "who saved them",
    long: forEver,
  },
  events: {
    what: "events",
    person: `${keyed}; the identity sealed under a subkey where the tenant asked for it`,
    long: { text: `${EVENT_DAYS} days, or until the subject is erased` },
  },
  webhooks: {
    what: "webhooks",
    person: nobody,
    long: { text: "until they are deleted" },
  },
  webhook_secrets: {
    what: "what webhooks are signed with, sealed under a subkey",
    person: nobody,
    long: { text: "until the webhook is deleted or the secret is rotated out" },
  },
  deliveries: {
    what: "which event is to be told, or was told, to which webhook",
    person: keyed,
    long: { text: `as long as the event: ${EVENT_DAYS} days, or until the subject is erased` },
  },
  attempts: {
    what: "log of requests to webhooks, with the beginning of the answer",
    person: "what the receiver answered",
    long: { text: `as long as the event: ${EVENT_DAYS} days, or until the subject is erased` },
  },
}

/** What is kept elsewhere than in the records. */
export const keptElsewhere: readonly Kept[] = [
  { what: "decisions", person: keyed, long: "ASSAY_DECISION_DAYS" },
  {
    what: "journals of decisions that are not in their store yet",
    person: keyed,
    long: { text: "about a second, or until the store can be written" },
  },
  {
    what: "index and segments of imported evidence",
    person: `${keyed}; 12 bits of a keyed hash of a leaked password`,
    long: { text: "until the source is removed; of an erased subject the index keeps a mark only" },
  },
  {
    what: "sign-ups that velocity is counted over (`context/`)",
    person: "8-byte keyed hashes of identity, device, network and account, by tenant and day",
    long: { text: "48 hours" },
  },
  {
    what: "what providers said of a phone number",
    person: keyed,
    long: { text: "in memory only, until it is stale or the service stops" },
  },
  {
    what: "messages and replies of the anonymous drop",
    person: "sealed: the service cannot open them",
    long: "DROP_RETENTION_DAYS",
  },
  { what: "heads of the audit trail (`ASSAY_AUDIT_HEADS`)", person: nobody, long: forEver },
  {
    what: "figures of how well the service answered (`levels.log`)",
    person: nobody,
    long: { text: "90 days; counts of days for the error budget 400 days" },
  },
  {
    what: "states of the last 20 imports over HTTP (`imports.json`)",
    person: "ids of keys and persons; no identity",
    long: { text: "until there are 20 newer ones" },
  },
  {
    what: "logs and metrics",
    person: "ids of keys and requests; no identity",
    long: { text: "as long as your supervisor and your monitoring keep them" },
  },
  {
    what: "backups",
    person: "as the stores they were made of",
    long: { text: "as long as you keep them; a restore erases again who was erased since" },
  },
]
