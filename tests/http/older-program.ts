// An older version of the service, packed from the history of this repository.
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { root } from "../../scripts/repository.ts"

/** What runs an older commit from its sources; null where the history does not have it. */
export function olderProgram(commit: string, folder: string): readonly string[] | null {
  const git = { cwd: root, stdio: "pipe", maxBuffer: 2 ** 30 } as const
  let packed: Buffer
  try {
    packed = execFileSync("git", ["archive", commit], git)
  } catch {
    return null
  }
  mkdirSync(folder)
  execFileSync("tar", ["-x", "-C", folder], { input: packed })
  // The packages of others are the same; ours are its own.
  mkdirSync(join(folder, "node_modules", "@assay"), { recursive: true })
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name === "@assay" || name.startsWith(".assay")) continue
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name))
  }
  for (const name of readdirSync(join(root, "node_modules", "@assay"))) {
    symlinkSync(join(folder, "packages", name), join(folder, "node_modules", "@assay", name))
  }
  // Pages and what else is built are not asked for here, but have to be there.
  for (const made of ["server/node_modules", "server/console", "drop/browser", "client/dist"]) {
    symlinkSync(join(root, "packages", made), join(folder, "packages", made))
  }
  return ["--conditions=source", join(folder, "packages", "server", "src", "main.ts")]
}
