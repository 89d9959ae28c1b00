import type { Drops } from "./store/drops.ts"
import { DAY_MS } from "@assay/runtime/time"
import type { Budgets } from "./budgets.ts"
import type { DropConfig } from "./drop-config.ts"
import type { DropDesk } from "./drop-desk.ts"
import type { FormTokens } from "./form-tokens.ts"
import { inEvenTime } from "./even-time.ts"
import { dropHeaders } from "./headers.ts"
import type { Keys } from "./keys-in-use.ts"

export interface DeskOptions {
  readonly config: DropConfig
  /** It shares a port with the API, which only a demo may. */
  readonly sharesPort: boolean
  readonly drops: Drops
  readonly dropId: Uint8Array
  readonly keys: Keys
  readonly budgets: Budgets
  readonly formTokens: FormTokens
  readonly now: () => number
  /** A message has come; nothing is told of it. */
  readonly onStored: () => void
}

/** Longer than a deletion takes: four replies are more pages to overwrite than none. */
const EVEN_MS = 250

/** The desk over the drop's own store. */
export function openDesk(options: DeskOptions): DropDesk {
  const { config, sharesPort, drops, keys, budgets, formTokens, now, onStored } = options
  const dropId = Buffer.from(options.dropId).toString("hex")
  const { question } = config
  return {
    async facts({ byOnion }) {
      const current = keys.current()
      return {
        name: config.name,
        retentionDays: config.retentionDays,
        dropId,
        suite: current?.recipients.suite ?? "x25519",
        keyCount: current?.recipients.keys.length ?? 0,
        fingerprint: current?.fingerprint ?? [],
        onion: byOnion ? null : config.onion,
        filesTaken: await budgets.filesTaken(),
        question: question?.text ?? null,
        sharesPort,
      }
    },
    headers: async (visit) => dropHeaders(config, visit),
    recipients: async () => keys.current()?.recipients ?? null,

    newFormToken: async () => formTokens.make(),
    formTokenState: async (token) => formTokens.state(token),
    spendFormToken: async (token) => formTokens.spend(token),
    isRightAnswer: async (answer) => question === null || plain(answer) === plain(question.answer),
    admit: (kind, bytes, address) => budgets.admitPlain(kind, bytes, address),

    storePiece: drops.appendPiece,
    async finish(upload) {
      await drops.finishUpload({
        ...upload,
        today: Math.floor(now() / DAY_MS),
        retentionDays: config.retentionDays,
      })
      onStored()
    },
    abandon: drops.abandonUpload,

    replies: drops.replies,
    deleteReplies: (...args) => inEvenTime(EVEN_MS, () => drops.deleteReplies(...args)),
    withdraw: (verifiers) => inEvenTime(EVEN_MS, () => drops.withdraw(verifiers)),
  }
}

/** Capitals and spaces do not count. */
function plain(answer: string): string {
  return answer.normalize("NFKC").toLowerCase().replace(/\s+/g, "")
}
