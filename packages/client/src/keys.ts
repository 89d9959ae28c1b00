import type {
  ApiKey,
  ApiKeyChange,
  ApiKeyList,
  ApiKeyRequest,
  ApiKeyRotation,
  NewApiKey,
} from "@assay/core/contract"
import type { CallOptions } from "./request.ts"
import { idIn, type Send } from "./sent.ts"

/** Keys of the tenant the person acts in. Only people may call these: a key makes no other. */
export interface KeyCalls {
  list(options?: CallOptions): Promise<ApiKeyList>
  /** The only answers that hold a key are those of this one and of `rotate`. */
  create(request: ApiKeyRequest, options?: CallOptions): Promise<NewApiKey>
  change(id: string, change: ApiKeyChange, options?: CallOptions): Promise<ApiKey>
  rotate(id: string, rotation?: ApiKeyRotation, options?: CallOptions): Promise<NewApiKey>
  revoke(id: string, options?: CallOptions): Promise<ApiKey>
}

export function keyCalls(send: Send): KeyCalls {
  return {
    list: (options) => send("GET", "/keys", "keys", { options }),
    create: (body, options) => send("POST", "/keys", "key", { body, options }),
    change: (id, body, options) => send("PATCH", `/keys/${idIn(id)}`, "id", { body, options }),
    rotate: (id, body = {}, options) =>
      send("POST", `/keys/${idIn(id)}/rotate`, "key", { body, options }),
    // Repeating it changes nothing more.
    revoke: (id, options) =>
      send("POST", `/keys/${idIn(id)}/revoke`, "id", { options, repeatable: true }),
  }
}
