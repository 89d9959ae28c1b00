import { hash } from "node:crypto"
import { CONTEXT_NAMES, type ContextEvent, type ContextName, NAME_BYTES } from "../src/counters.ts"

const DAY_SECONDS = 86_400

/** What an event of a test is about; every text gets a name by day, as the real ones do. */
export interface Use extends Partial<Record<Exclude<ContextName, "signup">, string>> {
  readonly mailbox: string
  /** The account, or else the mailbox, unless given. */
  readonly signup?: string
  readonly atSeconds: number
  readonly tenantId?: number
}

export function signup(use: Use): ContextEvent {
  return event(use, true)
}

export function login(use: Use): ContextEvent {
  return event(use, false)
}

function event(use: Use, isRecorded: boolean): ContextEvent {
  const { atSeconds, tenantId = 1 } = use
  const day = Math.floor(atSeconds / DAY_SECONDS)
  const texts = { ...use, signup: use.signup ?? use.account ?? use.mailbox }
  const names = [day, day - 1].flatMap((of) =>
    CONTEXT_NAMES.map((name) => {
      const text = texts[name]
      if (text === undefined) return Buffer.alloc(NAME_BYTES)
      return hash("sha256", `${of} ${name} ${text}`, "buffer").subarray(0, NAME_BYTES)
    }),
  )
  return { tenantId, atSeconds, isRecorded, names: Buffer.concat(names) }
}
