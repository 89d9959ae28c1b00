import assert from "node:assert/strict"
import { test } from "node:test"
import { EVENTS, type EventData } from "@assay/core/contract"
import { BANDS, type Band } from "@assay/core/score"
import { eventId } from "@assay/stores/event-id"
import type { StoredEvent } from "@assay/stores/records-events"
import {
  claimsOf,
  deliveredNames,
  EVENT_TYPES,
  noteEvent,
  OKTA_RISK,
  securityEventsOf,
} from "./security-events.ts"

const ISSUER = "https://risk.example/ssf/acme"
const at = Date.UTC(2026, 10, 18, 9, 30, 0, 900)
const stream = {
  id: "str_1",
  dialect: "standard",
  subjectFormat: "iss_sub",
  subjectIssuer: null,
  events: Object.values(EVENT_TYPES),
} as const
const okta = { ...stream, dialect: "okta", subjectIssuer: "https://acme.okta.com" } as const

function stored(kind: StoredEvent["kind"], data: object, ref: string | null = "user-7") {
  const key = new Uint8Array(16)
  return {
    ...{ seq: 1, id: eventId(), tenantId: 1, kind, at, ref, sealed: null },
    data,
    identityKey: key,
  }
}

type EmailChange = EventData<"risk.email.changed">
function changed(
  previous: Partial<EmailChange["previous"]>,
  current: Partial<EmailChange["current"]>,
): StoredEvent {
  const { example } = EVENTS["risk.email.changed"]
  const data = {
    ...{ ref: "user-7", cause: "import" },
    previous: { ...example.previous, ...previous },
    current: { ...example.current, ...current },
  }
  return stored("risk.email.changed", data)
}

const typesOf = (event: StoredEvent, of: Parameters<typeof securityEventsOf>[1] = stream) =>
  securityEventsOf(event, of, ISSUER).map(({ type }) => type)

test("a change of risk is told where one of the three levels changes, and nowhere else", () => {
  const levels: Record<Band, string> = {
    ...{ low: "LOW", elevated: "MEDIUM", high: "HIGH", critical: "HIGH" },
  }
  for (const { name: before } of BANDS)
    for (const { name: band } of BANDS) {
      const event = changed({ band: before }, { band })
      const [told, ...more] = securityEventsOf(event, stream, ISSUER)
      assert.deepEqual(more, [])
      if (levels[before] === levels[band]) {
        assert.equal(told, undefined, `${before} to ${band}`)
        continue
      }
      assert.equal(told?.type, EVENT_TYPES["risk-level-change"])
      assert.deepEqual(told.event, {
        principal: "USER",
        current_level: levels[band],
        previous_level: levels[before],
        risk_reason: "Offered for sale 1 day ago; Plaintext password in 2 breach sources",
        event_timestamp: Math.floor(at / 1000),
        initiating_entity: "policy",
        reason_admin: { en: "The risk score 34 became 61 (import)." },
      })
      assert.deepEqual(told.subject, { format: "iss_sub", iss: ISSUER, sub: "user-7" })
      assert.deepEqual([told.jti, told.txn], [`${event.id}.risk-level-change`, event.id])
    }
})

test("a number's change of risk is told as an address's is", () => {
  const { ref: _, ...example } = EVENTS["risk.phone.changed"].example
  const [told, ...more] = securityEventsOf(stored("risk.phone.changed", example), stream, ISSUER)
  assert.deepEqual([told?.event["previous_level"], told?.event["current_level"]], ["LOW", "HIGH"])
  assert.deepEqual(more, [])
  assert.ok(!JSON.stringify(told).includes("491570156"), "the identity is in no token")
})

