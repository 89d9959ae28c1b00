import { Failure } from "./failure.ts"
import {
  type AnswerMessage,
  type CallMessage,
  type CallName,
  SILENCE_MS,
  type WorkerCalls,
} from "./worker-calls.ts"

type OnShare = (share: number) => void

export interface WorkerClient {
  /**
   * Rejects with a Failure when the worker fails, falls silent or dies; the next call gets a new
   * worker.
   */
  call<N extends CallName>(
    name: N,
    args: Parameters<WorkerCalls[N]>,
    onShare?: OnShare,
  ): Promise<ReturnType<WorkerCalls[N]>>
}

/** Runs calls in a worker, one after the other as it takes them up. */
export function workerClient(startWorker: () => Worker): WorkerClient {
  interface Pending {
    readonly resolve: (result: never) => void
    readonly reject: (reason: Failure) => void
    readonly onShare: OnShare
  }
  const pending = new Map<number, Pending>()
  let worker: Worker | null = null
  let silence: ReturnType<typeof setTimeout> | undefined
  let calls = 0

  const fail = (): void => {
    worker?.terminate()
    worker = null
    clearTimeout(silence)
    for (const { reject } of pending.values()) reject(new Failure("failure-sealing"))
    pending.clear()
  }
  const watch = (): void => {
    clearTimeout(silence)
    if (pending.size > 0) silence = setTimeout(fail, SILENCE_MS)
  }
  const take = ({ data }: MessageEvent<AnswerMessage>): void => {
    const call = pending.get(data.id)
    if (call === undefined) return
    if ("share" in data) call.onShare(data.share)
    else {
      pending.delete(data.id)
      if ("result" in data) call.resolve(data.result as never)
      else call.reject(new Failure("failure-sealing"))
    }
    watch()
  }
  const running = (): Worker => {
    if (worker !== null) return worker
    const started = startWorker()
    started.addEventListener("message", take)
    started.addEventListener("error", fail)
    started.addEventListener("messageerror", fail)
    return (worker = started)
  }

  return {
    call(name, args, onShare = () => undefined) {
      return new Promise((resolve, reject) => {
        const id = (calls += 1)
        pending.set(id, { resolve, reject, onShare })
        try {
          running().postMessage({ id, name, args } satisfies CallMessage)
        } catch {
          fail()
        }
        watch()
      })
    },
  }
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string }
}

/** Gives the one worker this script may start. Browsers with Trusted Types refuse any other. */
export function dropWorker(path: string): () => Worker {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  const policy = trustedTypes?.createPolicy("drop-worker", {
    createScriptURL(url) {
      if (url !== path) throw new TypeError("no other worker may be started")
      return path
    },
  })
  return () => new Worker(policy?.createScriptURL(path) ?? path)
}
