import assert from "node:assert/strict"
import { test } from "node:test"
import { isExplained } from "@assay/runtime/explained"
import { openModels } from "../score/models.ts"
import { changedInputMembers, hasStaleCalibration, readPolicy } from "./read-policy.ts"

const models = openModels("/nowhere")

test("a whole policy is read, with domains as they are registered", () => {
  const policy = {
    models: { email: "1.0" },
    costs: { loss: 30 },
    domains: ["BÜCHER.example", "mail.acme.de", "acme.de"],
  }
  assert.deepEqual(readPolicy(policy, models), {
    ...policy,
    domains: ["xn--bcher-kva.example", "acme.de"],
  })
  assert.deepEqual(readPolicy({}, models), {})
})

test("everything wrong with a policy is named by its path", () => {
  const cases: [unknown, string[]][] = [
    [[], ["/: must be object"]],
    [
      { prior_abuse: 1, costs: { loss: 0 } },
      ["/prior_abuse: must be < 1", "/costs/loss: must be > 0"],
    ],
    [{ cost: {}, verified: true }, ["/cost: is not a setting"]],
    [
      { costs: { losses: 1, prices: 2 } },
      ["/costs/losses: is not a setting", "/costs/prices: is not a setting"],
    ],
    [{ calibration: { A: 1, B: 0 } }, ["/calibration: must have required properties hash"]],
    [
      { models: { email: "7.7", phone: "1.1" }, domains: ["acme.com", "co.uk"] },
      [
        "/models/email: takes a version that is loaded: 1.0, 1.1",
        "/domains/1: takes a domain of the tenant's own",
      ],
    ],
  ]
  for (const [policy, faults] of cases) {
    assert.throws(
      () => readPolicy(policy, models),
      (error: Error) => {
        assert.ok(isExplained(error, "policy"))
        const [, ...lines] = error.message.split("\n")
        assert.deepEqual(lines.toSorted(), faults.toSorted())
        return true
      },
    )
  }
})

test("a calibration is stale under another e-mail model, and not if it is another one too", () => {
  const calibration = { A: 1, B: 0, hash: "0123abcd" }
  const before = { models: { email: "1.0" }, calibration }
  assert.ok(hasStaleCalibration(before, { calibration }))
  assert.ok(hasStaleCalibration({ calibration }, before))
  assert.ok(!hasStaleCalibration(before, { ...before, verified: true }))
  assert.ok(!hasStaleCalibration(before, {}))
  assert.ok(!hasStaleCalibration(before, { calibration: { ...calibration, hash: "4567abcd" } }))
})

test("what changes inputs is told apart from what weighs them", () => {
  const before = { domains: ["acme.com"], providers: true, costs: { loss: 2 } }
  assert.deepEqual(changedInputMembers(before, { ...before, costs: { loss: 3 } }), [])
  assert.deepEqual(changedInputMembers(before, { domains: ["acme.de"], verified: true }), [
    "verified",
    "providers",
    "domains",
  ])
  // Off is off, said or not.
  assert.deepEqual(changedInputMembers({ verified: false }, {}), [])
})
