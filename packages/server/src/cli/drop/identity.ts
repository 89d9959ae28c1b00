import { readFileSync } from "node:fs"
import { IdentityFault, isLocked, readIdentities } from "@assay/core/drop"
import { CommandError } from "../print/terminal.ts"
import { type Keyboard, readPassphrase } from "./passphrase.ts"

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
