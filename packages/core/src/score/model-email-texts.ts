import { AgoSchema, exactly, sentence } from "./model-document.ts"

const exposure = exactly({
  one: sentence("secret", "ago"),
  many: sentence("secret", "n", "ago"),
  part: sentence("secret", "some", "n", "ago"),
})
const signal = exactly({ one: sentence("ago"), many: sentence("n", "ago") })
const lacking = exactly({ missing: sentence(), partial: sentence() })

/** The sentences of an e-mail model, each with the values it may use. */
export const EmailTexts = exactly({
  ago: AgoSchema,
  secrets: exactly({
    none: sentence(),
    slow_hash: sentence(),
    unknown: sentence(),
    salted_hash: sentence(),
    weak_hash: sentence(),
    plaintext: sentence(),
  }),
  exposures: exactly({
    CRED_BREACH: exposure,
    CRED_PASTE: exposure,
    CRED_COMBOLIST: exposure,
    CRED_STEALER_LOG: exposure,
    CRED_PHISHED: exposure,
  }),
  reuse: sentence("n", "ago"),
  signals: exactly({
    DW_REPOSTED: signal,
    DW_LISTED: signal,
    DW_SOLD: signal,
    DW_MENTIONED: signal,
    DW_READY_TO_USE: signal,
    DW_TESTED: signal,
    ATO_CONFIRMED: signal,
    FRAUD_MONETIZED: signal,
  }),
  trust: exactly({
    ID_NEW_EMAIL: sentence("ago"),
    ID_DISPOSABLE: exactly({ plain: sentence(), burner: sentence("ago") }),
    ID_MASKED: sentence(),
    ID_NEW_DOMAIN: sentence("ago"),
    ID_UNDELIVERABLE: exactly({ domain: sentence(), mailbox: sentence() }),
    ID_TOXIC_DOMAIN: sentence(),
    ID_TYPOSQUAT: sentence(),
    ID_ROLE: sentence(),
    ID_CATCH_ALL: sentence(),
    ID_NO_FOOTPRINT: sentence(),
    BOT_HANDLE: sentence("value", "max"),
    BOT_VELOCITY: sentence("n"),
    BOT_INSTANT_ACTION: exactly({ one: sentence(), many: sentence("n") }),
    BOT_BLOCKLIST: signal,
    BOT_ANOMALY: sentence("value"),
    BOT_CLUSTER: sentence("n"),
    BOT_MAILBOX_DIED: sentence(),
    FRAUD_CONFIRMED: sentence("ago"),
  }),
  nothing: exactly({
    one: sentence("date"),
    many: sentence("n", "date"),
    undated: exactly({ one: sentence(), many: sentence("n") }),
    unloaded: sentence(),
    withheld: sentence(),
  }),
  faint: signal,
  notes: exactly({
    credential: lacking,
    darkweb: lacking,
    trust: lacking,
    bot: lacking,
    mx: sentence(),
    domainAge: sentence(),
    deliverability: sentence(),
    traces: sentence(),
    rotated: sentence("ago"),
    calibrated: sentence(),
  }),
})
