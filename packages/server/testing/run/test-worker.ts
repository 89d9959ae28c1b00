import { EventEmitter } from "node:events"

/**
 * A worker process under the test's control: it does what the test asks, dies when asked, and
 * becomes ready when allowed.
 */
export class TestWorker extends EventEmitter {
  readonly id: number
  alive = true
  readonly process = { kill: () => this.die() }
  constructor(id: number) {
    super()
    this.id = id
  }
  isConnected(): boolean {
    return this.alive
  }
  send(message: { rpc: string; id: number; method: string }): void {
    if (message.rpc === "call")
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
