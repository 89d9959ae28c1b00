import type { Log } from "@assay/runtime/log"
import { type Methods, offer } from "@assay/runtime/rpc"
import { HOUR_MS } from "@assay/runtime/time"
import type { WriterPort } from "../base/writer-port.ts"
import type { Primary, Settling } from "../http/feature.ts"
import { type AnyFeature, features } from "./features.ts"

/** The writers of all features, in the primary. */
export interface Writers {
  /** What workers may call. */
  readonly methods: Methods
  get<P>(port: WriterPort<P>): P
  /** Each closes one writer, once its work under way is done. */
  readonly ends: readonly (() => Promise<void>)[]
}

/** Opens them and applies what earlier processes left undone, before anything is answered. */
export async function openWriters(given: Omit<Primary, "writerOf">, log: Log): Promise<Writers> {
  const opened = new Map<string, unknown>()
  const writerOf = <P>({ name }: WriterPort<P>): P => opened.get(name) as P
  const primary: Primary = { ...given, writerOf }
  const ends: (() => Promise<void>)[] = []
  let methods: Methods = {}
  for (const { port, writer: open } of features as readonly AnyFeature[]) {
    if (port === undefined || open === undefined) continue
    const writer = await open(primary)
    if (writer.settleDue !== undefined) {
      await writer.settleDue()
      ends.push(keepSettling(writer, primary, log, port.name))
    }
    methods = { ...methods, ...offer(port, writer) }
    opened.set(port.name, writer)
  }
  return {
    methods,
    get: writerOf,
    ends,
  }
}

const SETTLE_MS = 1000

/**
 * Settles each second and forgets each hour; the function it returns ends that and waits for what
 * is under way.
 */
export function keepSettling(
  writer: Settling,
  { now, turns }: Pick<Primary, "now" | "turns">,
  log: Log,
  what: string,
): () => Promise<void> {
  let forgotAt = 0
  let settling: Promise<void> | null = null
  const settle = async (): Promise<void> => {
    await writer.settleDue?.()
    // Also if the last time lies in the future: the clock was set back, and forgetting must not
    // wait for it.
    if (Math.abs(now() - forgotAt) < HOUR_MS) return
    await writer.forget?.()
    forgotAt = now()
  }
  const inTurn = async (): Promise<void> => {
    if (writer.everywhere === true) await settle()
    else await turns.take(what, settle)
  }
  const timer = setInterval(() => {
    settling ??= inTurn()
      .catch((error: unknown) => log.warn(`${what} could not be applied`, { error }))
      .finally(() => (settling = null))
  }, SETTLE_MS)
  return async () => {
    clearInterval(timer)
    await settling
    await writer.idle?.()
  }
}
