import { createSessionClient } from "@assay/client"
import { said } from "../ui/said.ts"
import { type AnswerMessage, type CallMessage, type CallName, PROTOCOL } from "./calls.ts"
import { createKeeper, type Keeper } from "./keeper.ts"
import type { Work } from "./kinds.ts"

/** Takes calls of pages, and keeps the work of whoever is signed in. */
export interface Desk {
  answer(message: CallMessage): Promise<AnswerMessage>
  isEmpty(): boolean
  isRunning(): boolean
}

const TIMEOUT_MS = 30_000

export function createDesk(baseUrl: string, changed: () => void): Desk {
  let kept: { readonly owner: string; readonly keeper: Keeper } | null = null
  let turn: Promise<unknown> = Promise.resolve()

  const works = (): readonly Work[] => kept?.keeper.list() ?? []
  const forget = (): void => {
    const { keeper } = kept ?? {}
    kept = null
    keeper?.close()
  }

  /**
   * Whoever else signed in has nothing to do with what is kept. The service is asked who it is: a
   * tab from before the sign-in must not end the work of the one after it.
   */
  async function keeperOf(owner: string): Promise<Keeper | null> {
    const service = createSessionClient({ baseUrl, timeoutMs: TIMEOUT_MS })
    const session = await service.session()
    if (session === null || session.csrf_token !== kept?.owner) forget()
    if (session?.csrf_token !== owner) return null
    if (kept?.owner === owner) return kept.keeper
    const keeper = createKeeper({
      service,
      nowMs: Date.now,
      newId: () => crypto.randomUUID(),
      changed,
      sessionEnded: () => {
        if (kept?.keeper === keeper) forget()
      },
    })
    kept = { owner, keeper }
    return keeper
  }

  // One after the other: two tabs may ask at once, and there is one keeper for both.
  const askedOf = (owner: string): Promise<Keeper | null> => {
    const next = turn.then(() => keeperOf(owner))
    turn = next.catch(() => null)
    return next
  }

  /**
   * To ask the service is to use the session, so it is not asked by a page that only looks on. But
   * whoever comes upon an open browser gets no scores once the session is over.
   */
  const isKnown = (owner: string, name: CallName): boolean =>
    kept?.owner === owner && name !== "scores"

  async function answered({ protocol, owner, name, args }: CallMessage): Promise<AnswerMessage> {
    if (protocol !== PROTOCOL) {
      forget()
      return { outdated: true }
    }
    if (name === "forget") {
      if (kept?.owner === owner) forget()
      // Whose session is over no longer has its token: the service knows whether it is.
      else if (kept !== null) await askedOf(owner)
      return { result: null }
    }
    // Nothing is kept for anybody, so there is no need to know who asks.
    if (kept === null && name !== "begin")
      return { result: name === "list" || name === "scores" ? [] : null }
    const keeper = isKnown(owner, name) ? (kept?.keeper ?? null) : await askedOf(owner)
    if (keeper === null) return { signedOut: true }
    const call = keeper[name] as (...args: readonly unknown[]) => unknown
    return { result: call(...args) ?? null }
  }

  return {
    answer: (message) =>
      answered(message).catch((error: unknown) => ({ failure: said(error, null) })),
    isEmpty: () => works().length === 0,
    isRunning: () => works().some(({ state }) => state === "running"),
  }
}
