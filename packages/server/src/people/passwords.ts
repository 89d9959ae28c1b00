import { argon2, randomBytes, timingSafeEqual } from "node:crypto"
import { promisify } from "node:util"
import { PASSWORD_LENGTH_MIN } from "@assay/core/contract"
import { Problem } from "../base/problem.ts"
import { COMMON_PASSWORDS } from "./common-passwords.ts"

/** Hashes passwords and compares them. Both take some 20 MB and a tenth of a second. */
export interface Passwords {
  hash(password: string): Promise<Uint8Array>
  /** Takes as long where there is no hash to compare with: the time tells nothing. */
  matches(password: string, hash: Uint8Array | null, asked: Asked): Promise<boolean>
}

export interface Asked {
  /** By a browser that signed in before. */
  readonly known: boolean
  /**
   * Done when it is this one's turn: as dear to whoever does it as there are turns, however many
   * wait. What it throws ends this.
   */
  readonly first?: () => Promise<void>
}

/** OWASP's password storage cheat sheet, 2025: 19 MiB and two passes, in one lane. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1 } as const
const TAG_BYTES = 32
const NONCE_BYTES = 16

interface Parameters {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

const derive = promisify(argon2)

export function openPasswords(): Passwords {
  // Browsers that signed in before have a turn of their own, which guesses cannot take from them.
  const guests = openSlots({ atOnce: 2, waiting: 64 })
  const known = openSlots({ atOnce: 1, waiting: 32 })
  const work = async (password: string, nonce: Uint8Array, of: Parameters): Promise<Buffer> =>
    await derive("argon2id", {
      message: Buffer.from(password.normalize("NFKC")),
      nonce,
      tagLength: TAG_BYTES,
      ...of,
    })
  const nobody = randomBytes(NONCE_BYTES)
  return {
    hash: (password) =>
      guests(async () => {
        const nonce = randomBytes(NONCE_BYTES)
        return Buffer.from(textOf(PARAMETERS, nonce, await work(password, nonce, PARAMETERS)))
      }),
    matches: (password, hash, asked) =>
      (asked.known ? known : guests)(async () => {
        await asked.first?.()
        const read = hash === null ? null : readHash(Buffer.from(hash).toString("utf8"))
        if (read === null) {
          await work(password, nobody, PARAMETERS)
          return false
        }
        const found = await work(password, read.nonce, read.parameters)
        return timingSafeEqual(found, read.tag)
      }),
  }
}

/** The usual text of such a hash, with its parameters: others may be used one day. */
function textOf({ memory, passes, parallelism }: Parameters, nonce: Buffer, tag: Buffer): string {
  const base64 = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "")
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(nonce)}$${base64(tag)}`
}

const SHAPE = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

function readHash(text: string): { parameters: Parameters; nonce: Buffer; tag: Buffer } | null {
  const [, memory, passes, parallelism, nonce = "", tag = ""] = SHAPE.exec(text) ?? []
  if (tag === "") return null
  return {
    parameters: {
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
    },
    nonce: Buffer.from(nonce, "base64"),
    tag: Buffer.from(tag, "base64"),
  }
}

/** Throws for a password that is guessed soon: one that many use, or the person's own address. */
export function refuseWeak(password: string, { email }: { readonly email: string }): void {
  const said = (detail: string): Problem => new Problem("password-weak", detail)
  if (password.length < PASSWORD_LENGTH_MIN)
    throw said(`It takes at least ${PASSWORD_LENGTH_MIN} characters.`)
  const folded = fold(password)
  if (new Set(folded).size < 5) throw said("It has too few different characters.")
  const [local = ""] = email.split("@")
  if (folded === fold(email) || (local.length > 3 && folded.replaceAll(fold(local), "").length < 6))
    throw said("It is made of the address.")
  const words = folded.replaceAll(/[\s-]/g, "")
  if (isRun(folded) || COMMON_PASSWORDS.has(words) || COMMON_PASSWORDS.has(withoutEnds(words)))
    throw said("Many people use it.")
}

const fold = (text: string): string => text.normalize("NFKC").toLowerCase()

/** Without digits and signs at both ends, by which common words are made to look longer. */
function withoutEnds(text: string): string {
  return text.replace(/^[\d\W_]+|[\d\W_]+$/g, "")
}

const ROWS = ["abcdefghijklmnopqrstuvwxyz", "qwertyuiopasdfghjklzxcvbnm", "1234567890"] as const

/** Whether it goes along the alphabet, the digits or the keyboard, or repeats a short piece. */
function isRun(text: string): boolean {
  for (let length = 1; length <= text.length / 2; length++)
    if (text.startsWith(text.slice(0, length).repeat(Math.floor(text.length / length))))
      if (length < 7) return true
  return ROWS.some((row) => {
    const twice = row + row
    const backwards = twice.split("").toReversed().join("")
    return twice.includes(text) || backwards.includes(text)
  })
}

/** So many at once; so many more wait; the rest is turned away. */
function openSlots(of: {
  atOnce: number
  waiting: number
}): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const queue: (() => void)[] = []
  return async (work) => {
    if (running >= of.atOnce) {
      if (queue.length >= of.waiting)
        throw new Problem("overloaded", "Too many sign in at once.", {
          headers: { "retry-after": "5" },
        })
      await new Promise<void>((resolve) => queue.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next === undefined) running--
      else next()
    }
  }
}
