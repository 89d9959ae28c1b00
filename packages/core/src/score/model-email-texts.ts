import { Type } from "typebox"
import { AgoSchema, exactly, MonthsSchema, sentence } from "./model-document.ts"

const exposure = exactly({
  one: sentence("secret", "ago"),
  many: sentence("secret", "n", "ago"),
  part: sentence("secret", "some", "n", "ago"),
})
const signal = exactly({ one: sentence("ago"), many: sentence("n", "ago") })
const lacking = exactly({ missing: sentence(), partial: sentence() })

/** Sentences that sum an explanation up for somebody who does not know the model. */
const EmailSummary = exactly({
  months: MonthsSchema,
  date: sentence("day", "month", "year"),
  kinds: exactly({
    breach: sentence(),
    paste: sentence(),
    combolist: sentence(),
    stealer: sentence(),
    phish: sentence(),
    repost: sentence(),
    listing: sentence(),
    sale: sentence(),
    mention: sentence(),
    ready: sentence(),
    tested: sentence(),
    attack: sentence(),
    monetized: sentence(),
  }),
  held: exactly({
    clean: sentence(),
    rests: sentence("stage", "items"),
    item: sentence("kind", "source", "date"),
  }),
  next: exactly({
    stage: sentence("stage", "date"),
    band: sentence("band", "date"),
    both: sentence("stage", "band", "date"),
    never: sentence("n"),
  }),
  unchecked: exactly({
    sentence: sentence("families"),
    none: sentence(),
    credential: sentence(),
    darkweb: sentence(),
    mx: sentence(),
    domainAge: sentence(),
    mailbox: sentence(),
    traces: sentence(),
    context: sentence(),
  }),
})

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
    ID_DISPOSABLE: exactly({
      plain: sentence(),
      burner: sentence("ago"),
      likely: Type.Optional(sentence()),
    }),
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
    BOT_BLOCKLIST: exactly({
      one: sentence("ago"),
      many: sentence("n", "ago"),
      named: Type.Optional(
        exactly({ one: sentence("names", "ago"), many: sentence("n", "names", "ago") }),
      ),
    }),
    BOT_ANOMALY: sentence("value"),
    BOT_CLUSTER: sentence("n"),
    BOT_MAILBOX_DIED: sentence(),
    FRAUD_CONFIRMED: sentence("ago"),
  }),
  /** Names of what a domain imitates, or that it only mixes alphabets. */
  imitation: Type.Optional(
    exactly({ typosquat: sentence("domain"), homograph: sentence("domain"), mixed: sentence() }),
  ),
  nothing: exactly({
    one: sentence("date"),
    many: sentence("n", "date"),
    undated: exactly({ one: sentence(), many: sentence("n") }),
    unloaded: sentence(),
    withheld: sentence(),
    /**
     * A model with this sentence adds it beside every other reason when exposure was not looked at.
     */
    unchecked: Type.Optional(sentence()),
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
    freshUsable: Type.Optional(sentence("floor", "n")),
  }),
  summary: Type.Optional(EmailSummary),
})
