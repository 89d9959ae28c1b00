/** A whole number given as `--name value`. */
export interface IntegerOption {
  readonly fallback: number
  readonly min: number
  readonly max: number
  readonly meaning: string
}

/**
 * One bench: a name on the command line, a file beside main.ts, results under its name in results/.
 */
export interface Bench<O extends string = string> {
  readonly name: string
  readonly summary: string
  readonly options: Readonly<Record<O, IntegerOption>>
  /**
   * Measures, prints and writes the results. Throws when something broke; a slow figure is a
   * result, not a failure.
   */
  run(given: Readonly<Record<O, number>>): Promise<void>
}

/**
 * Something that makes the figures worthless. The person who started the bench sees its message
 * without a stack.
 */
export class BenchError extends Error {
  override readonly name = "BenchError"
}
