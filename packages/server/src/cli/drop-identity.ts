import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { IdentityFault, isLocked, newIdentityFile, readIdentities } from "@assay/core/drop"
import { type Keyboard, readPassphrase } from "./passphrase.ts"
import { CommandError, type Terminal } from "./terminal.ts"
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
  // Fail before asking for a passphrase. The exclusive flag below is what actually protects the
  // file.
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

/** Where a recipient's secret key is. It is read here and goes nowhere else. */
export interface IdentityOptions {
  readonly identity: string
  readonly passphraseFile?: string
}

export async function identitiesOf(
  { identity, passphraseFile }: IdentityOptions,
  keyboard: Keyboard,
): Promise<string[]> {
  let file: Buffer
  try {
    file = readFileSync(identity)
  } catch (error) {
    throw new CommandError("--identity names a file that cannot be read", { cause: error })
  }
  try {
    if (!isLocked(file)) return await readIdentities(file)
    const passphrase = await readPassphrase(
      "Passphrase of the identity file: ",
      passphraseFile,
      keyboard,
    )
    return await readIdentities(file, passphrase)
  } catch (error) {
    if (error instanceof IdentityFault) throw new CommandError(error.message, { cause: error })
    throw error
  } finally {
    file.fill(0)
  }
}
