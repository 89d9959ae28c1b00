import { Problem } from "../base/problem.ts"

/** The streams a worker is answering. One may last for hours, so a stop asks them to end. */
export interface Streams {
  /**
   * `interrupt` is called when the worker stops, or at once if it is stopping. Returns a function
   * that removes it again.
   */
  add(interrupt: (problem: Problem) => void): () => void
  interruptAll(): void
}

export function openStreams(): Streams {
  const open = new Set<(problem: Problem) => void>()
  let stopped = false
  const stopping = (): Problem => new Problem("stream-interrupted", "The service is stopping.")
  return {
    add(interrupt) {
      if (stopped) interrupt(stopping())
      open.add(interrupt)
      return () => void open.delete(interrupt)
    },
    interruptAll() {
      stopped = true
      for (const interrupt of open) interrupt(stopping())
    },
  }
}
