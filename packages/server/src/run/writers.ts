import type { Log } from "@assay/runtime/log"
import { type Methods, offer } from "@assay/runtime/rpc"
import type { WriterPort } from "../base/writer-port.ts"
import type { Primary } from "../http/feature.ts"
import { type AnyFeature, features } from "./features.ts"
import { keepSettling } from "./keep-settling.ts"

/** The writers of all features, in the primary. */
export interface Writers {
  /** What workers may call. */
  readonly methods: Methods
  get<P>(port: WriterPort<P>): P
  /** Each closes one writer, once its work under way is done. */
  readonly ends: readonly (() => Promise<void>)[]
}

/** Opens them and applies what earlier processes left undone, before anything is answered. */
export async function openWriters(primary: Primary, log: Log): Promise<Writers> {
  const opened = new Map<string, unknown>()
  const ends: (() => Promise<void>)[] = []
  let methods: Methods = {}
  for (const { port, writer: open } of features as readonly AnyFeature[]) {
    if (port === undefined || open === undefined) continue
    const writer = await open(primary)
    if (writer.settleDue !== undefined) {
      await writer.settleDue()
      ends.push(keepSettling(writer, primary.now, log, port.name))
    }
    methods = { ...methods, ...offer(port, writer) }
    opened.set(port.name, writer)
  }
  return {
    methods,
    get: <P>({ name }: WriterPort<P>) => opened.get(name) as P,
    ends,
  }
}
