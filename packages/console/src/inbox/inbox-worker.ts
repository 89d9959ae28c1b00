// The body of the inbox's worker: takes calls of the page and answers them.
import { type AnswerMessage, type CallMessage, OpenerFailure } from "./opener-calls.ts"
import { createOpener } from "./opener.ts"

const opener = createOpener()

addEventListener("message", ({ data: { id, name, args } }: MessageEvent<CallMessage>) => {
  const answer = (message: AnswerMessage): void => postMessage(message)
  const call = opener[name] as (...args: readonly unknown[]) => Promise<unknown>
  call(...args).then(
    (result) => answer({ id, result }),
    (error: unknown) =>
      answer({ id, fault: error instanceof OpenerFailure ? error.fault : "failed" }),
  )
})
