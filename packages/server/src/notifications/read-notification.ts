import type { CarrierNotification } from "@assay/core/contract"
import { IDENTITY_TAGS, identityKey, parsePhone } from "@assay/core/identity"
import { parseTime } from "@assay/runtime/rfc3339"
import { Problem } from "../base/problem.ts"
import { type Secrets, sha256 } from "@assay/runtime/secrets"
import { entryBytes, plainEntry } from "@assay/stores/entry"
import type { SentEvidence } from "@assay/stores/records-evidence"
import { HOUR_MS } from "@assay/runtime/time"
import type { NotifyingCarrier } from "./notifying-carriers.ts"

/**
 * What a notification says: that a SIM changed, that a subscription ended, or something that is no
 * evidence.
 */
export type ReadNotification =
  | { readonly says: "sim_change"; readonly evidence: Required<SentEvidence> }
  | { readonly says: "ended" | "other" }

/** Whatever the version of the API: what these two say has not changed with it. */
const SWAPPED = /^org\.camaraproject\.sim-swap-subscriptions\.v\d+\.swapped$/
const ENDED = /^org\.camaraproject\.sim-swap-subscriptions\.v\d+\.subscription-ended$/

/** Clocks of two machines may differ by this much. */
const AHEAD_MS = HOUR_MS
/**
 * No SIM is older; an older date mistook seconds or days for milliseconds, or stands for "not
 * known".
 */
const EARLIEST_MS = Date.UTC(1990, 0, 1)
const EVENT_BYTES = 16

/** Reads a notification. Throws a Problem that says what does not fit, and quotes nothing. */
export function readNotification(
  notification: CarrierNotification,
  carrier: NotifyingCarrier,
  { subkeys }: Pick<Secrets, "subkeys">,
  nowMs: number,
): ReadNotification {
  const { id, source, type, time, data } = notification
  const changedAtMs = readMoment(time, nowMs)
  if (ENDED.test(type)) return { says: "ended" }
  if (!SWAPPED.test(type)) return { says: "other" }

  // CAMARA leaves the number out where the subscriber's own consent made the subscription: nobody
  // could say who is meant.
  const phoneNumber = data?.phoneNumber
  if (phoneNumber === undefined) throw refusal("#/data/phoneNumber", "is missing")
  const parsed = parsePhone(phoneNumber)
  if ("fault" in parsed) throw new Problem("not-a-phone-number", parsed.detail)
  if (!carrier.speaksFor(parsed.e164)) throw new Problem("number-not-yours", "Nothing was stored.")

  // A name may hold whatever its sender likes, a number too, so it is kept as a keyed hash.
  const name = Buffer.from(JSON.stringify([carrier.name, source, id]))
  const event = sha256(subkeys.context, Buffer.from("carrier notification "), name)
  return {
    says: "sim_change",
    evidence: {
      identityKey: identityKey(sha256, subkeys.identity, IDENTITY_TAGS.phone, parsed.e164),
      source: carrier.source,
      entry: entryBytes(plainEntry("sim_change", Math.floor(changedAtMs / HOUR_MS), 1)),
      event: event.subarray(0, EVENT_BYTES),
    },
  }
}

function readMoment(time: string, nowMs: number): number {
  const moment = parseTime(time)
  if (moment === null)
    throw refusal("#/time", "must be a date and time of RFC 3339, such as 2026-11-14T09:30:00Z")
  if (moment > nowMs + AHEAD_MS) throw refusal("#/time", "must not be more than an hour ahead")
  if (moment < EARLIEST_MS) throw refusal("#/time", "must not be before 1990")
  return moment
}

function refusal(pointer: string, detail: string): Problem {
  return new Problem("invalid-request", "A member of the notification does not fit.", {
    errors: [{ pointer, detail }],
  })
}