test("sessions are ended when an address becomes attacked, for those who asked for it", () => {
  const attacked = { threat_stage: "ATTACKED", band: "critical" } as const
  const became = changed({ threat_stage: "TRADED", band: "high" }, attacked)
  assert.deepEqual(typesOf(became), [EVENT_TYPES["session-revoked"]])
  const [told] = securityEventsOf(became, stream, ISSUER)
  assert.equal(told?.event["initiating_entity"], "policy")
  assert.deepEqual(typesOf(changed(attacked, attacked)), [])
  assert.deepEqual(typesOf(changed(attacked, { threat_stage: "TRADED", band: "high" })), [])
  const notAsked = { ...stream, events: [EVENT_TYPES["risk-level-change"]] }
  assert.deepEqual(typesOf(became, notAsked), [])
  // Both follow from one event, and are told one by one.
  const both = securityEventsOf(changed({ band: "low" }, attacked), stream, ISSUER)
  assert.equal(new Set(both.map(({ jti }) => jti)).size, 2)
  assert.equal(new Set(both.map(({ txn }) => txn)).size, 1)
})

test("a credential is compromised where an exposure holds a password", () => {
  const exposure = {
    ref: "user-7",
    watched: "email",
    source: null,
    kind: "breach",
    last_seen: null,
  }
  const event = stored("exposure.added", { ...exposure, password: true })
  const told = securityEventsOf(event, stream, ISSUER)
  assert.deepEqual(
    told.map(({ type, event: about }) => [type, about["credential_type"]]),
    [
      [EVENT_TYPES["credential-compromise"], "password"],
      [EVENT_TYPES["account-credential-change-required"], undefined],
    ],
  )
  assert.deepEqual(typesOf(stored("exposure.added", { ...exposure, password: false })), [])
  assert.deepEqual(typesOf(stored("exposure.added", exposure)), [])
  const domain = { ...exposure, watched: "domain", identities: 3, password: true }
  assert.deepEqual(typesOf(stored("exposure.added", domain)), [])
})

test("nothing follows from other events, or from one that names nobody", () => {
  for (const [kind, { example }] of Object.entries(EVENTS)) {
    if (["risk.email.changed", "risk.phone.changed", "exposure.added"].includes(kind)) continue
    assert.deepEqual(typesOf(stored(kind as StoredEvent["kind"], example)), [], kind)
  }
  assert.deepEqual(typesOf({ ...changed({ band: "low" }, { band: "high" }), ref: null }), [])
})

test("Okta gets its own form: both levels in small letters, and the subject inside", () => {
  const event = changed({ band: "low", threat_stage: "CLEAN" }, { threat_stage: "ATTACKED" })
  const [risk, session, ...more] = securityEventsOf(event, okta, ISSUER)
  assert.deepEqual(more, [])
  assert.ok(risk !== undefined && session !== undefined)
  const claims = claimsOf(risk, { audience: "https://acme.okta.com" }, ISSUER, at)
  assert.ok(!("sub_id" in claims))
  const subject = { user: { format: "iss_sub", iss: "https://acme.okta.com", sub: "user-7" } }
  assert.deepEqual(claims.events, {
    [OKTA_RISK]: {
      ...{ subject, current_level: "high", previous_level: "low" },
      ...{ event_timestamp: Math.floor(at / 1000), initiating_entity: "policy" },
      reason_admin: { en: "The risk score 34 became 61 (import)." },
    },
  })
  assert.equal(session.type, EVENT_TYPES["session-revoked"])
  assert.deepEqual(deliveredNames(okta), ["risk-level-change", "session-revoked"])
  const exposure = { ref: "user-7", watched: "email", password: true }
  assert.deepEqual(typesOf(stored("exposure.added", exposure), okta), [])
})

test("claims are those of RFC 8417: one event, no sub, no exp, not of the future", () => {
  const note = { id: "ssn_1", kind: "verification", at, data: { state: "abc" } } as const
  const claims = claimsOf(noteEvent(note, "str_1"), { audience: ["a", "b"] }, ISSUER, at)
  assert.deepEqual(claims, {
    ...{ iss: ISSUER, jti: "ssn_1", iat: Math.floor(at / 1000), aud: ["a", "b"], txn: "ssn_1" },
    sub_id: { format: "opaque", id: "str_1" },
    events: {
      "https://schemas.openid.net/secevent/ssf/event-type/verification": { state: "abc" },
    },
  })
})
