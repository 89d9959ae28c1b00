import type { BandName } from "../ui/band.tsx"

// What the page reads of `explanation`, as docs/reference/api.md describes it. Nothing of it is
// computed here.

export interface Contribution {
  readonly code: string
  readonly points: number
  readonly rounded: number
  readonly newest: string | null
  readonly text: string
}

interface Common {
  readonly band: BandName
  readonly baseline: number
  readonly contributions: readonly Contribution[]
  readonly rounding: number
  readonly mitigations: {
    readonly terms: readonly { readonly term: string; readonly nats: number }[]
    readonly joint_effect: number
  }
  readonly coverage: Readonly<Record<string, number>>
  readonly notes: readonly string[]
  /** What would lower the score if it were done today, in the model's own sentences. */
  readonly remedies?: readonly { readonly remedy: string; readonly text: string }[]
  readonly action: {
    readonly action: string
    readonly costs: Readonly<Record<string, number>>
  }
}

export interface Stage {
  readonly name: string
  readonly marker: number
  readonly floor: number | null
  readonly cap: number
  readonly held_by: "floor" | "cap" | "none"
  readonly evidence: readonly {
    readonly kind: string
    readonly source: string
    readonly date: string
    readonly conf: number
  }[]
  readonly next_step_down: { readonly date: string; readonly stage: string } | null
}

export interface EmailExplained extends Common {
  readonly stage: Stage
  readonly summary?: {
    readonly stage: string
    readonly next_change: string
    readonly not_looked_at: string
  }
}

export interface PhoneExplained extends Common {
  readonly level: string
  readonly sms_otp_trust: string
  readonly policy_floor: { readonly points: number; readonly holds: boolean }
  readonly summary?: {
    readonly level: string
    readonly next_change: string
    readonly not_looked_at: string
  }
  /** Of a past decision there is none: what the scorer made of it is in its input. */
  readonly evidence?: readonly {
    readonly kind: string
    readonly observed_at: string
    readonly value: number | null
    readonly source: string
  }[]
}
