import { isPlainLoopback, readBaseUrl } from "@assay/runtime/outbound/base-url"

/** The anonymous drop. */
export interface DropConfig {
  readonly on: boolean
  /** The operator wants the drop; in production it is on only with its own port or origin. */
  readonly wanted: boolean
  /** null: it has no port and is reached by its socket, or in a demo through the API's port. */
  readonly port: number | null
  /** Where senders reach it, without a slash at its end; null: wherever it listens. */
  readonly origin: string | null
  /** Its onion address, without a slash at its end; null: none. */
  readonly onion: string | null
  /** The drop's name on its pages. */
  readonly name: string
  readonly retentionDays: number
  readonly sealers: number
  readonly sealerMemoryMb: number
  /**
   * Messages with and without files that are taken in an hour, without JavaScript; with it, proof
   * of work grows instead.
   */
  readonly textPerHour: number
  readonly filesPerHour: number
  readonly bytesPerDay: number
  /** Requests of one network in an hour, counted in memory only; 0: they are not counted. */
  readonly perNetworkPerHour: number
  /**
   * The question to senders without JavaScript, and the accepted answer; null: there is no
   * question.
   */
  readonly question: { readonly text: string; readonly answer: string } | null
  readonly digest: {
    /** Hour of the day, UTC. */
    readonly hour: number
    readonly url: string | null
    readonly command: string | null
  }
}

/** Whether the drop is reached through the port of the API, which only a demo may. */
export function sharesPort({ on, port, origin }: DropConfig): boolean {
  return on && port === null && origin === null
}

/**
 * The address of the drop for a visitor who reached the API by this name; null if none is known.
 */
export function dropPageOf(drop: DropConfig): (hostname: string) => string | null {
  const { on, port, origin } = drop
  return (hostname) => {
    if (!on) return null
    if (origin !== null) return `${origin}/drop`
    if (port === null) return "/drop"
    return port === 0 ? null : `http://${hostname}:${port}/drop`
  }
}

/** The settings of the drop, for the table of all settings. */
export const dropSettings = [
  {
    name: "DROP",
    takes: "on or off",
    fallback: "on",
    meaning:
      "The anonymous drop. In production it is served only with DROP_PORT or DROP_ORIGIN; in a demo without either it shares the port of the API.",
  },
  {
    name: "DROP_PORT",
    takes: "a port, 0 for any free one",
    fallback: "",
    meaning: "Port of the drop, on the address of HOST. No other page is served there.",
  },
  {
    name: "DROP_ORIGIN",
    takes: "an https:// origin, or an http:// origin of this machine or an onion service",
    fallback: "",
    meaning:
      "Where senders reach the drop. Without DROP_PORT a reverse proxy passes this host on to the socket `drop/drop.sock` of the data directory.",
  },
  {
    name: "DROP_ONION",
    takes: "an http:// origin that ends in .onion",
    fallback: "",
    meaning: "Onion address of the drop, offered to visitors of the other one.",
  },
  {
    name: "DROP_NAME",
    takes: "1 to 60 printable characters",
    fallback: "",
    meaning: "Who receives what is sent, as the pages of the drop name them.",
  },
  {
    name: "DROP_RETENTION_DAYS",
    takes: "an integer from 7 to 90",
    fallback: "30",
    meaning: "Days a message or a reply is kept; a random 0 to 7 days are added to each.",
  },
  {
    name: "DROP_SEALERS",
    takes: "an integer from 1 to 16",
    fallback: "2",
    meaning:
      "Processes that wait to seal short messages of senders without JavaScript, one message each. One more waits for uploads and one for codes.",
  },
  {
    name: "DROP_SEALER_MEMORY_MB",
    takes: "an integer from 1320 to 100000",
    fallback: "2600",
    meaning:
      "Memory that all of them together may take while many send at once: 1080 MB for up to eight with short messages and four with codes, and 240 MB for each upload, one at least.",
  },
  {
    name: "DROP_TEXT_PER_HOUR",
    takes: "an integer from 1 to 100000",
    fallback: "1000",
    meaning: "Messages without files, from senders without JavaScript, that are taken in an hour.",
  },
  {
    name: "DROP_FILES_PER_HOUR",
    takes: "an integer from 1 to 10000",
    fallback: "60",
    meaning: "Messages with files, from senders without JavaScript, that are taken in an hour.",
  },
  {
    name: "DROP_BYTES_PER_DAY",
    takes: "an integer from 1000000 to 1000000000000",
    fallback: "20000000000",
    meaning: "Sealed bytes that are taken in a day; past it only messages without files are.",
  },
  {
    name: "DROP_PER_NETWORK",
    takes: "an integer from 0 to 100000",
    fallback: "0",
    meaning:
      "Messages of one network (/24 or /56) in an hour, counted in memory under a key that changes hourly. 0: nobody counts. Of no use behind a proxy or an onion service.",
  },
  {
    name: "DROP_QUESTION",
    takes: "a question and its answer, with = between them",
    fallback: "",
    meaning:
      "Asked of senders without JavaScript, in plain text, where machines send too much. Capitals and spaces of the answer do not count.",
  },
  {
    name: "DROP_DIGEST_HOUR",
    takes: "an integer from 0 to 23",
    fallback: "8",
    meaning: "Hour of the day, UTC, at which the daily digest is sent.",
  },
  {
    name: "DROP_DIGEST_URL",
    takes: "an https:// URL, or an http:// URL of this machine",
    fallback: "",
    secret: true,
    meaning:
      "Where the daily digest is posted: the same size every day, whether anything came or not.",
  },
  {
    name: "DROP_DIGEST_COMMAND",
    takes: "a program, without arguments",
    fallback: "",
    meaning:
      "Gets the daily digest as a mail on its standard input, such as a script that calls sendmail.",
  },
] as const

