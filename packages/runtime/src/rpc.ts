/** Something that carries messages both ways: a thread's port, a cluster's pipe, a Unix socket. */
export interface Channel {
  send(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
  onClose(listener: () => void): void
}

/** What one side may call on the other. Arguments and results must survive a structured clone. */
export type Methods = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>

/**
 * An interface of async methods that is called over a channel. `methods` names all of them: other
 * methods of the implementation are out of reach. `name` keeps the ports of one channel apart.
 */
export interface Port<P> {
  readonly name: string
  readonly methods: readonly string[]
  /** For the compiler alone; never set. */
  readonly of?: P
}

export function portOf<P>(name: string, methods: Readonly<Record<keyof P, true>>): Port<P> {
  return { name, methods: Object.keys(methods) }
}

interface CallMessage {
  readonly rpc: "call"
  readonly id: number
  readonly method: string
  readonly args: unknown[]
}
interface Reply {
  readonly rpc: "reply"
  readonly id: number
  readonly result?: unknown
  readonly failure?: { readonly code: string; readonly message: string }
}

/** A failure on the other side, with the code it had there. */
export class RemoteError extends Error {
  override readonly name = "RemoteError"
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Answers calls that arrive on the channel; only methods named in `methods` can be reached. */
export function serve(channel: Channel, methods: Methods): void {
  channel.onMessage((message) => {
    if (!isMessage(message, "call")) return
    const { id, method, args } = message as CallMessage
    void run(methods, method, args).then(
      (result) => channel.send({ rpc: "reply", id, result } satisfies Reply),
      (error: unknown) =>
        channel.send({ rpc: "reply", id, failure: describe(error) } satisfies Reply),
    )
  })
}

/**
 * The methods of a port, to be served. Calls wait for an implementation that is still being opened,
 * and fail as its opening does.
 */
export function offer<P>(port: Port<P>, implementation: P | Promise<P>): Methods {
  // Callers get the failure. Until there is one, it must not end the process as unhandled.
  if (implementation instanceof Promise) implementation.catch(() => undefined)
  const method =
    (name: string) =>
    async (...args: unknown[]) => {
      const opened = (await implementation) as Record<string, (...args: unknown[]) => unknown>
      return await opened[name]?.(...args)
    }
  return Object.fromEntries(port.methods.map((name) => [`${port.name}.${name}`, method(name)]))
}

/**
 * A port that the other side serves. A method fails with what `faultOf` makes of the failure over
 * there.
 */
export function remote<P>(
  port: Port<P>,
  call: Call,
  faultOf: (error: RemoteError) => Error = (error) => error,
): P {
  const method =
    (name: string) =>
    async (...args: unknown[]) => {
      try {
        return await call(`${port.name}.${name}`, ...args)
      } catch (error) {
        throw error instanceof RemoteError ? faultOf(error) : error
      }
    }
  return Object.fromEntries(port.methods.map((name) => [name, method(name)])) as P
}

export type Call = (method: string, ...args: unknown[]) => Promise<unknown>

/**
 * Calls methods of the other side; the result takes the time limit of a call. A call fails when the
 * channel closes or its time is over, and never hangs; null: only when the channel closes. One per
 * channel: replies are matched by number.
 */
export function openCalls(channel: Channel): (timeoutMs: number | null) => Call {
  const waiting = new Map<number, (reply: Reply) => void>()
  let closed = false
  let lastId = 0
  channel.onMessage((message) => {
    if (!isMessage(message, "reply")) return
    waiting.get((message as Reply).id)?.(message as Reply)
  })
  channel.onClose(() => {
    closed = true
    for (const [id, settle] of waiting) settle({ rpc: "reply", id, failure: gone })
  })
  const call = (timeoutMs: number | null, method: string, args: unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = ++lastId
      const settle = ({ result, failure }: Reply): void => {
        clearTimeout(timer)
        waiting.delete(id)
        if (failure === undefined) resolve(result)
        else reject(new RemoteError(failure.code, failure.message))
      }
      const timer =
        timeoutMs === null
          ? undefined
          : setTimeout(() => settle({ rpc: "reply", id, failure: late }), timeoutMs)
      waiting.set(id, settle)
      if (closed) settle({ rpc: "reply", id, failure: gone })
      else channel.send({ rpc: "call", id, method, args } satisfies CallMessage)
    })
  return (timeoutMs) =>
    (method, ...args) =>
      call(timeoutMs, method, args)
}

const gone = { code: "unavailable", message: "The other side is gone" }
const late = { code: "unavailable", message: "The other side did not answer in time" }

async function run(methods: Methods, method: string, args: unknown[]): Promise<unknown> {
  const found = Object.hasOwn(methods, method) ? methods[method] : undefined
  if (found === undefined) throw new RemoteError("unknown-method", "There is no such method")
  return await found(...(args as never[]))
}

function describe(error: unknown): { code: string; message: string } {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return {
    code: typeof code === "string" ? code : "internal",
    message: typeof message === "string" ? message : "failed",
  }
}

function isMessage(message: unknown, rpc: "call" | "reply"): boolean {
  return typeof message === "object" && message !== null && "rpc" in message && message.rpc === rpc
}
