/**
 * What several nodes say of themselves in the text format of Prometheus, each series in sum, as its
 * reader would have it of a job of several instances.
 */
export function summedMetrics(texts: readonly string[]): string {
  const sums = new Map<string, number | null>()
  for (const line of texts.flatMap((text) => text.split("\n"))) {
    const [, series, value] = /^([^#].*) (\S+)$/.exec(line) ?? []
    if (series === undefined) sums.set(line, null)
    else sums.set(series, (sums.get(series) ?? 0) + Number(value))
  }
  return [...sums].map(([name, sum]) => (sum === null ? name : `${name} ${sum}`)).join("\n")
}
