// The body of the console's service worker. It does long work, so that it goes on while pages are
// left and loaded anew. It answers no requests of pages, keeps nothing on the disk, and its scope
// is the folder of the console's files, where no page is.
import { type CallMessage, CHANNEL } from "./calls.ts"
import { createDesk } from "./desk.ts"

interface Call extends MessageEvent<CallMessage> {
  /** Keeps the browser from ending this thread; after five minutes it does so all the same. */
  waitUntil(promise: Promise<unknown>): void
}

/**
 * How long a call keeps the thread, with what it holds, once no page asks any more. Pages in the
 * background may ask but once a minute.
 */
const AWAKE_MS = 240_000
/** How much later the next call does so again. */
const AGAIN_MS = 30_000
const STEP_MS = 1_000

const channel = new BroadcastChannel(CHANNEL)
const desk = createDesk(location.origin, () => channel.postMessage(null))
/** When a call last began to keep the thread. */
let awakeSinceMs = -Infinity

addEventListener("message", (event) => {
  const call = event as Call
  call.waitUntil(
    desk.answer(call.data).then((answer) => {
      call.ports[0]?.postMessage(answer)
    }),
  )
  if (performance.now() - awakeSinceMs > AGAIN_MS) call.waitUntil(keptAwake())
})

/** Lasts as long as there is something to keep, and no longer than a call may. */
async function keptAwake(): Promise<void> {
  const sinceMs = performance.now()
  awakeSinceMs = sinceMs
  do {
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
    if (!desk.isEmpty()) continue
    awakeSinceMs = -Infinity
    return
  } while (performance.now() - sinceMs < AWAKE_MS)
}
