import { Tooltip } from "@mantine/core"
import type { ReactElement } from "react"
import { dayWords } from "../ui/time.tsx"
import { evidenceWords } from "../ui/words.ts"
import type { Stage } from "./explanation.ts"

const percent = new Intl.NumberFormat(undefined, { style: "percent" })

const STATIONS: readonly [name: string, marker: number][] = [
  ["CLEAN", 0],
  ["LEAKED", 15],
  ["REPOSTED", 35],
  ["TRADED", 55],
  ["TESTED", 75],
  ["ATTACKED", 90],
  ["MONETIZED", 100],
]

/** The lifecycle as a track of seven stations; the one that was reached is filled. */
export function Track({ stage }: { readonly stage: Stage }): ReactElement {
  const reached = STATIONS.findIndex(([name]) => name === stage.name)
  return (
    <ol className="track" aria-label={`Lifecycle: ${stage.name}`}>
      {STATIONS.map(([name, marker], place) => {
        const state = place === reached ? "current" : place < reached ? "passed" : "ahead"
        return (
          <li key={name} data-state={state} aria-current={place === reached ? "step" : undefined}>
            <Tooltip label={told(name, place - reached, stage)} multiline w={260} events={EVENTS}>
              <button type="button" className="station">
                <span className="dot" aria-hidden="true" />
                <span className="name">{name}</span>
                <span className="soft">{percent.format(marker / 100)}</span>
              </button>
            </Tooltip>
          </li>
        )
      })}
    </ol>
  )
}

const EVENTS = { hover: true, focus: true, touch: true }

/** What holds the station, or that it was not reached. */
function told(name: string, distance: number, stage: Stage): string {
  if (distance > 0) return `${name}: not reached.`
  if (distance < 0) return `${name}: passed.`
  if (stage.evidence.length === 0) return `${name}: nothing holds a later stage.`
  const held = stage.evidence
    .map(({ kind, source, date }) => `${evidenceWords(kind)} of ${dayWords(date)} (${source})`)
    .join(", ")
  const next = stage.next_step_down
  const down = next === null ? "" : ` Steps down to ${next.stage} on ${dayWords(next.date)}.`
  return `${name}: held by ${held}.${down}`
}
