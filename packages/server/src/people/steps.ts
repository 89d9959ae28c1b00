import { randomBytes } from "node:crypto"
import { openSealer } from "../accounts/sealed.ts"
import { Problem } from "../base/problem.ts"

/**
 * What is remembered between two requests, carried by whoever signs in: sealed, for some minutes,
 * and good once.
 */
export interface Steps {
  begin(kind: string, content: Readonly<Record<string, unknown>>): string
  /** What `begin` was given, or a Problem where the step is over. */
  read(kind: string, step: string): Readonly<Record<string, unknown>>
  /** The same, and uses the step up. */
  take(kind: string, step: string): Readonly<Record<string, unknown>>
}

const STEP_MS = 5 * 60_000
/** Steps are remembered as used until they end. Guesses are limited, so this many are not met. */
const USED_MAX = 100_000

/** Under a key of this process: a step from before a restart is over. */
export function openSteps(now: () => number): Steps {
  const sealer = openSealer(randomBytes(32), "step")
  const used = new Map<string, number>()
  const opened = (kind: string, text: string): Step => {
    const sealed = sealer.open(Buffer.from(text, "base64url"))
    if (sealed === null) throw over()
    const step = JSON.parse(sealed) as Step
    if (step.kind !== kind || step.endsAt <= now() || used.has(step.id)) throw over()
    return step
  }
  return {
    begin(kind, content) {
      const id = randomBytes(16).toString("base64")
      const step: Step = { kind, content, id, endsAt: now() + STEP_MS }
      return Buffer.from(sealer.seal(JSON.stringify(step))).toString("base64url")
    },
    read: (kind, text) => opened(kind, text).content,
    take(kind, text) {
      const { id, endsAt, content } = opened(kind, text)
      for (const [each, ends] of used) {
        if (ends > now() && used.size < USED_MAX) break
        used.delete(each)
      }
      used.set(id, endsAt)
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
