import assert from "node:assert/strict"
import { test } from "node:test"
import { boundedFetch } from "./bounded-fetch.ts"

test("nothing is sent unencrypted but to this machine", async () => {
  const options = { method: "POST", headers: {}, body: "secret", redirect: "manual" } as const
  for (const url of ["http://sso.example/token", "http://10.0.0.1/token", "ftp://127.0.0.1/token"])
    await assert.rejects(boundedFetch(url, options), { code: "NOT_ENCRYPTED" })
})
