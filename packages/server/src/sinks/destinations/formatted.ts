import { Type } from "typebox"
import { cefOf } from "../formats/cef.ts"
import { ecsOf } from "../formats/ecs.ts"
import type { SunkEvent } from "../formats/finding.ts"
import { ocsfOf } from "../formats/ocsf.ts"

/** What an event can be written as, where a receiver does not prescribe it. */
export const FORMATS = {
  events: (event: SunkEvent) => JSON.stringify(event),
  ocsf: (event: SunkEvent) => JSON.stringify(ocsfOf(event)),
  ecs: (event: SunkEvent) => JSON.stringify(ecsOf(event)),
  cef: cefOf,
} as const
export type FormatName = keyof typeof FORMATS

/** An event as one line. */
export function formatted(format: FormatName, event: SunkEvent): string {
  return FORMATS[format](event)
}

const MEANING: Readonly<Record<FormatName, string>> = {
  events: "`events`: the event as webhooks have it, with its id and its tenant",
  ocsf: "`ocsf`: Detection Findings of OCSF",
  ecs: "`ecs`: documents of the Elastic Common Schema",
  cef: "`cef`: ArcSight's Common Event Format",
}

/** The member of settings that names one of them. */
export function Format<const Names extends readonly FormatName[]>(
  names: Names,
  fallback: Names[number],
) {
  return Type.Optional(
    Type.Unsafe<Names[number]>({
      anyOf: names.map((name) => ({ const: name })),
      default: fallback,
      description: `${names.map((name) => MEANING[name]).join("; ")}.`,
    }),
  )
}
