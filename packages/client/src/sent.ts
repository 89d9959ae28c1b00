import { ask } from "./attempts.ts"
import type { Failover } from "./failover.ts"
import type { Settings } from "./options.ts"
import type { Asked, CallOptions } from "./request.ts"
import { answerOf } from "./response.ts"

export interface Sent {
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly options?: CallOptions | undefined
  /** Whether it may be sent again after an answer that broke off; what only reads always may. */
  readonly repeatable?: boolean
}

/** Sends one request and gives its answer, which must have a member of this name. */
export type Send = <T>(
  method: Asked["method"],
  path: string,
  member: string | null,
  sent?: Sent,
) => Promise<T>

/** Changes are on the disks of the service when they are answered; a report reads for seconds. */
const TIMEOUT_MS = 30_000

/** Requests below `/api/v1` that reject whatever `failover` says. */
export function sendFrom(settings: Settings<Failover>): Send {
  return async <T>(
    method: Asked["method"],
    path: string,
    member: string | null,
    { body, headers, options = {}, repeatable = method === "GET" }: Sent = {},
  ): Promise<T> => {
    const question = {
      method,
      path: `/api/v1${path}`,
      timeoutMs: Math.max(settings.timeoutMs, TIMEOUT_MS),
      repeatable,
      ...(headers !== undefined && { headers }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }
    return (await ask(settings, question, options, async (response) => {
      // Which of them an operation answers with says nothing that its members do not.
      const status = [201, 202, 204].includes(response.status) ? response.status : 200
      return await answerOf(
        response,
        status,
        (answer) => member === null || answer?.[member] !== undefined,
      )
    })) as T
  }
}

/** A part of a path that is an id. Anything else, such as an identity, must not get into a log. */
export function idIn(id: string | number): string {
  if (!/^[\w-]{1,128}$/.test(String(id))) throw new TypeError("id takes the id of an entry")
  return String(id)
}
