/**
 * What attackers know: ports, keys anybody can have, files and commands of the machine they stand
 * beside.
 */
export interface Target {
  readonly port: number
  readonly dropPort: number
  readonly dataDirectory: string
  /** Keys of tenants on the free plan, one for each attack that needs one. */
  readonly freeKeys: { readonly streams: string; readonly input: string; readonly writes: string }
  /** A recipient's everyday token, as somebody who stole it has it. */
  readonly recipientToken: string
  /** Of the primary, which an operator asks to replace its workers while all this goes on. */
  readonly servicePid: number
}

/** Counts by name: what an attack did, and what it got. */
export type Tally = Record<string, number>

export interface Attack {
  readonly name: string
  /** What it must have counted to have attacked at all; by default one answer of any kind. */
  readonly sign?: string
  /**
   * Attacks until `over` is aborted, and resolves soon after. Whatever happens to it is not an
   * error.
   */
  run(target: Target, tally: Tally, over: AbortSignal): Promise<void>
}

export function count(tally: Tally, name: string, by = 1): void {
  tally[name] = (tally[name] ?? 0) + by
}

/** A function, since the compiler would assume that the member never changes. */
export function isOver(over: AbortSignal): boolean {
  return over.aborted
}
