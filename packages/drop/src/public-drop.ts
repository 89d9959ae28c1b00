import type { Recipients } from "@assay/core/drop"
import { portOf } from "@assay/runtime/rpc"
import { DAY_MS } from "@assay/runtime/time"
import type { Budgets, MessageKind, Refusal } from "./budgets.ts"
import type { DropConfig } from "./drop-config.ts"
import { inEvenTime } from "./even-time.ts"
import type { FormTokenOutcome, FormTokens, FormTokenState } from "./form-tokens.ts"
import { dropHeaders } from "./headers.ts"
import type { Keys } from "./keys-in-use.ts"
import type { DropFacts } from "./pages/page-input.ts"
import type { Drops, RandomId } from "./store/drops.ts"

/**
 * All that the public side of the drop can do: the routes for scripts call it, and sealers do over
 * their channel. It never sees a message, a file name or a code.
 */
export interface PublicDrop {
  /** What pages print. No message can be taken while `keyCount` is 0. */
  facts(visit: { readonly byOnion: boolean }): Promise<DropFacts>
  /** The headers of every answer. */
  headers(visit: { readonly byOnion: boolean }): Promise<Readonly<Record<string, string>>>
  /** The keys messages are sealed to; null while there are none. */
  recipients(): Promise<Recipients | null>

  newFormToken(): Promise<string>
  /** Spends nothing: a form that comes back with a fault keeps its token. */
  formTokenState(token: string): Promise<FormTokenState>
  /** `ok` once per token. */
  spendFormToken(token: string): Promise<FormTokenOutcome>
  /** True if there is no question. */
  isRightAnswer(answer: string): Promise<boolean>
  /**
   * Counts a message of `bytes` sealed bytes that was sent without JavaScript from this address, or
   * returns why it is refused. The address is used for its network's share and kept nowhere.
   */
  admit(kind: MessageKind, bytes: number, address: string | undefined): Promise<Refusal | null>

  storePiece(id: RandomId, index: number, piece: Uint8Array): Promise<void>
  /**
   * Resolves when the message is on the disk. `withdrawVerifier`: a random one where there is no
   * token.
   */
  finish(upload: {
    readonly id: RandomId
    readonly size: number
    readonly withdrawVerifier: Uint8Array
    /** 0 for everybody who did no work on purpose. */
    readonly effort: number
  }): Promise<void>
  abandon(id: RandomId): Promise<void>

  /** The sealed replies that wait, at most four. */
  replies(tag: Uint8Array): Promise<Uint8Array[]>
  deleteReplies(tag: Uint8Array, deleteVerifier: Uint8Array): Promise<void>
  withdraw(verifiers: readonly Uint8Array[]): Promise<void>
}

/** The drop as a sealer calls it over its channel. */
export const publicDropPort = portOf<PublicDrop>("drop", {
  facts: true,
  headers: true,
  recipients: true,
  newFormToken: true,
  formTokenState: true,
  spendFormToken: true,
  isRightAnswer: true,
  admit: true,
  storePiece: true,
  finish: true,
  abandon: true,
  replies: true,
  deleteReplies: true,
  withdraw: true,
})

export interface PublicDropOptions {
  readonly config: DropConfig
  /** It shares a port with the API, which only a demo may. */
  readonly sharesPort: boolean
  readonly drops: Drops
  readonly dropId: Uint8Array
  readonly keys: Keys
  readonly budgets: Budgets
  readonly formTokens: FormTokens
  readonly now: () => number
  /** Called when a message is on the disk, without any of its content. */
  readonly onStored: () => void
}

/** Longer than a deletion takes: four replies are more pages to overwrite than none. */
const EVEN_MS = 250

/** The drop over its own store. */
export function openPublicDrop(options: PublicDropOptions): PublicDrop {
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
