import { edgesOf, type Costs } from "./action.ts"
import { ModelFault } from "./model-document.ts"
import { scaleOf, type Piecewise, type ScaleDocument } from "./scale.ts"
import { BANDS } from "./vocabulary.ts"

// The rules that a schema cannot express: the numbers of a document must relate so that, for any
// input, more evidence of risk never lowers a score and waiting never raises one.

/** Fails unless the first column ascends, which look-ups in a table rely on. */
export function checkAscending(model: string, path: string, table: Piecewise): void {
  table.forEach(([x], i) => {
    const before = table[i - 1]
    if (before !== undefined && !(x > before[0])) {
      throw new ModelFault(model, `${path}/${i}/0`, "must be greater than the one before it")
    }
  })
}

/** A table whose first column ascends and whose values never fall. */
export function checkRising(model: string, path: string, table: Piecewise): void {
  checkAscending(model, path, table)
  table.forEach(([, value], i) => {
    if (value < (table[i - 1]?.[1] ?? -Infinity)) {
      throw new ModelFault(model, `${path}/${i}/1`, "must not be less than the one before it")
    }
  })
}

/** A table whose first column ascends and whose values never rise. */
export function checkFalling(model: string, path: string, table: Piecewise): void {
  checkAscending(model, path, table)
  table.forEach(([, value], i) => {
    if (value > (table[i - 1]?.[1] ?? Infinity)) {
      throw new ModelFault(model, `${path}/${i}/1`, "must not be more than the one before it")
    }
  })
}

/** Fails where a later member of `names` is less than an earlier one. */
export function checkOrder<Name extends string>(
  model: string,
  path: string,
  values: Readonly<Record<Name, number>>,
  names: readonly Name[],
): void {
  names.forEach((name, i) => {
    const before = names[i - 1]
    if (before !== undefined && values[name] < values[before]) {
      throw new ModelFault(model, `${path}/${name}`, `must not be less than ${before}`)
    }
  })
}

/** Fails unless shares of a whole add up to it. */
export function checkWhole(model: string, path: string, shares: readonly number[]): void {
  const sum = shares.reduce((total, share) => total + share, 0)
  if (Math.abs(sum - 1) > 1e-9) throw new ModelFault(model, path, "must add up to 1")
}

// Bands are part of the contract: a low score is let through, whichever model made it. A tenant
// that prices things differently moves its own edges by its own settings.
export function checkCosts(model: string, scale: ScaleDocument, costs: Costs): void {
  const { challenge, block } = edgesOf(scaleOf(scale), costs)
  const [low, critical] = [BANDS[1].from, BANDS[3].from]
  if (challenge === low && block === critical) return
  const reason = `break even at ${challenge} and ${block} points; they must at ${low} and ${critical}, as the bands do`
  throw new ModelFault(model, "/costs", reason)
}
