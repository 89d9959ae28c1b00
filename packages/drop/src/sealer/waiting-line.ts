import type { Socket } from "node:net"
import { isWhole } from "../declared-length.ts"

/**
 * A connection whose request only a sealer may read, and the bytes read so far to recognise that.
 */
export interface PlainConnection {
  readonly socket: Socket
  /** Overwritten as soon as a sealer has it, or none will. */
  readonly head: Buffer
  /** Answers the sender that no sealer will read the request. `head` is overwritten by then. */
  readonly refused: () => void
}

/** Connections that wait for a sealer, unread. */
export interface WaitingLine {
  readonly length: number
  /** How many have waited for at least `ms`. */
  waitingSince(ms: number): number
  /**
   * False: too many wait, and the connection is still the caller's. One that has sent everything
   * then takes the place of the last that has not: connections that only hold the line do not keep
   * out who needs no time.
   */
  add(connection: PlainConnection): boolean
  /**
   * Alternates between a connection that has sent everything, if there is any, and the one that
   * waited longest. So connections that send nothing, however many they are, make a complete one
   * wait for two turns, and complete ones make them wait for two.
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
 * No connection waits longer than `waitMs`. The bytes read so far are plain text: they are
 * overwritten when the time is over, and when the sender hangs up, as far as that is visible. The
 * end of a connection shows only to a reader, so one that was closed silently is found by its
 * sealer, or by the time limit.
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
      const whole = isWhole(head)
      if (line.length >= most) {
        const last = whole ? line.findLast((waiting) => !waiting.whole) : undefined
        if (last === undefined) return false
        refuse(take(last))
      }
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
        whole,
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