type DropSettingName = (typeof dropSettings)[number]["name"]

/** Reads the values of settings and collects their faults. */
interface SettingsReader {
  readonly production: boolean
  optional(name: DropSettingName): string | null
  integer(name: DropSettingName, min: number, max: number): number
  readonly faults: string[]
}

export function readDropConfig({
  production,
  optional,
  integer,
  faults,
}: SettingsReader): DropConfig {
  const read = <T>(name: DropSettingName, reader: (text: string) => T | null): T | null => {
    const given = optional(name)
    const value = given === null ? null : reader(given)
    if (given !== null && value === null) {
      const { takes } = dropSettings.find((setting) => setting.name === name) ?? { takes: "" }
      faults.push(`${name} takes ${takes}`)
    }
    return value
  }
  const wanted = read("DROP", (text) => (text === "on" || text === "off" ? text : null)) === "on"
  const port = optional("DROP_PORT") === null ? null : integer("DROP_PORT", 0, 65_535)
  const origin = read("DROP_ORIGIN", readOrigin)
  return {
    on: wanted && (!production || port !== null || origin !== null),
    wanted,
    port,
    origin,
    onion: read("DROP_ONION", (text) => (isOnion(text) ? readOrigin(text) : null)),
    name: read("DROP_NAME", (text) => (/^\P{C}{1,60}$/u.test(text) ? text : null)) ?? "",
    retentionDays: integer("DROP_RETENTION_DAYS", 7, 90),
    sealers: integer("DROP_SEALERS", 1, 16),
    sealerMemoryMb: integer("DROP_SEALER_MEMORY_MB", 1320, 100_000),
    textPerHour: integer("DROP_TEXT_PER_HOUR", 1, 100_000),
    filesPerHour: integer("DROP_FILES_PER_HOUR", 1, 10_000),
    bytesPerDay: integer("DROP_BYTES_PER_DAY", 1_000_000, 1_000_000_000_000),
    perNetworkPerHour: integer("DROP_PER_NETWORK", 0, 100_000),
    question: read("DROP_QUESTION", readQuestion),
    digest: {
      hour: integer("DROP_DIGEST_HOUR", 0, 23),
      url: read("DROP_DIGEST_URL", (text) => (readBaseUrl(text) === null ? null : text)),
      command: optional("DROP_DIGEST_COMMAND"),
    },
  }
}

/**
 * An origin that a sender's browser can be sent to. Plain http only if nobody between could listen.
 */
function readOrigin(text: string): string | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  const safe = url.protocol === "https:" || isPlainLoopback(url) || isOnion(text)
  return safe && url.href === `${url.origin}/` ? url.origin : null
}

function isOnion(text: string): boolean {
  return URL.canParse(text) && /^[a-z2-7]{56}\.onion$/.test(new URL(text).hostname)
}

function readQuestion(text: string): { text: string; answer: string } | null {
  const at = text.lastIndexOf("=")
  const [question, answer] = [text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1).trim()]
  return question === "" || answer === "" ? null : { text: question, answer }
}
