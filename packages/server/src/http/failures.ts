import type { IncomingMessage } from "node:http"
import { problems } from "@assay/core/contract"
import type { Log } from "@assay/runtime/log"
import { asProblem, Problem } from "../base/problem.ts"
import { senderIsGone } from "./sender-is-gone.ts"

/** What becomes of errors, whichever way their requests came. */
export interface Failures {
  /** What an error means to the caller; logged where the fault is ours. */
  problemOf(error: unknown, request: IncomingMessage, requestId: string): Problem
  /** How long the caller waits for the answer: who has to go, or to wait, does not hurry us. */
  pauseMs(problem: Problem): number
}

/** Statuses of callers who have to wait or to go: without a key, and over a limit. */
const PAUSED: ReadonlySet<number> = new Set([401, 429])

export function openFailures(log: Log, refusalMs: number): Failures {
  return {
    problemOf(error, request, requestId) {
      const problem = senderIsGone(request)
        ? new Problem("request-incomplete", "The sender hung up.")
        : asProblem(error)
      if (problem.code !== "overloaded" && problems[problem.code].status >= 500) {
        log.error("request failed", {
          requestId,
          code: problem.code,
          error: problem.cause ?? problem,
        })
      }
      return problem
    },
    pauseMs: ({ code }) => (PAUSED.has(problems[code].status) ? refusalMs : 0),
  }
}
