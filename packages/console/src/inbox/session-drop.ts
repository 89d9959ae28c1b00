import {
  AssayProblem,
  type DropCalls,
  type SessionClient,
  type SessionDetails,
} from "@assay/client"
import { Rejected } from "./rejected.ts"

/** Whether somebody who signed in reads the drop. */
export function isRecipient({ roles }: Pick<SessionDetails, "roles">): boolean {
  return roles.includes("drop-recipient")
}

/**
 * The drop for a recipient who signed in. A session that ended is told as such, and once the same
 * browser is signed in again, in another tab, the page goes on with what it has.
 */
export function sessionDrop(client: SessionClient): DropCalls {
  const { drop } = client
  const calling =
    <Given extends unknown[], T>(call: (...given: Given) => Promise<T>) =>
    async (...given: Given): Promise<T> => {
      try {
        return await call(...given)
      } catch (error) {
        // Refused before anything was done, so that it may be sent again.
        if (!isOfSession(error)) throw told(error)
        const found = await client.session()
        if (found === null) throw new Rejected(OVER)
        if (!isRecipient(found)) throw new Rejected(NO_RECIPIENT)
        return await call(...given).catch((again: unknown) => {
          throw told(again)
        })
      }
    }
  return {
    sync: calling(drop.sync),
    batch: calling(drop.batch),
    reseal: calling(drop.reseal),
    keys: calling(drop.keys),
    firstKeys: calling(drop.firstKeys),
  }
}

const OVER =
  "Your session is over. Nothing was sent, and what waits stays on this page. Sign in again in another tab of this browser, then try again here."
const NO_RECIPIENT =
  "This browser is signed in as somebody who is no recipient of the drop. Nothing was sent."
const NOT_BY_SESSION =
  "A session may not do that. To seal everything again, open this page with #token behind its address and enter a token made with `npx assay operators token --reseal`."

/** The session is over, or the browser has another one by now. */
function isOfSession(error: unknown): boolean {
  return (
    error instanceof AssayProblem &&
    (error.code === "unauthenticated" || error.code === "cross-site")
  )
}

function told(error: unknown): unknown {
  const isRole = error instanceof AssayProblem && error.code === "insufficient-role"
  return isRole ? new Rejected(NOT_BY_SESSION) : error
}
