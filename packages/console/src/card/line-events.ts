import type { PhoneExplained } from "./explanation.ts"

/** Something that happened to a line. */
export interface LineEvent {
  readonly name: string
  readonly at: string
  /** Who says so; null for a past decision, which does not keep it. */
  readonly source: string | null
}

const NAMES: Readonly<Record<string, string>> = {
  sim_change: "SIM change",
  port: "Port",
  device_change: "Device change",
  verified: "Verification",
  recycled: "New holder",
  call_forwarding: "Calls forwarded",
}
const DAY_MS = 86_400_000

/** What happened to the line: by its evidence, or of a past decision by the ages in its input. */
export function lineEvents({ evidence, input }: PhoneExplained): readonly LineEvent[] {
  if (evidence !== undefined)
    return evidence
      .filter(({ kind }) => Object.hasOwn(NAMES, kind))
      .map(({ kind, observed_at: at, source }) => ({ name: NAMES[kind] ?? kind, at, source }))
  const ages: readonly [kind: string, age: number | null | undefined][] = [
    ["sim_change", input.simChangeAge],
    ["device_change", input.deviceChangedWithSim === true ? input.simChangeAge : null],
    ["port", input.portAge],
    ["verified", input.verifiedAge],
  ]
  const asOf = Date.parse(input.as_of)
  return ages.flatMap(([kind, age]) =>
    age == null
      ? []
      : [
          {
            name: NAMES[kind] ?? kind,
            at: new Date(asOf - age * DAY_MS).toISOString(),
            source: null,
          },
        ],
  )
}
