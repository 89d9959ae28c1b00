import {
  type AnswerMessage,
  type CallMessage,
  type CallName,
  type Opener,
  OpenerFailure,
} from "./opener-calls.ts"

/**
 * A worker that is silent for this long is taken for dead: a browser may end one without notice.
 */
export const SILENCE_MS = 180_000

/** Every call, which the compiler checks. */
const CALLS: Readonly<Record<CallName, true>> = {
  isLocked: true,
  unlock: true,
  newIdentity: true,
  openMessage: true,
  openNote: true,
  attachment: true,
  text: true,
  picture: true,
  replyFile: true,
  sealReply: true,
  sealNote: true,
  mark: true,
  sealSeen: true,
  openSeen: true,
  reseal: true,
}

/**
 * The calls of the worker as functions. Once it dies, or is silent for so long that it must have,
 * every call fails: its keys are gone with it.
 */
export function openerOf(worker: Worker): Opener {
  interface Pending {
    readonly resolve: (result: unknown) => void
    readonly reject: (reason: OpenerFailure) => void
  }
  const pending = new Map<number, Pending>()
  let calls = 0
  let dead = false
  let silence: ReturnType<typeof setTimeout> | undefined
  const die = (): void => {
    dead = true
    clearTimeout(silence)
    worker.terminate()
    for (const { reject } of pending.values()) reject(new OpenerFailure("failed"))
    pending.clear()
  }
  // A browser may end a worker without notice, and the calls waiting for it would wait for ever.
  const watch = (): void => {
    clearTimeout(silence)
    if (pending.size > 0) silence = setTimeout(die, SILENCE_MS)
  }
  worker.addEventListener("error", die)
  worker.addEventListener("messageerror", die)
  worker.addEventListener("message", ({ data }: MessageEvent<AnswerMessage>) => {
    const call = pending.get(data.id)
    pending.delete(data.id)
    if ("fault" in data) call?.reject(new OpenerFailure(data.fault))
    else call?.resolve(data.result)
    watch()
  })
  const call = async (name: CallName, args: readonly unknown[]): Promise<unknown> => {
    if (dead) throw new OpenerFailure("failed")
    return await new Promise((resolve, reject) => {
      const id = (calls += 1)
      // Posted before the wait begins, because arguments that cannot be transferred throw here.
      worker.postMessage({ id, name, args } satisfies CallMessage)
      pending.set(id, { resolve, reject })
      if (pending.size === 1) watch()
    })
  }
  return Object.fromEntries(
    (Object.keys(CALLS) as CallName[]).map((name) => [
      name,
      (...args: readonly unknown[]) => call(name, args),
    ]),
  ) as unknown as Opener
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string }
}

/** Gives the one worker this page may start. Browsers with Trusted Types refuse any other. */
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
