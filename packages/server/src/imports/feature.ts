import { lstat, readdir } from "node:fs/promises"
import { basename, join } from "node:path"
import { Readable } from "node:stream"
import {
  IMPORT_PREVIEW_BYTES,
  ImportFileRequest,
  ImportList,
  ImportParams,
  ImportPreview,
  ImportPreviewQuery,
  ImportQuery,
  ImportState,
  problems,
} from "@assay/core/contract"
import { FORMAT_NAMES } from "@assay/corpus/formats/formats"
import { ImportFailure } from "@assay/corpus/engine/import-failure"
import { IMPORT_KINDS } from "@assay/corpus/source-request"
import type { TakenImport } from "@assay/corpus/taken-import"
import type { NodeProgram } from "@assay/runtime/children"
import type { EventRecords } from "@assay/stores/records-events"
import type { FastifyRequest } from "fastify"
import { actorOf } from "../accounts/callers.ts"
import type { Config } from "../base/config.ts"
import { Problem } from "../base/problem.ts"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import { refuseCompression } from "../http/json-body.ts"
import { allowLongRequest } from "../http/long-requests.ts"
import { onceClosed } from "../http/once-closed.ts"
import { failures, FAILURES_OF_READING, FAILURES_WITHOUT_LOOKUP, named } from "../http/schemas.ts"
import { IMPORT_BODY_MAX } from "../http/sizes.ts"
import type { KeptState } from "./import-states.ts"
import { type BegunImport, type Imports, importsPort } from "./imports.ts"
import { previewOf, UPLOAD } from "./preview.ts"
import { runImports } from "./run-imports.ts"
import { shareImports } from "./share-imports.ts"
import { tellImports } from "./tell-imports.ts"
import { type WatchedReach, withWatched } from "./with-watched.ts"
import { saidHints, saidSource } from "./said-import.ts"
import { sendUpload } from "./send-upload.ts"

const OCTETS = "application/octet-stream"
/** A sender that sends nothing for so long is gone. */
const IDLE_MS = 60_000
/** Files of the folder that are listed. */
const FOLDER_FILES_MAX = 200

const common = { tags: ["Corpus"], security: [{ apiKey: [] }] }
const file = {
  description: "The file as it is; gzip and zstd are unpacked here.",
  content: { [OCTETS]: { schema: { type: "string", format: "binary" } } },
}
const REFUSALS = [
  "imports-off",
  "import-length-required",
  "import-needs-folder",
  "import-refused",
] as const

const listSchema = {
  ...common,
  operationId: "listImports",
  summary: "List imports and how far they are",
  response: {
    200: named(ImportList, "The last imports."),
    ...failures("imports-off", ...FAILURES_OF_READING),
  },
}

const previewSchema = {
  ...common,
  operationId: "previewImport",
  summary: "Look at the beginning of a file",
  description:
    "Takes up to 1 MiB of its beginning and says what it was recognised as. Identities are shown by a letter or two, passwords not at all. Nothing is kept.",
  querystring: ImportPreviewQuery,
  body: file,
  response: {
    200: named(ImportPreview, "What was recognised."),
    ...failures(...REFUSALS, ...FAILURES_WITHOUT_LOOKUP),
  },
}

const uploadSchema = {
  ...common,
  operationId: "importUpload",
  summary: "Import a file as evidence of a source",
  description:
    "The body goes to the process that reads it and is never put on a disk. It is answered when all of it was taken; sorting and merging go on without the request, and the list says how far they are. All of a file is imported or nothing, and the same file again changes nothing.",
  querystring: ImportQuery,
  body: file,
  response: {
    202: named(ImportState, "The file was taken."),
    ...failures("import-running", ...REFUSALS, ...FAILURES_WITHOUT_LOOKUP),
  },
}

const fileSchema = {
  ...common,
  operationId: "importFile",
  summary: "Import a file of the import folder",
  description:
    "For files that cannot be read while they arrive, and for those that are on the machine anyway.",
  body: named(ImportFileRequest),
  response: {
    202: named(ImportState, "It has begun."),
    ...failures("imports-off", "import-running", "import-refused", ...FAILURES_WITHOUT_LOOKUP),
  },
}

const cancelSchema = {
  ...common,
  operationId: "cancelImport",
  summary: "Stop an import",
  description:
    "Nothing of it is kept. One whose evidence counts already cannot be stopped; it ends sooner.",
  params: ImportParams,
  response: {
    200: named(ImportState, "It was stopped, or is about to be."),
    ...failures("imports-off", "import-not-found", "not-found", ...FAILURES_OF_READING),
  },
}

export interface ImportServices {
  readonly config: Pick<Config, "consoleImports" | "importFolder">
  /** How the process that looks at a file is started. */
  readonly program: NodeProgram
  readonly watchRecords: WatchedReach
  readonly now: () => number
}

/** Imports over HTTP. The import itself is the command's. */
export const imports: Feature<ImportServices, Imports> = {
  routes: importRoutes,
  port: importsPort,
  async writer({ importRunner, index, records, now }) {
    const own = runImports(importRunner, () => index.catalogue())
    const stores = {
      catalogue: () => index.catalogue(),
      isImporting: () => importRunner.isImportingAnywhere(),
    }
    const addEvents: EventRecords["addEvents"] = (events) => records.addEvents(events)
    const imports = tellImports({ imports: own, ...stores, addEvents, now })
    const { nodeId } = importRunner
    return nodeId === null
      ? imports
      : shareImports({ imports, kept: own.kept, ...stores, records, nodeId })
  },
}

