import { existsSync, writeFileSync } from "node:fs"
import { newIdentityFile } from "@assay/core/drop"
import { type Keyboard, readPassphrase } from "./drop/passphrase.ts"
import { CommandError, type Terminal } from "./print/terminal.ts"
import { typedCommand } from "@assay/runtime/typed-command"

export interface NewIdentityOptions {
  readonly passphraseFile?: string
  readonly unlocked?: boolean
  readonly pq?: boolean
}

/** Makes a recipient's secret key in a new file and prints the public one. */
export async function makeIdentity(
  file: string,
  options: NewIdentityOptions,
  terminal: Terminal,
  keyboard: Keyboard,
): Promise<void> {
  // Told before a passphrase is asked for; the exclusive flag below is what holds.
  if (existsSync(file)) throw exists()
  const passphrase = options.unlocked === true ? undefined : await chosen(options, keyboard)
  const made = await newIdentityFile(passphrase, options.pq === true ? "pq" : "x25519")
  try {
    writeFileSync(file, made.file, { mode: 0o600, flag: "wx", flush: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw exists()
    throw new CommandError("The identity file cannot be written", { cause: error })
  }
  terminal.note(
    "The file opens every message. Keep it on your own machine, with a copy that only you reach; nobody can make it again.",
  )
  terminal.note(`The public key, for ${typedCommand("drop keys add")} on the server:`)
  terminal.print(made.recipient)
}

async function chosen({ passphraseFile }: NewIdentityOptions, keyboard: Keyboard): Promise<string> {
  const first = await readPassphrase("Passphrase for the new file: ", passphraseFile, keyboard)
  if (passphraseFile !== undefined) return first
  const second = await readPassphrase("The same once more: ", undefined, keyboard)
  if (first !== second) throw new CommandError("The two are not the same; nothing was written")
  return first
}

function exists(): CommandError {
  return new CommandError("There is such a file already; an identity is never overwritten")
}
