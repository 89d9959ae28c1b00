import { queries } from "../ui/service.ts"
import { Told } from "../ui/said.ts"
import { type AnswerMessage, type CallMessage, type CallName, CHANNEL, PROTOCOL } from "./calls.ts"
import type { Keeper } from "./keeper.ts"
import workerUrl from "./work-thread.ts?worker&url"

/** Whoever keeps the work: the service worker, or this tab where the browser has none. */
export interface Host {
  /** Whether work outlives this tab's page. */
  readonly survivesReload: boolean
  ask<Name extends CallName>(
    owner: string,
    name: Name,
    ...args: ArgsOf<Name>
  ): Promise<Result<Name>>
}

type ArgsOf<Name extends CallName> = Name extends keyof Keeper ? Parameters<Keeper[Name]> : []
type Result<Name extends CallName> = Name extends keyof Keeper ? ReturnType<Keeper[Name]> : null

/** A thread that was ended just then does not answer. */
const ANSWER_MS = 30_000

const changed = (): void => void queries.invalidateQueries({ queryKey: ["work"] })

let host: Promise<Host> | null = null

/** The same one for all pages of this tab. */
export function openHost(): Promise<Host> {
  // Private windows of some browsers have no service workers.
  host ??= "serviceWorker" in navigator ? Promise.resolve(ofWorker()) : ofTab()
  return host
}

/** Where work can begin: a worker is made when there is work for it, and not before. */
export async function startHost(): Promise<Host> {
  if ((await openHost()).survivesReload)
    try {
      await navigator.serviceWorker.register(workerUrl)
    } catch {
      // The browser is set to refuse them.
      host = ofTab()
    }
  return await openHost()
}

function ofWorker(): Host {
  new BroadcastChannel(CHANNEL).addEventListener("message", changed)
  return {
    survivesReload: true,
    async ask(owner, name, ...args) {
      const found = await navigator.serviceWorker.getRegistration(workerUrl)
      if (found === undefined) return (name === "list" || name === "scores" ? [] : null) as never
      const message = { protocol: PROTOCOL, owner, name, args }
      const { active, waiting, installing } = found
      const answer = await sent(await activated(active ?? waiting ?? installing), message)
      if (!("outdated" in answer)) return resultOf(answer) as never
      // It has let go of all that it held, so the browser puts ours in its place.
      const own = await navigator.serviceWorker.register(workerUrl)
      const newest = own.installing ?? own.waiting ?? own.active
      return resultOf(await sent(await activated(newest), message)) as never
    },
  }
}

/** A worker, once it may be asked. */
async function activated(worker: ServiceWorker | null): Promise<ServiceWorker> {
  if (worker === null) throw new Error("The browser has ended the service worker of the console")
  while (worker.state !== "activated" && worker.state !== "redundant")
    await new Promise((resolve) => {
      worker.addEventListener("statechange", resolve, { once: true })
    })
  return worker
}

async function sent(worker: ServiceWorker, message: CallMessage): Promise<AnswerMessage> {
  const { port1, port2 } = new MessageChannel()
  try {
    return await new Promise<AnswerMessage>((resolve, reject) => {
      const late = (): void => reject(new Error("The service worker of the console did not answer"))
      const timer = setTimeout(late, ANSWER_MS)
      port1.onmessage = ({ data }: MessageEvent<AnswerMessage>) => {
        clearTimeout(timer)
        resolve(data)
      }
      worker.postMessage(message, [port2])
    })
  } finally {
    port1.close()
  }
}

async function ofTab(): Promise<Host> {
  const { createDesk } = await import("./desk.ts")
  let isRunning = false
  const desk = createDesk(location.origin, () => {
    watch()
    changed()
  })
  // What a browser asks before the tab is closed or loaded anew.
  const warn = (event: BeforeUnloadEvent): void => event.preventDefault()
  const watch = (): void => {
    if (desk.isRunning() === isRunning) return
    isRunning = !isRunning
    if (isRunning) addEventListener("beforeunload", warn)
    else removeEventListener("beforeunload", warn)
  }
  return {
    survivesReload: false,
    async ask(owner, name, ...args) {
      return resultOf(await desk.answer({ protocol: PROTOCOL, owner, name, args })) as never
    },
  }
}

function resultOf(answer: AnswerMessage): unknown {
  if ("result" in answer) return answer.result
  if ("failure" in answer) throw new Told(answer.failure)
  if ("outdated" in answer)
    throw new Error("The service worker of the console is of another version")
  void queries.invalidateQueries({ queryKey: ["session"] })
  throw new Told({
    title: "You are signed out",
    detail: "Sign in again to go on. Nothing more is scored.",
    code: null,
    requestId: null,
  })
}