async function importRoutes(app: App, services: ImportServices, imports: Imports): Promise<void> {
  const { config, program, watchRecords, now } = services
  const requireOn = (): void => {
    if (!config.consoleImports) throw new Problem("imports-off", "Nothing was read.")
  }
  const begin = async (
    { caller, query, body }: Pick<FastifyRequest, "caller" | "query" | "body">,
    input: Pick<TakenImport, "paths" | "streamed">,
  ): Promise<BegunImport> => {
    const said = (input.streamed === undefined ? body : query) as ImportQuery
    const begun = await imports.begin({
      ...input,
      source: saidSource(said, now()),
      hints: saidHints(said),
      importedBy: actorOf(caller),
    })
    if (begun === null) throw running()
    return begun
  }

  const found = async (kept: KeptState | null): Promise<ImportState> => {
    const [state] = kept === null ? [] : await withWatched([kept], watchRecords)
    if (state === undefined) throw new Problem("import-not-found", "Nothing is known of it.")
    return state
  }
  const stateOf = async (id: string): Promise<ImportState> => await found(await imports.get(id))

  app.get("/api/v1/corpus/imports", { schema: listSchema }, async () => {
    requireOn()
    const { importFolder } = config
    return {
      imports: await withWatched(await imports.list(), watchRecords),
      folder: importFolder === null ? null : await filesOf(importFolder),
      formats: [...FORMAT_NAMES],
      kinds: [...IMPORT_KINDS],
    }
  })

  app.post("/api/v1/corpus/imports/file", { schema: fileSchema }, async (request, reply) => {
    requireOn()
    const path = await pathIn(config.importFolder, request.body.file)
    const { id } = await begin(request, { paths: [path] })
    return await reply.code(202).send(await stateOf(id))
  })

  app.delete<{ Params: { id: string } }>(
    "/api/v1/corpus/imports/:id",
    { schema: cancelSchema },
    async ({ params }) => {
      requireOn()
      if (!(await imports.stop(params.id)))
        throw new Problem("import-not-found", "Nothing was stopped.")
      return await stateOf(params.id)
    },
  )

  // Routes whose body is a file, in whatever form: the reader takes it unread.
  await app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(OCTETS, (request, body, done) => {
      done(refuseCompression(request.headers["content-encoding"]), body)
    })
    const unread = { validatorCompiler: () => () => true } as const

    scope.post(
      "/api/v1/corpus/preview",
      { schema: previewSchema, bodyLimit: IMPORT_PREVIEW_BYTES, ...unread },
      async (request) => {
        requireOn()
        const bytes = lengthOf(request)
        const hints = saidHints(request.query)
        try {
          return await previewOf(program, request.body as Readable, bytes, hints, now())
        } catch (error) {
          if (error instanceof ImportFailure) throw refusal(error.code, error.message)
          throw error
        }
      },
    )

    scope.post(
      "/api/v1/corpus/imports",
      { schema: uploadSchema, bodyLimit: IMPORT_BODY_MAX, ...unread },
      async (request, reply) => {
        requireOn()
        const bytes = lengthOf(request)
        const { id, socket } = await begin(request, {
          paths: [],
          streamed: { name: UPLOAD, bytes },
        })
        onceClosed(reply.raw, allowLongRequest(request.raw.socket))
        await sendUpload(request.body as Readable, socket ?? "", IDLE_MS)
        // The last bytes are on their way, or the reader did not want them and is about to say why.
        const state = await found(await imports.read(id))
        if (state.state === "failed") throw refusal(state.code ?? "", state.detail ?? "")
        return await reply.code(202).send(state)
      },
    )
  })
}

function running(): Problem {
  return new Problem("import-running", "Nothing was imported.", {
    headers: { "retry-after": "10" },
  })
}

/** A failure of an import, as whoever asked for it sees it. */
function refusal(code: string, message: string): Problem {
  const detail = `${message}.`
  if (code === "another-runs") return running()
  if (code === "needs-seeking") return new Problem("import-needs-folder", detail)
  return new Problem("import-refused", detail)
}

function lengthOf({ headers, body, routeOptions }: FastifyRequest): number {
  const length = Number(headers["content-length"] ?? NaN)
  if (!(body instanceof Readable) || !Number.isSafeInteger(length))
    throw new Problem("import-length-required", "Nothing was read.")
  if (length > routeOptions.bodyLimit)
    throw new Problem("body-too-large", problems["body-too-large"].meaning)
  return length
}

/** Plain files alone: no folder, no link, nothing hidden. */
async function filesOf(folder: string): Promise<{ name: string; bytes: number }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw new Problem("store-unavailable", "The folder of ASSAY_IMPORT_FOLDER cannot be read.", {
      cause,
    })
  })
  const names = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .sort()
    .slice(0, FOLDER_FILES_MAX)
  const files = await Promise.all(
    names.map(async (name) => ({ name, bytes: await sizeOf(join(folder, name)) })),
  )
  return files.flatMap(({ name, bytes }) => (bytes === null ? [] : [{ name, bytes }]))
}

/** Null where the file has gone since the folder was read. */
async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await lstat(path)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null
    throw error
  }
}

/**
 * Where a file of the folder is. A name that leads elsewhere is refused like one that is not there.
 */
async function pathIn(folder: string | null, name: string): Promise<string> {
  if (folder === null)
    throw new Problem("import-refused", "ASSAY_IMPORT_FOLDER names no folder here.")
  const path = join(folder, name)
  const isPlain = basename(name) === name && !name.startsWith(".") && !name.includes("\0")
  const found = isPlain ? await lstat(path).catch(() => null) : null
  if (found?.isFile() !== true)
    throw new Problem("import-refused", "The folder has no file of this name.")
  return path
}
