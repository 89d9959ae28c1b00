import { VERSION } from "../../base/version.ts"
import { findingOf, type Severity, type SunkEvent } from "./finding.ts"

const SEVERITIES: Readonly<Record<Severity, number>> = {
  informational: 1,
  low: 3,
  medium: 5,
  high: 8,
  critical: 10,
}

/**
 * An event in ArcSight's Common Event Format. It has six custom texts and no lists: what has no
 * place of its own is in `msg`, and whole in the event that `externalId` names.
 */
export function cefOf(event: SunkEvent): string {
  const finding = findingOf(event)
  const { atMs, title, message, severity, score, previousScore, band, stage } = finding
  const { action, reasons, ref, identity } = finding
  const header = ["Assay", "Assay", VERSION, event.type, title].map(inHeader)
  const extension = [
    ["rt", String(atMs)],
    ["externalId", event.id],
    ["cat", event.type],
    ["act", action],
    ["suser", identity?.value ?? null],
    ["suid", ref],
    ...labelled("cn1", "riskScore", score === null ? null : String(score)),
    ...labelled("cn2", "previousRiskScore", previousScore === null ? null : String(previousScore)),
    ...labelled("cs1", "riskLevel", band),
    ...labelled("cs2", "reasons", reasons.length === 0 ? null : reasons.join("; ")),
    ...labelled("cs3", "threatStage", stage),
    ...labelled("cs4", "tenant", event.tenant),
    ["msg", message],
  ].flatMap(([name, value]) => (value == null ? [] : `${name}=${inExtension(value)}`))
  return `CEF:0|${header.join("|")}|${SEVERITIES[severity]}|${extension.join(" ")}`
}

function labelled(
  place: string,
  label: string,
  value: string | null,
): (readonly [string, string | null])[] {
  return value === null
    ? []
    : [
        [place, value],
        [`${place}Label`, label],
      ]
}

/** A header is one line, so that breaks in it become spaces. */
function inHeader(text: string): string {
  return text.replaceAll(/[\r\n]+/g, " ").replaceAll(/[\\|]/g, "\\$&")
}

function inExtension(text: string): string {
  return text.replaceAll(/[\\=]/g, "\\$&").replaceAll(/\r\n|\r|\n/g, "\\n")
}
