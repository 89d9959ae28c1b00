import { type Line, lastChangeMs, lineOf } from "./line.ts"
import {
  type LineScript,
  readLineScript,
  readTokenScript,
  type TokenScript,
  type TrialApi,
  type TrialFault,
} from "./script.ts"

/** The lines of a carrier, as scripts have made them. */
export interface Lines {
  line(number: string): Line
  /** Replaces the script of a number. The SIM changed if it now changed later than before. */
  script(number: string, script: unknown): void
  /** Replaces the script that applies to every number where its own script leaves a member out. */
  scriptAll(script: unknown): void
  scriptToken(script: unknown): void
  scriptOf(number: string): LineScript
  readonly all: LineScript
  readonly token: TokenScript
  /** The fault that acts on a request, which counts as one of its times. */
  faultFor(number: string | null, api: TrialApi): TrialFault | null
  tokenFault(): TrialFault | null
}

/** A fault, and for how many more requests it acts. */
interface Pending {
  readonly fault: TrialFault
  left: number
}

/** `initial` is the first state of the lines. It sends no notifications. */
export function openLines(
  initial: Readonly<Record<string, LineScript>>,
  onSimChange: (number: string, atMs: number) => void,
): Lines {
  const scripts = new Map<string, LineScript>()
  const faults = new Map<string, Pending[]>()
  let all: LineScript = {}
  let allFaults: Pending[] = []
  let token: TokenScript = {}
  let tokenFaults: Pending[] = []

  const line = (number: string): Line => lineOf(number, all, scripts.get(number) ?? {})

  function replace(number: string, script: LineScript): void {
    scripts.set(number, script)
    faults.set(number, pending(script.faults))
  }
  for (const [number, script] of Object.entries(initial)) replace(number, readLineScript(script))

  return {
    line,
    script(number, document) {
      const script = readLineScript(document)
      const beforeMs = lastChangeMs(line(number), "sim")
      replace(number, script)
      const afterMs = lastChangeMs(line(number), "sim")
      if (afterMs > beforeMs) onSimChange(number, afterMs)
    },
    scriptAll(document) {
      all = readLineScript(document)
      allFaults = pending(all.faults)
    },
    scriptToken(document) {
      token = readTokenScript(document)
      tokenFaults = pending(token.faults)
    },
    scriptOf: (number) => scripts.get(number) ?? {},
    get all() {
      return all
    },
    get token() {
      return token
    },
    faultFor(number, api) {
      const own = number === null ? undefined : faults.get(number)
      return (own && taken(own, api)) ?? taken(allFaults, api)
    },
    tokenFault: () => taken(tokenFaults, null),
  }
}

function pending(faults: readonly TrialFault[] = []): Pending[] {
  return faults.map((fault) => ({ fault, left: fault.times ?? Infinity }))
}

function taken(faults: readonly Pending[], api: TrialApi | null): TrialFault | null {
  const found = faults.find(
    ({ fault, left }) => left > 0 && (fault.api === undefined || fault.api === api),
  )
  if (found === undefined) return null
  found.left -= 1
  return found.fault
}
