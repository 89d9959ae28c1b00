import type { Socket } from "node:net"

const givenUp = new WeakSet<Socket>()

/** Notes that a connection was answered as a whole: no request on it needs an answer any more. */
export function giveUp(socket: Socket): void {
  givenUp.add(socket)
}

export function wasGivenUp(socket: Socket): boolean {
  return givenUp.has(socket)
}
