export interface ExplainedOptions extends ErrorOptions {
  /** What the command ends with; 1 unless given. */
  readonly exitCode?: number
}

const EXPLAINED = Symbol.for("assay: explained")

/**
 * A failure in words for the person at the terminal, who sees only the message; for any other error
 * they see the stack. An empty message means that the command has already printed the reason.
 */
export class Explained<Code extends string = string> extends Error {
  override readonly name: string = "Explained"
  readonly [EXPLAINED] = true
  /** Says which failure it is, to code that catches it and in the log. */
  readonly code: Code
  readonly exitCode: number
  constructor(code: Code, message: string, { exitCode = 1, ...options }: ExplainedOptions = {}) {
    super(message, options)
    this.code = code
    this.exitCode = exitCode
  }
}

export function isExplained<Code extends string>(
  error: unknown,
  code: Code,
): error is Explained<Code> {
  return isInWords(error) && error.code === code
}

/**
 * Whether a failure is in words. Programs that are built by themselves have their own copies of the
 * class, so `instanceof` would not recognise what another one in this process throws.
 */
export function isInWords(error: unknown): error is Explained {
  return error instanceof Error && EXPLAINED in error
}
