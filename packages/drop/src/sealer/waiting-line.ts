import type { Socket } from "node:net"
import { isWhole } from "../declared-length.ts"

/** A connection whose request only a sealer may read, and what was read of it to know that. */
export interface PlainConnection {
  readonly socket: Socket
  /** Overwritten as soon as a sealer has it, or nobody will. */
  readonly head: Buffer
  /** Nobody will read it, and `head` is overwritten: says so to the sender. */
  readonly refused: () => void
}

/** Connections that wait for a sealer, unread. */
export interface WaitingLine {
  readonly length: number
  /** How many have waited for at least so long. */
  waitingSince(ms: number): number
  /** False: too many wait, and the connection is still the caller's. */
  add(connection: PlainConnection): boolean
  /**
   * By turns one that has sent all it has to, if there is any, and the one that waited longest: who
   * sends nothing keeps the others waiting for two turns, however many they are, and is kept
   * waiting for two by them.
   */
  next(): PlainConnection | undefined
  /** Refuses all that wait. */
  refuseAll(): void
}

interface Waiting {
  readonly connection: PlainConnection
  readonly sinceMs: number
  readonly whole: boolean
  readonly leave: () => void
}

/**
 * Nobody waits longer than `waitMs`. What was read of them is plain text: it is overwritten when
 * their time is over, and when they hang up as far as that can be seen. The end of a connection is
 * seen only by whoever reads it, so one that was closed in silence is found by its sealer, or by
 * the time.
 */
export function openLine({
  most,
  waitMs,
  now,
}: {
  readonly most: number
  readonly waitMs: number
  readonly now: () => number
}): WaitingLine {
  const line: Waiting[] = []
  let wholeFirst = true
  const refuse = ({ head, refused }: PlainConnection): void => {
    head.fill(0)
    refused()
  }
  const take = (waiting: Waiting): PlainConnection => {
    line.splice(line.indexOf(waiting), 1)
    waiting.leave()
    return waiting.connection
  }
  return {
    get length() {
      return line.length
    },
    waitingSince: (ms) => line.filter(({ sinceMs }) => now() - sinceMs >= ms).length,
    add(connection) {
      const { socket, head } = connection
      if (line.length >= most) return false
      if (socket.destroyed) {
        head.fill(0)
        return true
      }
      const late = setTimeout(() => refuse(take(waiting)), waitMs)
      const gone = (): void => void take(waiting).head.fill(0)
      socket.once("close", gone)
      const waiting: Waiting = {
        connection,
        sinceMs: now(),
        whole: isWhole(head),
        leave() {
          clearTimeout(late)
          socket.off("close", gone)
        },
      }
      line.push(waiting)
      return true
    },
    next() {
      const [longest] = line
      if (longest === undefined) return undefined
      const whole = wholeFirst ? line.find((waiting) => waiting.whole) : undefined
      wholeFirst = !wholeFirst
      return take(whole ?? longest)
    },
    refuseAll() {
      for (const waiting of [...line]) refuse(take(waiting))
    },
  }
}
