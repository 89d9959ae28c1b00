import { readFileSync } from "node:fs"
import {
  fingerprint,
  readRecipients,
  type Recipients,
  RecipientsFault,
  recipientsOf,
} from "@assay/core/drop"
import { loadWords } from "@assay/core/drop/words"
import { readConfig } from "../base/config.ts"
import { openDataDirectory } from "@assay/runtime/data-directory"
import { readKeysFile, writeKeysFile } from "@assay/drop/keys-file"
import { callRunningServer } from "@assay/runtime/control-socket"
import { noteAct } from "./records-access.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"
import { typedCommand } from "@assay/runtime/typed-command"

/**
 * Keys are long; this prefix distinguishes one from fifteen others, and may be typed in its place.
 */
const SHORT = 16

/**
 * From now on messages are sealed to these keys too. Takes keys, or files with public keys as
 * `age-keygen -y` writes them.
 */
export async function addDropKeys(given: readonly string[], terminal: Terminal): Promise<void> {
  const before = keysNow(dropFolder(terminal))
  await change(terminal, (keys) => [...keys, ...given.flatMap(keysIn)])
  if (before !== null) terminal.note(SEALED_BEFORE)
}

export async function listDropKeys(terminal: Terminal): Promise<void> {
  const recipients = keysNow(dropFolder(terminal))
  if (recipients === null)
    throw new CommandError(
      `The drop has no key and takes no message; ${typedCommand("drop keys add")} gives it one`,
    )
  table(
    ["KEY", "SUITE"],
    recipients.keys.map((key) => [key, recipients.suite]),
  ).forEach(terminal.print)
  terminal.print("")
  terminal.print(`Fingerprint: ${await fingerprintOf(recipients)}`)
}

/**
 * Adds the new key; the old one stays until messages are sealed anew and this is called again with
 * `remove`.
 */
export async function rotateDropKey(
  old: string,
  successor: string,
  options: { readonly remove?: boolean },
  terminal: Terminal,
): Promise<void> {
  const [next, ...more] = keysIn(successor)
  if (next === undefined || more.length > 0)
    throw new CommandError("A key is replaced by one key, and this names several")
  await change(terminal, (keys) => {
    const found = keyNamed(old, keys)
    if (found === next) throw new CommandError("The old key and the new one are the same")
    if (options.remove !== true) return keys.includes(next) ? keys : [...keys, next]
    if (!keys.includes(next))
      throw new CommandError("The new key is not in use yet; rotate without --remove first")
    return keys.filter((key) => key !== found)
  })
  if (options.remove === true) terminal.note(STILL_OPENS)
  else
    terminal.note(
      `Messages are sealed to both keys from now on. Those that are there are not: run ${typedCommand("drop reseal")} as a recipient who has the old key, then rotate again with --remove.`,
    )
}

export async function removeDropKey(
  given: string,
  options: { readonly yes?: boolean },
  terminal: Terminal,
): Promise<void> {
  const folder = dropFolder(terminal)
  const keys = keysNow(folder)?.keys ?? []
  const found = keyNamed(given, keys)
  if (keys.length === 1) {
    if (options.yes !== true)
      throw new CommandError(
        "This is the last key: without it the drop takes no message and nobody can open new ones; --yes removes it",
      )
    await noteAct(terminal, "drop.keys-set", "drop", { keys: [] })
    writeKeysFile(folder, null)
    await notifyServer(terminal)
    terminal.print("The drop has no key and takes no message.")
    return
  }
  await change(terminal, (all) => all.filter((key) => key !== found))
  terminal.note(STILL_OPENS)
}

const SEALED_BEFORE = `Messages that are there already are not sealed to a new key; ${typedCommand("drop reseal")} does that, run by a recipient who can open them.`
const STILL_OPENS =
  "Messages sealed before can still be opened with the old key until they are sealed anew or deleted; if it was stolen, so can whoever has copies of them."

/** Replaces the keys, notifies the running service and prints the keys in force. */
async function change(
  terminal: Terminal,
  next: (keys: readonly string[]) => readonly string[],
): Promise<void> {
  const folder = dropFolder(terminal)
  const recipients = explained(() => recipientsOf(next(keysNow(folder)?.keys ?? [])))
  const named = recipients.keys.map((key) => key.slice(0, SHORT))
  await noteAct(terminal, "drop.keys-set", "drop", { keys: named })
  writeKeysFile(folder, recipients)
  await notifyServer(terminal)
  const { length } = recipients.keys
  terminal.print(
    `Messages are sealed to ${length} ${length === 1 ? "key" : "keys"}. Fingerprint: ${await fingerprintOf(recipients)}`,
  )
  terminal.note(
    "Senders can compare these words with the page of the drop; publish them elsewhere.",
  )
}

/** Without a service that runs, the file is read when one starts. */
async function notifyServer(terminal: Terminal): Promise<void> {
  const { controlSocket } = openDataDirectory(readConfig(terminal.env).dataDirectory)
  const server = await callRunningServer(controlSocket)
  if (server === null) return
  try {
    await server.call("reloadDropKeys")
  } catch (error) {
    throw new CommandError(
      "The keys are written, but the running service did not take them; restart it before you rely on them",
      { cause: error },
    )
  } finally {
    server.close()
  }
}

function dropFolder(terminal: Terminal): string {
  return openDataDirectory(readConfig(terminal.env).dataDirectory).drop
}

function keysNow(folder: string): Recipients | null {
  return explained(() => readKeysFile(folder))
}

/** One key, or those of a file. A file of secret keys is refused as such. */
function keysIn(given: string): readonly string[] {
  if (/^age(1|-secret-key-)/i.test(given)) return [given]
  let text: string
  try {
    text = readFileSync(given, "utf8")
  } catch (error) {
    throw new CommandError(
      "This is neither a key, which begins with age1, nor a file that can be read",
      { cause: error },
    )
  }
  return explained(() => readRecipients(text)).recipients.keys
}

function keyNamed(given: string, keys: readonly string[]): string {
  const found = keys.filter(
    (key) => key === given || (given.length >= SHORT && key.startsWith(given)),
  )
  const [key, ...others] = found
  if (key === undefined) throw new CommandError("No key of the drop begins like this")
  if (others.length > 0) throw new CommandError("Several keys of the drop begin like this")
  return key
}

async function fingerprintOf({ keys }: Recipients): Promise<string> {
  return fingerprint(keys, await loadWords("en")).join(" ")
}

function explained<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof RecipientsFault) throw new CommandError(error.message, { cause: error })
    throw error
  }
}
