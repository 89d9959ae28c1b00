// A drop over a real store with one key, and what a recipient finds in it, for tests of sealers.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  newIdentityFile,
  open,
  type OpenedMessage,
  readIdentities,
  unpackMessage,
  WORD_LANGUAGES,
} from "@assay/core/drop"
import { testDropConfig } from "../test-config.ts"
import { openBudgets } from "../../src/budgets.ts"
import { openPublicDrop, type PublicDrop } from "../../src/public-drop.ts"
import { writeKeysFile } from "../../src/keys-file.ts"
import { formToken, openFormTokens } from "../../src/form-tokens.ts"
import { openKeys } from "../../src/keys-in-use.ts"
import { openStoreThread } from "../../src/store-thread.ts"
import type { PageFile } from "../../src/pages/page-input.ts"
import { openSpent } from "../../src/spent.ts"

export interface TestDrop extends AsyncDisposable {
  readonly drop: PublicDrop
  /** A form token as old as it must be; the real ones are too young for a test to wait for. */
  token(ageMs?: number): string
  /** Every message that is stored, opened. */
  messages(): Promise<OpenedMessage[]>
}

/** `env`: settings of the drop. */
export async function openTestDrop(env: Readonly<Record<string, string>> = {}): Promise<TestDrop> {
  const folder = await mkdtemp(join(tmpdir(), "assay-test-drop-"))
  const drops = await openStoreThread(folder)
  const [dropId, secret] = await Promise.all([drops.dropId(), drops.signingSecret()])
  const { file, recipient } = await newIdentityFile(undefined, "x25519")
  const identities = await readIdentities(file)
  const recipients = { suite: "x25519", keys: [recipient] } as const
  writeKeysFile(folder, recipients)
  const keys = await openKeys(folder, dropId)
  await keys.reload()
  const config = testDropConfig(env)
  const now = Date.now
  const drop = openPublicDrop({
    config,
    sharesPort: false,
    drops,
    dropId,
    keys,
    budgets: openBudgets({ config, room: async () => ({ freeBytes: 1e12, freeShare: 1 }), now }),
    formTokens: openFormTokens({ secret, spent: openSpent({ now }), now }),
    now,
    onStored: () => undefined,
  })
  return {
    drop,
    token: (ageMs = 60_000) => formToken(secret, now() - ageMs),
    async messages() {
      const found: OpenedMessage[] = []
      for (const { id } of await drops.messages()) {
        const pieces: Uint8Array[] = []
        for (let at = 0, piece = null; (piece = await drops.piece(id, at)) !== null; at += 1)
          pieces.push(piece)
        found.push(unpackMessage(await open(Buffer.concat(pieces), identities)))
      }
      return found
    },
    async [Symbol.asyncDispose]() {
      await drops.close()
      await rm(folder, { recursive: true })
    },
  }
}

const file: PageFile = { path: "/drop/files/x", integrity: "sha384-x" }
/** Takes the place of the build's files. */
export const TEST_PAGE_FILES: Readonly<Record<string, PageFile>> = Object.fromEntries(
  ["style", "worker", ...WORD_LANGUAGES.flatMap((name) => [`sender-${name}`, `words-${name}`])].map(
    (name) => [name, file],
  ),
)
