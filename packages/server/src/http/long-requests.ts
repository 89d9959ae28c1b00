import type { Duplex } from "node:stream"

const carrying = new WeakSet<Duplex>()

/**
 * Exempts a connection from the time a whole request may take, until the returned function is
 * called: a stream that keeps moving may take hours. The caller watches the connection itself.
 */
export function allowLongRequest(connection: Duplex): () => void {
  carrying.add(connection)
  return () => void carrying.delete(connection)
}

export function carriesLongRequest(connection: Duplex): boolean {
  return carrying.has(connection)
}
