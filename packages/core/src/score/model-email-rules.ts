import { assessEmail } from "./assess-email.ts"
import { TRUST_MEMBERS, type Trust } from "./email-input.ts"
import { checkFactorRows } from "./factor-rows.ts"
import { ModelFault } from "./model-document.ts"
import type { EmailModel } from "./model-email.ts"
import { checkCosts, checkFalling, checkOrder, checkRising, checkWhole } from "./model-rules.ts"
import {
  bandOf,
  EMAIL_REASON_CODES,
  EXPOSURE_KINDS,
  SECRETS,
  stagePlace,
  STAGES,
} from "./vocabulary.ts"

/** Fails with the path of the first number that would break what every e-mail score promises. */
export function checkEmailRules(model: EmailModel): void {
  const { abuse, calibration, confidence, exposure, trend } = model
  checkOrder("email", "/exposure/secrets", exposure.secrets, SECRETS)
  checkFalling("email", "/abuse/emailAge", abuse.emailAge)
  checkFalling("email", "/abuse/domainAge", abuse.domainAge)
  checkFalling("email", "/abuse/instantAction", abuse.instantAction)
  checkFalling("email", "/abuse/goodHistory", abuse.goodHistory)
  checkRising("email", "/abuse/velocity24h", abuse.velocity24h)
  checkRising("email", "/abuse/cluster", abuse.cluster)
  checkTraces(abuse.traces)
  checkStageLimits(model)
  checkStageNames(model)
  checkOrder("email", "/trend", trend, ["falling", "rising"])
  checkOrder("email", "/confidence", confidence, ["mediumFrom", "highFrom"])
  checkWhole("email", "/confidence/coverage", Object.values(confidence.coverage))
  checkOrder("email", "/calibration", calibration, ["slopeMin", "slopeMax"])
  checkCosts("email", model.scale, model.costs)
  checkLikeness(model)
  checkFactorRows("email", model.factors, EMAIL_REASON_CODES, TRUST_MEMBERS)
  checkAlone(model, "/abuse/handle/max", { handle: abuse.handle.max })
  checkAlone(model, "/abuse/masked", { masked: true })
}

// The weaker finding counts nothing beside the stronger one, so it must not be the heavier.
function checkLikeness({ abuse, texts }: EmailModel): void {
  const { disposable, disposableLikely = 0, typosquat, homograph } = abuse
  if (disposableLikely > disposable) {
    throw new ModelFault("email", "/abuse/disposableLikely", "must not be more than disposable")
  }
  if (disposableLikely > 0 && texts.trust.ID_DISPOSABLE.likely === undefined) {
    throw new ModelFault("email", "/texts/trust/ID_DISPOSABLE/likely", "is missing")
  }
  if (homograph === undefined) return
  if (homograph < typosquat) {
    throw new ModelFault("email", "/abuse/homograph", "must not be less than typosquat")
  }
  if (texts.imitation === undefined) {
    throw new ModelFault("email", "/texts/imitation", "is missing")
  }
}

function checkTraces(traces: readonly number[]): void {
  traces.forEach((nats, count) => {
    if (nats > (traces[count - 1] ?? Infinity)) {
      throw new ModelFault("email", `/abuse/traces/${count}`, "must not be more than for one fewer")
    }
  })
}

// Risk may only grow with the stage. That holds by construction as long as neither the floors nor
// the caps ever fall from one stage to the next.
function checkStageLimits({ stages }: EmailModel): void {
  let floor = -Infinity
  let cap = -Infinity
  for (const { name } of STAGES) {
    const limits = stages.limits[name]
    const path = `/stages/limits/${name}`
    const own = limits.floor ?? -Infinity
    if (own < floor)
      throw new ModelFault("email", `${path}/floor`, "is below that of the stage before")
    if (limits.cap < cap)
      throw new ModelFault("email", `${path}/cap`, "is below that of the stage before")
    if (own > limits.cap) throw new ModelFault("email", `${path}/floor`, "is above the cap")
    floor = own
    cap = limits.cap
  }
  const { freshRepost, limits } = stages
  const { REPOSTED, TRADED } = limits
  if (
    freshRepost.floor < (REPOSTED.floor ?? 0) ||
    freshRepost.floor > Math.min(REPOSTED.cap, TRADED.floor ?? 100)
  ) {
    const reason = "must lie between the floors of REPOSTED and TRADED"
    throw new ModelFault("email", "/stages/freshRepost/floor", reason)
  }
}

// An item never falls below LEAKED by age, so only a stage that is no higher can stand for weaker
// items: a secret found later, or a rotation undone, must not lower the stage.
function checkStageNames({ stages }: EmailModel): void {
  for (const member of ["addressOnly", "rotated"] as const) {
    if (stagePlace(stages[member]) > stagePlace("LEAKED")) {
      throw new ModelFault("email", `/stages/${member}`, "must be CLEAN or LEAKED")
    }
  }
  for (const kind of EXPOSURE_KINDS) {
    if (stagePlace(stages.native[kind]) < stagePlace(stages.addressOnly)) {
      const reason = "is below that of an exposure without a secret"
      throw new ModelFault("email", `/stages/native/${kind}`, reason)
    }
  }
}

// How an address is spelt, or that its owner hides it behind a relay, is no ground to treat
// anybody differently.
function checkAlone(model: EmailModel, path: string, trust: Trust): void {
  const bandWith = (known: Trust) => {
    const input = { as_of: "2000-01-01", checked: { sources: 0 }, trust: known }
    return bandOf(assessEmail(input, model).risk_score)
  }
  if (bandWith({}) === "low" && bandWith(trust) !== "low") {
    throw new ModelFault("email", path, "takes an address out of the low band by itself")
  }
}
