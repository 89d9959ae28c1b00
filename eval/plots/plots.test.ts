import assert from "node:assert/strict"
import { test } from "node:test"
import { phoneModels } from "@assay/core/score"
import { emailEvaluations } from "../../packages/server/src/model-tools/email-evaluation.ts"
import { document } from "./chart.ts"
import { reliabilityPlot } from "./reliability.ts"
import { rocPlot } from "./roc.ts"
import { scoresPlot } from "./scores.ts"
import { simChangePlot } from "./sim-change.ts"

const results = emailEvaluations["1.0"]
const plots = [
  rocPlot(results),
  reliabilityPlot(results),
  scoresPlot(results),
  simChangePlot(phoneModels["1.0"]),
  simChangePlot(phoneModels["1.1"]),
]

test("a plot names and describes itself, has a dark look, and loads and runs nothing", () => {
  for (const plot of plots) {
    assert.match(plot, /^<svg [^>]*role="img" aria-labelledby="title description">/)
    assert.match(plot, /<title id="title">[^<]+<\/title>\n<desc id="description">[^<]{40,}<\/desc>/)
    assert.match(plot, /prefers-color-scheme: dark/)
    assert.doesNotMatch(plot, /<script|href|@import|url\(|<image|<foreignObject|\son\w+=/i)
    assert.doesNotMatch(plot, /NaN|undefined|Infinity/)
  }
})

test("every element of a plot is closed and every point lies inside it", () => {
  for (const plot of plots) {
    const open: string[] = []
    for (const [, closing, name = "", own] of plot.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
      if (closing === "/") assert.equal(open.pop(), name)
      else if (own !== "/") open.push(name)
    }
    assert.deepEqual(open, [])
    const height = Number(/viewBox="0 0 640 (\d+)"/.exec(plot)?.[1])
    for (const [, x, y] of plot.matchAll(/[ML]([-\d.]+) ([-\d.]+)/g)) {
      assert.ok(Number(x) >= 0 && Number(x) <= 640 && Number(y) >= 0 && Number(y) <= height)
    }
  }
})

test("a name cannot become an element", () => {
  const plot = document("a < b & c", "<script>", 10, "")
  assert.match(plot, /a &lt; b &amp; c/)
  assert.doesNotMatch(plot, /<script/)
})
