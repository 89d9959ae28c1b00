// The body of the worker: takes calls of the page and answers them.
import { answers, type OnShare } from "./answers.ts"
import type { AnswerMessage, CallMessage } from "./worker-calls.ts"

const answer = (message: AnswerMessage): void => postMessage(message)

addEventListener("message", ({ data: { id, name, args } }: MessageEvent<CallMessage>) => {
  const run = answers[name] as (onShare: OnShare, ...args: readonly unknown[]) => unknown
  const work = async (): Promise<unknown> => run((share) => answer({ id, share }), ...args)
  work().then(
    (result) => answer({ id, result }),
    // Without the reason, which could quote what was to be sealed.
    () => answer({ id, fault: true }),
  )
})
