import type {
  SharedSignalsKeyList,
  SharedSignalsStream,
  SharedSignalsStreamChange,
  SharedSignalsStreamList,
  SharedSignalsStreamRequest,
  SharedSignalsVerification,
} from "@assay/core/contract"
import type { CallOptions } from "./request.ts"
import { idIn, type Send } from "./sent.ts"

/** Receivers of OpenID Shared Signals, and the keys that sign for them. */
export interface SharedSignalCalls {
  list(options?: CallOptions): Promise<SharedSignalsStreamList>
  create(request: SharedSignalsStreamRequest, options?: CallOptions): Promise<SharedSignalsStream>
  get(id: string, options?: CallOptions): Promise<SharedSignalsStream>
  change(
    id: string,
    change: SharedSignalsStreamChange,
    options?: CallOptions,
  ): Promise<SharedSignalsStream>
  delete(id: string, options?: CallOptions): Promise<void>
  /** Sends a verification event; the stream says when it was taken. */
  verify(id: string, options?: CallOptions): Promise<SharedSignalsVerification>
  /** For administrators who are signed in. */
  keys(options?: CallOptions): Promise<SharedSignalsKeyList>
  /** The same. The next key signs after a quarter of an hour. */
  rotateKey(options?: CallOptions): Promise<SharedSignalsKeyList>
}

export function sharedSignalCalls(send: Send): SharedSignalCalls {
  const streams = "/shared-signals/streams"
  const of = (id: string): string => `${streams}/${idIn(id)}`
  return {
    list: (options) => send("GET", streams, "streams", { options }),
    create: (body, options) => send("POST", streams, "id", { body, options }),
    get: (id, options) => send("GET", of(id), "id", { options }),
    change: (id, body, options) => send("PATCH", of(id), "id", { body, options, repeatable: true }),
    delete: async (id, options) => void (await send("DELETE", of(id), null, { options })),
    verify: (id, options) => send("POST", `${of(id)}/verify`, "state", { options }),
    keys: (options) => send("GET", "/shared-signals/keys", "keys", { options }),
    rotateKey: (options) => send("POST", "/shared-signals/keys/rotate", "keys", { options }),
  }
}
