export type Cell = string | number | null

export function list(...items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n")
}

export function table(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [
    header,
    header.map(() => "---"),
    ...rows.map((row) => row.map((cell) => cell ?? "")),
  ]
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")
}

/** Two digits: a simulation, or a prior, gives a share no more exactly. */
export function percent(share: number | null): string {
  return share === null ? "" : `${Number((share * 100).toPrecision(2))} %`
}

/** Nats with their sign, since the sign says which way a finding speaks. */
export function signed(nats: number): string {
  return nats > 0 ? `+${nats}` : String(nats)
}

export function code(text: string): string {
  return `\`${text}\``
}
