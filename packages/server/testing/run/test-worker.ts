import { EventEmitter } from "node:events"
import { BEGIN } from "../../src/run/ports.ts"

/**
 * A worker process under the test's control: it does what the test asks, dies when asked, and
 * becomes ready when allowed.
 */
export class TestWorker extends EventEmitter {
  readonly id: number
  alive = true
  readonly process = { kill: () => this.die() }
  readonly #held: boolean
  /** `held`: it becomes ready when the test says so, and otherwise when it may begin. */
  constructor(id: number, held = false) {
    super()
    this.id = id
    this.#held = held
  }
  isConnected(): boolean {
    return this.alive
  }
  send(message: { rpc: string; id: number; method: string } | typeof BEGIN): void {
    if (message === BEGIN) {
      if (!this.#held) setImmediate(() => this.ready())
    } else if (message.rpc === "call")
      setImmediate(() => this.emit("message", { rpc: "reply", id: message.id, result: null }))
  }
  ready(): void {
    const args = [{ port: 1, addresses: [] }]
    this.emit("message", { rpc: "call", id: 1, method: "ready", args })
  }
  disconnect(): void {
    setImmediate(() => this.die())
  }
  die(): void {
    if (!this.alive) return
    this.alive = false
    this.emit("disconnect")
    this.emit("exit", 1, null)
  }
}
