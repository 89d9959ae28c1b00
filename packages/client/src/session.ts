import type { SessionDetails } from "@assay/core/contract"
import { ask } from "./attempts.ts"
import { type Client, callsOf } from "./client.ts"
import { AssayProblem } from "./errors.ts"
import { type ImportCalls, importCalls } from "./imports.ts"
import { type KeyCalls, keyCalls } from "./keys.ts"
import { type ListCalls, listCalls } from "./lists.ts"
import { type ClientOptions, type SessionSettings, sessionSettingsOf } from "./options.ts"
import {
  memberCalls,
  type MemberCalls,
  ownAccountCalls,
  type OwnAccountCalls,
  signInCalls,
  type SignInCalls,
} from "./people.ts"
import { policyCalls, type PolicyCalls } from "./policy.ts"
import type { CallOptions } from "./request.ts"
import { answerOf } from "./response.ts"
import { sendFrom } from "./sent.ts"
import { signUpCalls, type SignUpCalls } from "./sign-up.ts"
import { serviceCalls, type ServiceCalls } from "./service.ts"
import { tenantCalls, type TenantCalls } from "./tenants.ts"

export type SessionClientOptions = Pick<
  ClientOptions,
  "baseUrl" | "timeoutMs" | "retries" | "fetch"
>

/** The service, seen from a page of its own whose visitor has signed in, or is about to. */
export interface SessionClient extends Client {
  /**
   * Who is signed in; null: nobody. To be called first: calls that change something carry the token
   * that comes with it, and after another sign-in in the same browser it is another.
   */
  session(options?: CallOptions): Promise<SessionDetails | null>
  readonly signIn: SignInCalls
  readonly account: OwnAccountCalls
  readonly members: MemberCalls
  readonly keys: KeyCalls
  readonly policy: PolicyCalls
  readonly tenants: TenantCalls
  readonly signUp: SignUpCalls
  readonly service: ServiceCalls
  readonly imports: ImportCalls
  readonly lists: ListCalls
}

/** For pages at the address of the service: the browser sends the cookie of the session. */
export function createSessionClient(options: SessionClientOptions): SessionClient {
  const settings = sessionSettingsOf(options)
  const send = sendFrom(settings)
  return {
    ...callsOf<"throw">(settings),
    session: (call = {}) => session(settings, call),
    signIn: signInCalls(send, settings),
    account: ownAccountCalls(send),
    members: memberCalls(send),
    keys: keyCalls(send),
    policy: policyCalls(settings, send),
    tenants: tenantCalls(send),
    signUp: signUpCalls(send),
    service: serviceCalls(send),
    imports: importCalls(settings, send),
    lists: listCalls(send),
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
