import { dirname } from "node:path/posix"
import { floors, packages } from "../../floors.ts"
import { circles } from "./circles.ts"
import { importsOf } from "./imports.ts"

interface Place {
  readonly name: string
  /** The folder below `src`; `.` for `src` itself. */
  readonly room: string
  /** From the ground up; -1 for a folder that floors.ts does not know. */
  readonly floor: number
}

/** Where a source lies. */
export function placeOf(file: string): Place {
  const [, name = "", room = "."] = /^packages\/([^/]+)\/src(?:\/(.+))?$/.exec(dirname(file)) ?? []
  const levels: readonly (readonly string[])[] = floors[name] ?? []
  return { name, room, floor: levels.findIndex((rooms) => rooms.includes(room)) }
}

/** The violations of floors.ts in these sources, a sentence each. */
export function structureFaults(sources: ReadonlyMap<string, string>): string[] {
  const unknown = [...sources.keys()]
    .filter((file) => placeOf(file).floor < 0)
    .map((file) => `${file} lies in a folder that floors.ts does not name`)
  const imports = importsOf(sources)
  const wrong = imports.flatMap(({ from, to }) => {
    const why = against(placeOf(from), placeOf(to))
    return why === null ? [] : [`${from} imports ${to}: ${why}`]
  })
  const round = circles(imports).map((files) => `a circle: ${files.join(" ")}`)
  return [...unknown, ...wrong, ...round]
}

function against(from: Place, to: Place): string | null {
  if (from.name !== to.name) {
    const allowed: readonly string[] = packages[from.name] ?? []
    return allowed.includes(to.name) ? null : `${from.name} does not know ${to.name}`
  }
  if (from.room === to.room || to.floor < from.floor) return null
  return to.floor === from.floor ? "both are on one floor" : "that is upwards"
}
