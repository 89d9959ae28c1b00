// What the service serves to browsers, made from packages/drop and packages/console: the same bytes
// from the same sources on every machine, so that anyone can build them again and compare.
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { WORD_LANGUAGES } from "@assay/core/drop"
import { loadWords } from "@assay/core/drop/words"
import { METADATA_LABELS } from "@assay/core/drop/metadata"
import { build, transform, type Metafile, type Plugin } from "esbuild"
import { packWords } from "@assay/core/drop/packed-words"
import { SCRIPT_TEXTS } from "../packages/drop/src/browser/script-texts.ts"
import { sentencesOf } from "../packages/drop/src/pages/sentences.ts"
import { leanAge } from "./lean-age.ts"
import { offlinePage } from "./offline-page.ts"

/** One file as browsers receive it. */
export interface BrowserFile {
  /** What the server asks for, such as `sender-fr`. */
  readonly name: string
  /** Its file name, which holds the beginning of its hash. */
  readonly file: string
  readonly bytes: Uint8Array
}

/** What the server knows of a file without reading it. */
export interface ManifestEntry {
  readonly file: string
  readonly sha256: string
  /** For the attribute of that name in HTML. */
  readonly integrity: string
  readonly bytes: number
  readonly gzip: number
}

/**
 * Languages that have both pages and a word list; the other pages show digits first and English
 * words second.
 */
const PAGE_LANGUAGES = ["en", "fr", "es"] as const

/** The path below which the drop serves these files. */
const SERVED_AT = "/drop/files/"
/** The same for the inbox of its recipients. */
const INBOX_SERVED_AT = "/console/drop/files/"

export interface BrowserBuild {
  readonly files: readonly BrowserFile[]
  /** Which sources went into which script, by name. */
  readonly inputs: ReadonlyMap<string, Metafile>
}

/**
 * Builds everything from the sources below `root`. Tests hand in plugins that put a fault into a
 * module.
 */
export async function buildBrowserFiles(
  root: string,
  plugins: readonly Plugin[] = [],
): Promise<BrowserBuild> {
  const source = join(root, "packages", "drop", "src", "browser")
  const inputs = new Map<string, Metafile>()
  const script = async (
    name: string,
    entry: string,
    constants: Readonly<Record<string, unknown>> = {},
    own: readonly Plugin[] = [leanAge],
  ): Promise<BrowserFile> => {
    const all = [...own, ...plugins]
    const { bytes, metafile } = await bundle(root, join(source, entry), constants, all)
    inputs.set(name, metafile)
    return named(name, "js", bytes)
  }

  const lists = await Promise.all(WORD_LANGUAGES.map((language) => loadWords(language)))
  const words = lists.map(({ language, words }) => ({
    language,
    ...named(`words-${language}`, "txt", utf8(`${words.join("\n")}\n`)),
  }))
  const worker = await script("worker", "worker.ts")
  // The script itself names its worker and the word lists, so that the hash of the script covers
  // them too, whatever the page contains.
  const wordFiles = (own: string): object =>
    Object.fromEntries(
      words
        .filter(({ language }) => language !== own)
        .map(({ language, file, bytes }) => [
          language,
          { path: SERVED_AT + file, integrity: integrityOf(bytes) },
        ]),
    )
  const senders = await Promise.all(
    PAGE_LANGUAGES.map((language) => {
      const list = lists.find((each) => each.language === language)
      if (list === undefined) throw new Error(`there is no word list ${language}`)
      return script(`sender-${language}`, "sender.ts", {
        WORKER_PATH: SERVED_AT + worker.file,
        WORD_FILES: wordFiles(language),
        PAGE_LANGUAGE: language,
        PAGE_WORDS: packWords(list.words),
      })
    }),
  )
  // With all of age: recipients lock their identity files with passphrases.
  const inboxWorker = await script(
    "inbox-worker",
    "../../../console/src/inbox/inbox-worker.ts",
    {},
    [],
  )
  const inboxConstants = {
    INBOX_WORKER: INBOX_SERVED_AT + inboxWorker.file,
    INBOX_WORDS: packWords((await loadWords("en")).words),
  }
  const inbox = await script("inbox", "../../../console/src/inbox-page.ts", inboxConstants)
  const inboxCss = readFileSync(join(source, "../../../console/src/inbox/inbox.css"), "utf8")
  const inboxStyle = await transform(inboxCss, { loader: "css", minify: true, charset: "utf8" })
  const css = readFileSync(join(source, "style.css"), "utf8")
  const style = await transform(css, { loader: "css", minify: true, charset: "utf8" })
  const offline = await bundle(
    root,
    join(source, "offline.ts"),
    { PAGE_WORDS: packWords((await loadWords("en")).words), OFFLINE_TEXTS: offlineTexts() },
    plugins,
  )
  inputs.set("offline", offline.metafile)
  const files = [
    worker,
    ...senders,
    ...words.map(({ name, file, bytes }) => ({ name, file, bytes })),
    named("style", "css", utf8(style.code)),
    inbox,
    inboxWorker,
    named("inbox-style", "css", utf8(inboxStyle.code)),
    // Saved by people under this name; the recipients' keys are put in when it is downloaded.
    {
      name: "offline",
      file: "offline.html",
      bytes: utf8(offlinePage(source, text(offline.bytes), style.code)),
    },
  ]
  return { files, inputs }
}

