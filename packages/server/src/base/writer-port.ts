import { type Port, portOf, type RemoteError } from "@assay/runtime/rpc"
import { RecordsError } from "@assay/stores/records-error"
import { Problem } from "./problem.ts"

/** How workers reach a writer in the primary. */
export interface WriterPort<P> extends Port<P> {
  /** How long an answer may take. */
  readonly answerMs: number
  /** A failure over there, as the caller of the service sees it. */
  readonly problemOf: (error: RemoteError) => Error
}

interface Options {
  readonly answerMs?: number
  /** What the caller reads where the records or the index cannot be reached. */
  readonly failed?: string
}

export function writerPort<P>(
  name: string,
  methods: Readonly<Record<keyof P, true>>,
  { answerMs = 30_000, failed = "What was sent could not be stored" }: Options = {},
): WriterPort<P> {
  const problemOf = (error: RemoteError): Error => {
    const { code } = error
    if (code === "overloaded" || code === "rate-limited")
      return new Problem(code, "Nothing was stored.", { headers: { "retry-after": "1" } })
    return code === "unavailable" ? new RecordsError(code, failed, { cause: error }) : error
  }
  return { ...portOf<P>(name, methods), answerMs, problemOf }
}
