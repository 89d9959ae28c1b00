import type { ReactElement } from "react"

export type BandName = "low" | "elevated" | "high" | "critical"

/** A shape and a word for each band: colour never stands alone. */
const BANDS: Readonly<Record<BandName, readonly [shape: string, word: string]>> = {
  low: ["●", "Low"],
  elevated: ["▲", "Elevated"],
  high: ["◆", "High"],
  critical: ["■", "Critical"],
}

export function Band({ name }: { readonly name: BandName }): ReactElement {
  const [shape, word] = BANDS[name]
  return (
    <span className="band" data-band={name}>
      <span aria-hidden="true">{shape}</span> {word}
    </span>
  )
}

const ACTIONS: Readonly<Record<string, string>> = {
  allow: "Allow",
  step_up_auth: "Step up authentication",
  review: "Review",
  block: "Block",
}

export const actionWords = (action: string): string => ACTIONS[action] ?? action

const CONFIDENCE = { low: 1, medium: 2, high: 3 } as const

/** One, two or three filled bars, with the word. */
export function Confidence({ level }: { readonly level: keyof typeof CONFIDENCE }): ReactElement {
  return (
    <span>
      <svg width="22" height="14" viewBox="0 0 22 14" aria-hidden="true">
        {[0, 1, 2].map((bar) => (
          <rect
            key={bar}
            x={bar * 8}
            y={9 - bar * 4}
            width="5"
            height={5 + bar * 4}
            fill={bar < CONFIDENCE[level] ? "var(--ink)" : "none"}
            stroke="var(--soft)"
          />
        ))}
      </svg>{" "}
      {level[0]?.toUpperCase()}
      {level.slice(1)} confidence
    </span>
  )
}