/**
 * The sentences of the script in English, with the limits in them; other pages get theirs from the
 * server.
 */
function offlineTexts(): Readonly<Record<string, string>> {
  const say = sentencesOf("en")
  const wanted = [...SCRIPT_TEXTS, ...METADATA_LABELS.map((label) => `finding-${label}` as const)]
  return Object.fromEntries(wanted.map((key) => [key, say(key)]))
}

/** What `manifest.json` holds. */
export function manifestOf(files: readonly BrowserFile[]): Record<string, ManifestEntry> {
  return Object.fromEntries(
    files.map(({ name, file, bytes }) => [
      name,
      {
        file,
        sha256: sha256(bytes).toString("hex"),
        integrity: integrityOf(bytes),
        bytes: bytes.length,
        gzip: gzipSync(bytes, { level: 9 }).length,
      },
    ]),
  )
}

/** The value of an `integrity` attribute, and of a hash in a Content-Security-Policy. */
function integrityOf(bytes: Uint8Array): string {
  return `sha256-${sha256(bytes).toString("base64")}`
}

async function bundle(
  root: string,
  entry: string,
  constants: Readonly<Record<string, unknown>>,
  plugins: readonly Plugin[],
): Promise<{ bytes: Uint8Array; metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    // A classic script: it runs before the page it stands in goes on, and a worker of modules is
    // newer than some Tor Browsers.
    format: "iife",
    platform: "browser",
    // The oldest Firefox that Tor Browser is still made from.
    target: ["es2022", "firefox115", "chrome115"],
    conditions: ["source"],
    // Otherwise any tsconfig.json in a folder above would apply.
    tsconfigRaw: { compilerOptions: { alwaysStrict: true } },
    charset: "utf8",
    // The licences of the bundled libraries require their notice in every copy.
    legalComments: "eof",
    define: Object.fromEntries(
      Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)]),
    ),
    plugins: [...plugins],
    logLevel: "silent",
  })
  const [output] = outputFiles
  if (output === undefined) throw new Error("esbuild gave no output")
  return { bytes: utf8(withShortNotices(output.text)), metafile }
}

function named(name: string, extension: string, bytes: Uint8Array): BrowserFile {
  const hash = sha256(bytes).toString("hex").slice(0, 16)
  return { name, file: `${name}.${hash}.${extension}`, bytes }
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest()
}

function utf8(string: string): Uint8Array {
  return new TextEncoder().encode(string)
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

/**
 * The notices of libraries stay in every copy, as their licences require. The list of files behind
 * each notice is not required.
 */
function withShortNotices(script: string): string {
  const at = script.lastIndexOf("/*! Bundled license information:")
  if (at < 0) return script
  return script.slice(0, at) + script.slice(at).replaceAll(/^[@\w./-]+\.js:\n|\n(?=\n)/gm, "")
}
