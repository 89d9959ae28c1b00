import type { AssayEvent } from "@assay/client"
import { actionWords } from "../ui/band.tsx"
import { evidenceWords } from "../ui/words.ts"

/** Whom or what an event is about, and what it says of it, in a line. */
export interface Line {
  readonly about: string
  readonly says: string
}

/** Events of kinds that are not known here have neither; their JSON says all. */
export function lineOf(event: AssayEvent): Line {
  switch (event.type) {
    case "risk.email.changed": {
      const { ref, previous, current } = event.data
      return {
        about: ref,
        says: `${changed(previous.threat_stage, current.threat_stage)}, score ${changed(previous.risk_score, current.risk_score)}`,
      }
    }
    case "risk.phone.changed": {
      const { ref, previous, current } = event.data
      return {
        about: ref,
        says: `${changed(previous.band, current.band)}, score ${changed(previous.risk_score, current.risk_score)}`,
      }
    }
    case "exposure.added": {
      const { ref, source, kind, identities } = event.data
      const how = `${evidenceWords(kind)}${source === null ? "" : `, ${source}`}`
      return { about: ref, says: identities === undefined ? how : `${how}, ${identities}` }
    }
    case "decision.critical":
    case "decision.review": {
      const { ref, decision_id: id, risk_score: score, recommended_action: action } = event.data
      return { about: ref ?? id, says: `Score ${score}, ${actionWords(action)}` }
    }
    case "key.created":
    case "key.rotated":
    case "key.revoked":
      return { about: event.data.hint, says: event.data.label }
    case "import.finished":
      return { about: event.data.source, says: "Its evidence counts" }
    case "import.failed":
      return { about: event.data.source, says: event.data.detail }
    case "webhook.disabled":
      return {
        about: event.data.webhook_id,
        says: event.data.reason === "gone" ? "It answered 410" : "Every attempt failed",
      }
    case "webhook.test":
      return { about: event.data.webhook_id, says: "A test" }
    default:
      return { about: "", says: "" }
  }
}

const changed = (before: string | number, now: string | number): string =>
  before === now ? String(now) : `${before} to ${now}`
