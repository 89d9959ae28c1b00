import assert from "node:assert/strict"
import { test } from "node:test"
import { isExplained } from "@assay/runtime/explained"
import { readConfig } from "./config.ts"

const SETTINGS = {
  OIDC_ISSUER: "https://sso.example/realms/risk",
  OIDC_CLIENT_ID: "assay",
  OIDC_CLIENT_SECRET: "hidden-7741",
  OIDC_ROLES_CLAIM: "groups",
  OIDC_ROLES: "assay-admins=administrator, /fraud team=analyst@shop,a=b=viewer@The Shop",
}

test("single sign-on is off without settings, and takes all of them", () => {
  assert.equal(readConfig({}).oidc, null)
  assert.deepEqual(readConfig(SETTINGS).oidc, {
    issuer: "https://sso.example/realms/risk",
    clientId: "assay",
    clientSecret: "hidden-7741",
    scopes: "openid profile email",
    rolesClaim: "groups",
    roles: [
      { value: "assay-admins", role: "administrator", tenant: null },
      { value: "/fraud team", role: "analyst", tenant: "shop" },
      { value: "a=b", role: "viewer", tenant: "The Shop" },
    ],
  })
  for (const name of Object.keys(SETTINGS)) {
    const without = Object.entries(SETTINGS).filter(([each]) => each !== name)
    assert.throws(() => readConfig(Object.fromEntries(without)), new RegExp(`takes ${name}$`))
  }
})

test("in production it takes the origin that people come back to", () => {
  const production = {
    ...SETTINGS,
    NODE_ENV: "production",
    ASSAY_DATA: "/tmp/none",
    ASSAY_SECRET_FILE: "/run/none",
  }
  assert.throws(() => readConfig(production), /CONSOLE_ORIGIN/)
  const origin = "https://risk.example"
  assert.notEqual(readConfig({ ...production, CONSOLE_ORIGIN: origin }).oidc, null)
})

test("wrong settings are refused by name, without their values", () => {
  const wrong = {
    OIDC_ISSUER: ["http://sso.example", "sso.example", "https://u:p@sso.example", "https://a?b"],
    OIDC_SCOPES: ["profile", "openid  email", "openid,email"],
    OIDC_ROLES: [
      "admins",
      "admins=root",
      "a=viewer",
      "a=administrator@shop",
      "=administrator",
      "a=viewer@",
    ],
    OIDC_ROLE: ["a=administrator"],
  }
  for (const [name, values] of Object.entries(wrong))
    for (const value of values)
      assert.throws(
        () => readConfig({ ...SETTINGS, [name]: value }),
        (error: unknown) => {
          assert.ok(isExplained(error, "config"))
          assert.match(error.message, new RegExp(`${name} `))
          assert.ok(!error.message.includes("hidden-7741"))
          return true
        },
        `${name}: ${value}`,
      )
  for (const issuer of ["http://localhost:9000", "http://127.0.0.1:9000/x", "https://a.example"])
    assert.equal(readConfig({ ...SETTINGS, OIDC_ISSUER: issuer }).oidc?.issuer, issuer)
})
