import { randomBytes } from "node:crypto"
import type { LeaseRecords } from "@assay/stores/records-nodes"
import { openSealer } from "../accounts/sealed.ts"
import { Problem } from "../base/problem.ts"

/**
 * What is remembered between two requests, carried by whoever signs in: sealed, for some minutes,
 * and good once.
 */
export interface Steps {
  begin(kind: string, content: Readonly<Record<string, unknown>>): string
  /** What `begin` was given, or a Problem where the step is over. */
  read(kind: string, step: string): Promise<Readonly<Record<string, unknown>>>
  /** The same, and uses the step up. */
  take(kind: string, step: string): Promise<Readonly<Record<string, unknown>>>
}

const STEP_MS = 5 * 60_000

interface StepsOptions {
  /** Of the master secret: a step that one node began goes on at any other. */
  readonly subkey: Uint8Array
  readonly records: Pick<LeaseRecords, "useOnce" | "wasUsed">
  readonly now: () => number
}

export function openSteps({ subkey, records, now }: StepsOptions): Steps {
  const sealer = openSealer(subkey, "step")
  const opened = (kind: string, text: string): Step => {
    const sealed = sealer.open(Buffer.from(text, "base64url"))
    if (sealed === null) throw over()
    const step = JSON.parse(sealed) as Step
    if (step.kind !== kind || step.endsAt <= now()) throw over()
    return step
  }
  return {
    begin(kind, content) {
      const id = randomBytes(16).toString("base64")
      const step: Step = { kind, content, id, endsAt: now() + STEP_MS }
      return Buffer.from(sealer.seal(JSON.stringify(step))).toString("base64url")
    },
    async read(kind, text) {
      const { id, content } = opened(kind, text)
      if (await records.wasUsed(`step ${id}`)) throw over()
      return content
    },
    async take(kind, text) {
      const { id, content } = opened(kind, text)
      // Longer than it can be read, by any clock that is right to some minutes.
      if (!(await records.useOnce({ name: `step ${id}`, forMs: 4 * STEP_MS }))) throw over()
      return content
    },
  }
}

interface Step {
  readonly kind: string
  readonly content: Readonly<Record<string, unknown>>
  readonly id: string
  readonly endsAt: number
}

function over(): Problem {
  return new Problem("step-over", "Begin again.")
}
