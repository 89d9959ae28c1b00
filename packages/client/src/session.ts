import type { SessionDetails } from "@assay/core/contract"
import { ask } from "./attempts.ts"
import { type DropCalls, dropCalls } from "./drop.ts"
import { AssayProblem } from "./errors.ts"
import { type ClientOptions, type SessionSettings, sessionSettingsOf } from "./options.ts"
import type { CallOptions } from "./request.ts"
import { answerOf } from "./response.ts"

export type SessionClientOptions = Pick<
  ClientOptions,
  "baseUrl" | "timeoutMs" | "retries" | "fetch"
>

/** The service, seen from a page of its own whose visitor has signed in. */
export interface SessionClient {
  /**
   * Who is signed in; null: nobody. To be called first: calls that change something carry the token
   * that comes with it, and after another sign-in in the same browser it is another.
   */
  session(options?: CallOptions): Promise<SessionDetails | null>
  /** Needs the role `drop-recipient`. */
  readonly drop: DropCalls
}

/** For pages at the address of the service: the browser sends the cookie of the session. */
export function createSessionClient(options: SessionClientOptions): SessionClient {
  const settings = sessionSettingsOf(options)
  return {
    session: (call = {}) => session(settings, call),
    drop: dropCalls(settings),
  }
}

async function session(
  settings: SessionSettings,
  options: CallOptions,
): Promise<SessionDetails | null> {
  const question = { method: "GET", path: "/api/v1/session", repeatable: true } as const
  try {
    const found = (await ask(settings, question, options, (response) =>
      answerOf(response, 200, isSession),
    )) as unknown as SessionDetails
    settings.csrf.token = found.csrf_token
    return found
  } catch (error) {
    if (error instanceof AssayProblem && error.code === "unauthenticated") return null
    throw error
  }
}

function isSession(body: Readonly<Record<string, unknown>> | null): boolean {
  return (
    typeof body?.["csrf_token"] === "string" &&
    typeof body["name"] === "string" &&
    Array.isArray(body["roles"])
  )
}
