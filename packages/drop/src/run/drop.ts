import { createHash } from "node:crypto"
import { chmodSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Log, LogLevel } from "@assay/runtime/log"
import { REWRITE_AFTER } from "../store/drops.ts"
import { loadBrowserFiles } from "../browser-files.ts"
import { diskRoom, kindOf, openBudgets } from "../budgets.ts"
import { type DigestNews, keepDigest } from "../digest.ts"
import { openDoor } from "./door.ts"
import { type DropConfig, sharesPort } from "../drop-config.ts"
import { DROP_SOCKET } from "../sockets.ts"
import { openFormTokens } from "../form-tokens.ts"
import { runMaintenance } from "../maintenance.ts"
import { openHttp } from "../http.ts"
import { openKeys } from "../keys-in-use.ts"
import { openListeners } from "../listeners.ts"
import { openMailboxAnswers } from "../mailbox-answers.ts"
import { openNetworkCounter } from "../network-counter.ts"
import { openPublicDrop } from "../public-drop.ts"
import { openStoreThread } from "../store-thread.ts"
import { serveRecipients } from "../recipient-server.ts"
import { RECIPIENTS_SOCKET } from "../sockets.ts"
import { laneSizes } from "../sealer/lane-sizes.ts"
import { openReadBuffer } from "../sealer/read-buffer.ts"
import type { NodeProgram } from "@assay/runtime/children"
import { openSealerPool } from "../sealer/sealer-pool.ts"
import { openSpent } from "../spent.ts"
import { keepStirring } from "../stirring.ts"
import { openTickets } from "../tickets.ts"

export interface DropOptions {
  readonly settings: DropSettings
  /** How this program was started, so that sealers are started alike. */
  readonly program: NodeProgram
  readonly log: Log
  /** Has the service make an event of the daily digest. */
  readonly tellDigest: (digest: DigestNews) => Promise<void>
  readonly now: () => number
}

export interface Drop {
  readonly port: number | null
  readonly addresses: readonly string[]
  /** Identifies its settings in the log. */
  readonly configHash: string
  /** Takes over changed keys; throws where they cannot be used. */
  reloadKeys(): Promise<void>
  close(): Promise<void>
}

/**
 * When the first sealers are started ahead: a start of the service has the processor for itself
 * until then.
 */
const SEALERS_AFTER_MS = 1000

/** Opens all of the drop; resolves when it can be reached. */
export async function openDrop(options: DropOptions): Promise<Drop> {
  const { settings, program, log, tellDigest, now } = options
  const { drop: config, folder, version } = settings
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  const files = loadBrowserFiles()
  const drops = await openStoreThread(folder)
  const [dropId, secret] = await Promise.all([drops.dropId(), drops.signingSecret()])
  const onFault = (error: unknown): void => log.error("drop fault", { error })

  const keys = await openKeys(folder, dropId)
  // A file that cannot be used is as good as none: no message is taken until it is mended.
  await keys.reload().catch(onFault)
  const maintenance = runMaintenance({ drops, rewriteAfter: REWRITE_AFTER, now, onFault })
  const stirring = keepStirring({ drops })
  const digest = keepDigest({ config, drops, version, tell: tellDigest, now, onFault })
  const budgets = openBudgets({ config, room: () => diskRoom(folder), now })
  const spent = openSpent({ now })
  const formTokens = openFormTokens({ secret, spent, now })
  const doublings = (sizeClass: number): number => budgets.doublings(kindOf(sizeClass))
  const tickets = openTickets({ secret, spent, doublings, now })
  const networks = openNetworkCounter(config.perNetworkPerHour, now)
  const drop = openPublicDrop({
    config,
    sharesPort: sharesPort(config),
    drops,
    dropId,
    keys,
    budgets,
    formTokens,
    now,
    onStored: () => void maintenance.lookNow(),
  })
  const mailboxes = openMailboxAnswers(keys)
  const http = openHttp({ drop, keys, files, mailboxes, networks, tickets, budgets, onFault })
  const sealers = openSealerPool({
    sizes: laneSizes(config),
    drop,
    program,
    pageFiles: Object.fromEntries(
      files.all().map(({ name, path, integrity }) => [name, { path, integrity }]),
    ),
    aheadAfterMs: SEALERS_AFTER_MS,
    onFault: (code) => log.error("drop fault", { code }),
  })
  const readBuffer = openReadBuffer()
  const listeners = await openListeners({
    socketPath: join(folder, DROP_SOCKET),
    port: config.port,
    host: settings.host,
    onConnection: openDoor({
      http: http.server,
      sealers,
      networks,
      readBuffer,
      answerUnread: http.answerUnread,
    }),
  })
  const recipients = await serveRecipients(join(folder, RECIPIENTS_SOCKET), {
    drops,
    dropId,
    folder,
    keys,
    retentionDays: config.retentionDays,
    now,
    onFault,
  })
  void maintenance.lookNow()
  void digest.lookNow()
  return {
    port: listeners.port,
    addresses: listeners.addresses,
    configHash: hashOf(settings),
    reloadKeys: keys.reload,
    async close() {
      const withinMs = settings.stopSeconds * 1000
      await Promise.all([listeners.close(withinMs), sealers.close(withinMs)])
      readBuffer.close()
      await recipients.close()
      await Promise.all([maintenance.stop(), digest.stop()])
      await stirring.stop()
      await drops.close()
    },
  }
}

/**
 * Covers only the public part of the settings: a hash over a short answer would reveal the answer.
 */
function hashOf({ drop: { question, digest, ...open } }: DropSettings): string {
  const shown = { ...open, question: question?.text, digestHour: digest.hour }
  return createHash("sha256").update(JSON.stringify(shown)).digest("hex").slice(0, 16)
}

/** All that the process of the drop knows of the service: it reads no settings itself. */
export interface DropSettings {
  readonly drop: DropConfig
  /** null: 127.0.0.1 and ::1. */
  readonly host: string | null
  /** The drop's own, in the data directory. */
  readonly folder: string
  readonly stopSeconds: number
  readonly logLevel: LogLevel
  /** Of the program, as its digest names it. */
  readonly version: string
}
