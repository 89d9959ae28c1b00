import { createKey, refuseUnprintable } from "./keys.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export interface OperatorTokenOptions {
  readonly name?: string
  readonly expires: string
}

/**
 * Prints a token by which a person fetches sealed messages and sends replies. It is a key of the service that may do
 * nothing else, and opens no message: that takes the person's identity file, which never comes here.
 */
export async function createOperatorToken(
  { name, expires }: OperatorTokenOptions,
  terminal: Terminal,
): Promise<void> {
  if (name === undefined) throw new CommandError("Name the person who will use it with --name")
  refuseUnprintable("--name", name)
  await createKey({ service: true, scopes: "drop:read", expires, label: name }, terminal)
}
