/** The parts of V8's `.cpuprofile` that a flame graph needs. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: {
      readonly functionName: string
      readonly url: string
      readonly lineNumber: number
    }
    readonly children?: readonly number[]
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** A function called from one place, with the time spent in it and in what it calls. */
interface Frame {
  readonly name: string
  readonly place: string
  micros: number
  readonly calls: Map<string, Frame>
}

const WIDTH = 1600
const ROW = 17
const LETTER = 6.2
/** Narrower frames are left out, in pixels: nobody can see them. */
const NARROWEST = 0.4

/** The time a program worked, without waiting, as an SVG: each frame stands on its caller. */
export function flameGraph(profile: CpuProfile, title: string): string {
  const root = frameTree(profile)
  const shapes: string[] = []
  let deepest = 0
  const draw = (frame: Frame, left: number, depth: number): void => {
    const width = (frame.micros / root.micros) * WIDTH
    if (width < NARROWEST) return
    deepest = Math.max(deepest, depth)
    const share = ((100 * frame.micros) / root.micros).toFixed(2)
    const shown = frame.name.slice(0, Math.max(0, Math.floor((width - 4) / LETTER)))
    const [x, y] = [left.toFixed(1), -(depth + 1) * ROW]
    shapes.push(
      `<g><title>${escaped(`${frame.name} ${frame.place}: ${share} %`)}</title>` +
        `<rect x="${x}" y="${y}" width="${width.toFixed(1)}" height="${ROW - 1}" fill="${colour(frame)}"/>` +
        `<text x="${(left + 2).toFixed(1)}" y="${y + 12}">${escaped(shown)}</text></g>`,
    )
    let at = left
    for (const call of [...frame.calls.values()].sort((a, b) => b.micros - a.micros)) {
      draw(call, at, depth + 1)
      at += (call.micros / root.micros) * WIDTH
    }
  }
  draw(root, 0, 0)
  const height = (deepest + 1) * ROW
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 ${-height - 24} ${WIDTH} ${height + 24}" font-family="monospace" font-size="10">
<text x="2" y="${-height - 8}" font-size="14">${escaped(title)}</text>
${shapes.join("\n")}
</svg>
`
}

/** Adds up the samples by the functions that were on the stack. */
function frameTree({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((c) => [c, id])))
  const frames = new Map<number, Frame>()
  const root: Frame = { name: "all", place: "", micros: 0, calls: new Map() }
  const frameOf = (id: number): Frame => {
    const known = frames.get(id)
    if (known !== undefined) return known
    const caller = callers.get(id)
    const { functionName = "", url = "", lineNumber = 0 } = byId.get(id)?.callFrame ?? {}
    if (caller === undefined) return root
    const name = functionName || "(anonymous)"
    const place = `${url.split("/").at(-1) ?? ""}:${lineNumber + 1}`
    const below = frameOf(caller).calls
    const frame = below.get(name + place) ?? { name, place, micros: 0, calls: new Map() }
    below.set(name + place, frame)
    frames.set(id, frame)
    return frame
  }
  samples.forEach((id, n) => {
    if (byId.get(id)?.callFrame.functionName === "(idle)") return
    const micros = Math.max(0, timeDeltas[n] ?? 0)
    frameOf(id).micros += micros
    for (let caller = callers.get(id); caller !== undefined; caller = callers.get(caller))
      frameOf(caller).micros += micros
  })
  return root
}

/** The same for the same function, so that it is found again in another graph. */
function colour({ name, place }: Frame): string {
  let hash = 0
  for (const letter of name + place) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 997
  return `hsl(${20 + (hash % 40)} 80% ${60 + (hash % 20)}%)`
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}
