import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import {
  MESSAGE_MAX,
  newIdentityFile,
  open,
  readIdentities,
  recipientsFile,
  recipientsOf,
  sealedSize,
  SMALLEST_CLASS,
  unpackMessage,
} from "@assay/core/drop"
import { LOCALES } from "./page-input.ts"
import { presealedCommands } from "./presealed-page.ts"

test("T7: the commands on the page give a message like any other, of the same size for the shortest and the longest text", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "presealed-"))
  context.after(() => rmSync(folder, { recursive: true }))
  const { file, recipient } = await newIdentityFile(undefined, "x25519")
  const recipients = recipientsOf([recipient])
  writeFileSync(
    join(folder, "keys.txt"),
    recipientsFile({ dropId: new Uint8Array(16), recipients }),
  )
  const names = new Set<string>()
  for (const locale of LOCALES) {
    for (const message of ["x", "é".repeat(MESSAGE_MAX / 2)]) {
      writeFileSync(join(folder, "message.txt"), message)
      execFileSync("sh", ["-eu", "-c", `rm -f message.age\n${presealedCommands(locale)}`], {
        cwd: folder,
      })
      const sealed = readFileSync(join(folder, "message.age"))
      assert.equal(sealed.length, sealedSize(SMALLEST_CLASS, 1, "x25519"))
      const opened = unpackMessage(await open(sealed, await readIdentities(file)))
      assert.equal(opened.message, message)
      const { mode, sealed_by, lang, files, nid } = opened.manifest
      assert.deepEqual(
        { mode, sealed_by, lang, files },
        { mode: "one-way", sealed_by: "sender", lang: locale, files: [] },
      )
      names.add(nid)
    }
  }
  assert.equal(names.size, LOCALES.length * 2)
})
