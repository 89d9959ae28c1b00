import { createKey, refuseUnprintable } from "./keys.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export interface OperatorTokenOptions {
  readonly name?: string
  readonly reseal?: boolean
  readonly expires?: string
}

/**
 * Prints a token by which a person fetches sealed messages and sends replies. It is a key of the
 * service that may do nothing else, and opens no message: that takes the person's identity file,
 * which never comes here. With `reseal` it may also seal stored messages to changed keys, and ends
 * within a day.
 */
export async function createOperatorToken(
  { name, reseal = false, expires = reseal ? "2h" : "30d" }: OperatorTokenOptions,
  terminal: Terminal,
): Promise<void> {
  if (name === undefined) throw new CommandError("Name the person who will use it with --name")
  refuseUnprintable("--name", name)
  const scopes = reseal ? "drop:read,drop:reseal" : "drop:read"
  await createKey({ service: true, scopes, expires, label: name }, terminal)
}
