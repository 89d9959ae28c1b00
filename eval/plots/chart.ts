// Charts as plain SVG: no script and nothing loaded from elsewhere, so that a picture is safe
// wherever it is shown. Lines differ by dashes too, since colours alone do not reach everybody.

const WIDTH = 640

export interface Axis {
  readonly label: string
  readonly ticks: readonly { readonly value: number; readonly text: string }[]
  /** Where a value lies, from 0 at the start of the axis to 1 at its end. */
  readonly place: (value: number) => number
}

/** The rectangle in which values are drawn. */
export interface Frame {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

export interface Series {
  readonly name: string
  /** 1 to 4: its colour and dashes. */
  readonly look: number
  readonly points: readonly (readonly [x: number, y: number])[]
  readonly dots?: boolean
}

export function document(title: string, description: string, height: number, body: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title description">
<title id="title">${escaped(title)}</title>
<desc id="description">${escaped(description)}</desc>
<style>
svg { --ground: #ffffff; --ink: #1f2328; --faint: #d1d9e0; --one: #0550ae; --two: #bc4c00; --three: #1a7f37; --four: #8250df; font: 13px system-ui, sans-serif }
@media (prefers-color-scheme: dark) { svg { --ground: #0d1117; --ink: #f0f6fc; --faint: #3d444d; --one: #79c0ff; --two: #ffa657; --three: #7ee787; --four: #d2a8ff } }
text { fill: var(--ink) }
.ground { fill: var(--ground) }
.grid { stroke: var(--faint) }
.edge { stroke: var(--ink); stroke-dasharray: 2 4 }
.line { fill: none; stroke-width: 2 }
.look1 { stroke: var(--one); color: var(--one) }
.look2 { stroke: var(--two); color: var(--two); stroke-dasharray: 8 4 }
.look3 { stroke: var(--three); color: var(--three); stroke-dasharray: 2 3 }
.look4 { stroke: var(--four); color: var(--four); stroke-dasharray: 10 3 2 3 }
.fill1 { fill: var(--one) }
.fill2 { fill: var(--two) }
.fill3 { fill: var(--three) }
.dot { fill: currentColor; stroke: none }
.end { text-anchor: end }
.middle { text-anchor: middle }
.title { font-size: 16px; font-weight: 600 }
</style>
<rect class="ground" width="${WIDTH}" height="${height}"/>
<text class="title" x="16" y="28">${escaped(title)}</text>
${body}
</svg>
`
}

/** Grid, ticks and labels of two axes. */
export function axes(frame: Frame, x: Axis, y: Axis): string {
  const { left, top, width, height } = frame
  const bottom = top + height
  const columns = x.ticks.map(({ value, text }) => {
    const at = at1(left + x.place(value) * width)
    return `<path class="grid" d="M${at} ${top}V${bottom}"/><text class="middle" x="${at}" y="${bottom + 18}">${escaped(text)}</text>`
  })
  const rows = y.ticks.map(({ value, text }) => {
    const at = at1(bottom - y.place(value) * height)
    return `<path class="grid" d="M${left} ${at}H${left + width}"/><text class="end" x="${left - 8}" y="${at1(at + 4)}">${escaped(text)}</text>`
  })
  const middle = at1(top + height / 2)
  return [
    ...columns,
    ...rows,
    `<text class="middle" x="${at1(left + width / 2)}" y="${bottom + 38}">${escaped(x.label)}</text>`,
    `<text class="middle" transform="translate(18 ${middle}) rotate(-90)">${escaped(y.label)}</text>`,
  ].join("\n")
}

export function line(frame: Frame, x: Axis, y: Axis, { look, points, dots }: Series): string {
  const placed = points.map(
    ([px, py]) =>
      [
        at1(frame.left + x.place(px) * frame.width),
        at1(frame.top + (1 - y.place(py)) * frame.height),
      ] as const,
  )
  const path = placed.map(([px, py], i) => `${i === 0 ? "M" : "L"}${px} ${py}`).join("")
  const marks = dots === true ? placed.map(([cx, cy]) => dot(look, cx, cy)).join("") : ""
  return `<path class="line look${look}" d="${path}"/>${marks}`
}

/** Names of the series with a piece of their line, one below the other. */
export function legend(left: number, top: number, series: readonly Series[]): string {
  return series
    .map(({ name, look, dots }, i) => {
      const y = top + i * 20
      const mark = dots === true ? dot(look, left + 17, y) : ""
      return `<path class="line look${look}" d="M${left} ${y}h34"/>${mark}<text x="${left + 42}" y="${y + 4}">${escaped(name)}</text>`
    })
    .join("\n")
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
}

/** One decimal: a tenth of a pixel is more than anybody sees. */
export function at1(value: number): number {
  return Number(value.toFixed(1))
}

function dot(look: number, x: number, y: number): string {
  return `<circle class="dot look${look}" cx="${x}" cy="${y}" r="4"/>`
}
