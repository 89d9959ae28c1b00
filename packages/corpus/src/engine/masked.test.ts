import assert from "node:assert/strict"
import { test } from "node:test"
import { maskedIdentity } from "./masked.ts"

test("an identity is shown by a letter or two, and what is none not at all", () => {
  const shown: [string, string][] = [
    ["ana.silva@mail.example", "a***@m***.example"],
    ["ab@cd.example", "***@***.example"],
    ["Ana@Sub.Mail.Example", "A***@S***.Example"],
    ["+61491570156", "+61***56"],
    ["hunter2", "***"],
    ["a secret with spaces", "***"],
    ["", "***"],
    ["x@y", "***"],
    ["two@at@mail.example", "***"],
  ]
  for (const [text, masked] of shown) assert.equal(maskedIdentity(text), masked, text)
})
