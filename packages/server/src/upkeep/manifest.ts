import { createHash } from "node:crypto"
import { createReadStream, readdirSync, readFileSync, statSync } from "node:fs"
import { join, sep } from "node:path"
import { Type, type Static } from "typebox"
import { Value } from "typebox/value"
import { Explained } from "@assay/runtime/explained"

/**
 * Grows by one with each change of what a backup consists of; an older program refuses a newer one.
 */
export const BACKUP_FORMAT = 2
export const MANIFEST = "manifest.json"

/** What a backup says of itself. It is written last: a folder without one is no backup. */
const Manifest = Type.Object({
  format: Type.Integer({ minimum: 1 }),
  program: Type.String(),
  created_at: Type.String(),
  key_check_value: Type.String(),
  demo: Type.Boolean(),
  files: Type.Array(
    Type.Object({
      /** Within the folder, with slashes. Only compared: nothing is written to this path. */
      path: Type.String({ minLength: 1 }),
      bytes: Type.Integer({ minimum: 0 }),
      sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
    }),
  ),
})
export type Manifest = Static<typeof Manifest>

/** Every file under a folder with its size and hash, in a fixed order. */
export async function filesUnder(
  folder: string,
  onFile: (path: string) => void = () => undefined,
): Promise<Manifest["files"]> {
  const files: Manifest["files"] = []
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()
  for (const name of names) {
    const path = join(folder, name)
    const { size, isFile } = statOf(path)
    if (!isFile) continue
    onFile(name)
    files.push({
      path: name.split(sep).join("/"),
      bytes: size,
      sha256: await sha256Of(path),
    })
  }
  return files
}

/**
 * Reads the manifest of a backup and compares every file with it. Throws `backup`; changes
 * nothing.
 */
export async function checkedManifest(
  folder: string,
  onFile: (path: string) => void = () => undefined,
): Promise<Manifest> {
  const manifest = readManifest(folder)
  const found = new Map(
    (await filesUnder(folder, onFile))
      .filter(({ path }) => path !== MANIFEST)
      .map((file) => [file.path, file]),
  )
  for (const { path, bytes, sha256 } of manifest.files) {
    const file = found.get(path)
    if (file === undefined) throw new Explained("backup", `The backup lacks ${path}`)
    if (file.bytes !== bytes || file.sha256 !== sha256)
      throw new Explained("backup", `The backup is damaged: ${path} is not what was written`)
    found.delete(path)
  }
  const [more] = found.keys()
  if (more !== undefined)
    throw new Explained("backup", `The backup holds a file it does not know: ${more}`)
  return manifest
}

function readManifest(folder: string): Manifest {
  let document: unknown
  try {
    document = JSON.parse(readFileSync(join(folder, MANIFEST), "utf8"))
  } catch (cause) {
    throw new Explained("backup", `${folder} is no backup, or one that was not finished`, { cause })
  }
  const { format } = (document ?? {}) as { format?: unknown }
  if (typeof format === "number" && format > BACKUP_FORMAT) {
    throw new Explained(
      "backup",
      `The backup has format ${format}; this program knows formats up to ${BACKUP_FORMAT}. Use a newer Assay.`,
    )
  }
  if (!Value.Check(Manifest, document))
    throw new Explained("backup", `The manifest of ${folder} is damaged`)
  return document
}

function statOf(path: string): { size: number; isFile: boolean } {
  const stat = statSync(path)
  return { size: stat.size, isFile: stat.isFile() }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256")
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) {
    hash.update(piece as Buffer)
  }
  return hash.digest("hex")
}
