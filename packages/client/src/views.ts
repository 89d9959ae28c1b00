import type { CallOptions } from "./request.ts"
import { idIn, type Send } from "./sent.ts"

/** Filters of a list under names. All reject whatever `failover` says, and may be sent again. */
export interface ViewCalls<Request, View> {
  /** Shared ones and the caller's own, by name. */
  list(options?: CallOptions): Promise<{ views: View[] }>
  /** One of the same name is replaced and keeps its id. */
  save(view: Request, options?: CallOptions): Promise<View>
  delete(id: string, options?: CallOptions): Promise<void>
}

export function viewCalls<Request extends object, View>(
  send: Send,
  path: string,
): ViewCalls<Request, View> {
  const repeatable = true
  return {
    list: (options) => send("GET", path, "views", { options }),
    save: (body, options) => send("POST", path, "id", { body, options, repeatable }),
    delete: async (id, options) =>
      void (await send("DELETE", `${path}/${idIn(id)}`, null, { options, repeatable })),
  }
}
