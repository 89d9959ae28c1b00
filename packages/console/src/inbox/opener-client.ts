import {
  type AnswerMessage,
  type CallMessage,
  type CallName,
  type Opener,
  OpenerFailure,
} from "./opener-calls.ts"

const CALLS: readonly CallName[] = [
  "isLocked",
  "unlock",
  "newIdentity",
  "openMessage",
  "openNote",
  "attachment",
  "picture",
  "sealReply",
  "sealNote",
]

/** The calls of the worker as functions. Once it dies every call fails: the keys it held are gone with it. */
export function openerOf(worker: Worker): Opener {
  interface Pending {
    readonly resolve: (result: unknown) => void
    readonly reject: (reason: OpenerFailure) => void
  }
  const pending = new Map<number, Pending>()
  let calls = 0
  let dead = false
  const die = (): void => {
    dead = true
    for (const { reject } of pending.values()) reject(new OpenerFailure("failed"))
    pending.clear()
  }
  worker.addEventListener("error", die)
  worker.addEventListener("messageerror", die)
  worker.addEventListener("message", ({ data }: MessageEvent<AnswerMessage>) => {
    const call = pending.get(data.id)
    pending.delete(data.id)
    if ("fault" in data) call?.reject(new OpenerFailure(data.fault))
    else call?.resolve(data.result)
  })
  const call = async (name: CallName, args: readonly unknown[]): Promise<unknown> => {
    if (dead) throw new OpenerFailure("failed")
    return await new Promise((resolve, reject) => {
      const id = (calls += 1)
      pending.set(id, { resolve, reject })
      worker.postMessage({ id, name, args } satisfies CallMessage)
    })
  }
  return Object.fromEntries(
    CALLS.map((name) => [name, (...args: readonly unknown[]) => call(name, args)]),
  ) as unknown as Opener
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string }
}

/** Gives the one worker this page may start. Browsers with Trusted Types let it start no other. */
export function inboxWorker(path: string): () => Worker {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  const policy = trustedTypes?.createPolicy("inbox-worker", {
    createScriptURL(url) {
      if (url !== path) throw new TypeError("no other worker may be started")
      return path
    },
  })
  return () => new Worker(policy?.createScriptURL(path) ?? path)
}
