import { readLearnt, writeLearnt } from "../score/email/lists/learnt-file.ts"
import type { LearntServer, Standing } from "../score/email/lists/learnt-servers.ts"
import type { Log } from "@assay/runtime/log"
import { HOUR_MS } from "@assay/runtime/time"

/** A host that a worker has seen, and the mail servers it has, by name and address. */
export interface ServerSighting {
  readonly host: string
  readonly standing: Standing
  readonly servers: readonly string[]
}

export interface KeptLearnt {
  notice(sighting: ServerSighting): void
  all(): readonly LearntServer[]
  /** Returns whether that changed anything. */
  overrule(server: string, overruled: boolean): Promise<boolean>
  /** Writes what is not written yet. */
  close(): void
}

interface LearntOptions {
  /** Where the operator's lists are. */
  readonly directory: string
  readonly now: () => number
  /** Has every worker read the file again. */
  readonly notifyWorkers: () => Promise<unknown>
  readonly log: Log
}

/** Sightings that change no mark are written together. */
const WRITE_MS = 10_000

/**
 * In the primary: keeps what workers learn of mail servers, and notifies them when a server begins
 * or stops marking.
 */
export function keepLearnt({ directory, now, notifyWorkers, log }: LearntOptions): KeptLearnt {
  const learnt = readLearnt(directory)
  let unwritten = false

  const write = (): void => {
    if (!unwritten) return
    try {
      writeLearnt(directory, learnt)
      unwritten = false
    } catch (error) {
      log.warn("what was learnt of mail servers could not be written", { error })
    }
  }
  const spread = async (): Promise<void> => {
    write()
    await notifyWorkers().catch((error: unknown) =>
      log.warn("workers could not be told of mail servers", { error }),
    )
  }
  const writing = setInterval(write, WRITE_MS)
  const expiring = setInterval(() => {
    if (!learnt.expire(now())) return
    unwritten = true
    void spread()
  }, HOUR_MS)
  writing.unref()
  expiring.unref()

  return {
    notice({ host, standing, servers }) {
      let changed = false
      for (const server of servers) {
        unwritten = true
        if (learnt.notice(server, host, standing, now())) changed = true
      }
      if (changed) void spread()
    },
    all: () => learnt.all(now()),
    async overrule(server, overruled) {
      if (!learnt.overrule(server, overruled)) return false
      unwritten = true
      await spread()
      return true
    },
    close() {
      clearInterval(writing)
      clearInterval(expiring)
      write()
    },
  }
}
