import assert from "node:assert/strict"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { newDecisionId } from "../../packages/stores/src/decision-id.ts"
import { openSqliteDecisions } from "../../packages/stores/src/sqlite/decisions.ts"
import { type Service, startService } from "../http/service.ts"
import { assay, assayHere } from "./assay.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-cli-"))
after(() => rmSync(directory, { recursive: true, maxRetries: 5 }))
const data = join(directory, "data")
const env = { ASSAY_DATA: data }

async function scored(service: Service, path: string, json: object): Promise<string> {
  const answer = await service.request(path, { json })
  assert.equal(answer.status, 200)
  return answer.headers.get("x-decision-id") ?? ""
}

test("decisions are listed, shown and repeated beside a running service and after kill -9", async () => {
  const service = await startService({ dataDirectory: data })
  const email = await scored(service, "/api/v1/risk/score", { email: "mei.tanaka@mail.example" })
  const phone = await scored(service, "/api/v1/phone-risk", { phone_number: "+61491570156" })
  for (const state of ["running", "killed"]) {
    const listed = await assay(["decisions", "list", "--tenant", "demo"], env)
    assert.equal(listed.code, 0, `${state}: ${listed.err}`)
    const [head = "", ...lines] = listed.out.trim().split("\n")
    assert.match(head, /^ID +DECIDED AT +SUBJECT +ANSWER +MODEL$/)
    assert.deepEqual(
      lines.map((line) => line.split(/ +/)[0]),
      [email, phone].sort().reverse(),
    )
    const newest = await assayHere(["decisions", "list", "--tenant", "demo", "--limit", "1"], env)
    assert.equal(newest.out.trim().split("\n").length, 2)

    const shown = await assay(["decisions", "show", email], env)
    assert.equal(shown.code, 0, shown.err)
    assert.match(shown.out, new RegExp(`^decision +${email}\n`))
    assert.match(shown.out, /\ntenant +demo\n/)
    assert.match(shown.out, /\nanswer +\d+ [A-Z]+ (low|medium|high) [a-z_]+\n/)
    assert.match(shown.out, /"as_of": "\d{4}-\d{2}-\d{2}"/)
    assert.doesNotMatch(shown.out, /tanaka/)

    for (const [id, run] of [
      [email, assay],
      [phone, assayHere],
    ] as const) {
      const replayed = await run(["decisions", "replay", id], env)
      assert.equal(replayed.code, 0, replayed.err)
      assert.match(replayed.out, /^same: \d+ .+\n$/)
    }
    if (state === "running") await service.kill()
  }
})

test("a decision that does not repeat fails with the difference; one that is not there with a sentence", async () => {
  // What the killed service left in its journal is folded by the next one.
  await (await startService({ dataDirectory: data })).stop()
  assert.deepEqual(readdirSync(join(data, "journal")), [])
  const store = openSqliteDecisions(join(data, "decisions"))
  const [kept] = await store.list({ tenantId: 1, limit: 1 })
  assert.ok(kept)
  const wrong = { ...kept, id: newDecisionId(kept.at), score: kept.score === 0 ? 1 : 0 }
  const strange = { ...kept, id: newDecisionId(kept.at), modelVersion: "0.9" }
  await store.add([wrong, strange])
  await store.close()

  const replayed = await assay(["decisions", "replay", wrong.id], env)
  assert.equal(replayed.code, 1)
  assert.match(
    replayed.out,
    new RegExp(`^FIELD +RECORDED +COMPUTED\nrisk_score +${wrong.score} +${kept.score}\n$`),
  )
  assert.match(replayed.err, /is not the one that was recorded/)
  for (const [args, message] of [
    [["replay", strange.id], /made by model 0\.9/],
    [["replay", newDecisionId(Date.now())], /There is no decision of this id/],
    [["show", "a@b.example"], /There is no decision of this id/],
    [["list", "--tenant", "nobody"], /There is no tenant nobody/],
    [["list", "--tenant", "demo", "--limit", "0"], /--limit takes an integer/],
  ] as const) {
    const { code, out, err } = await assayHere(["decisions", ...args], env)
    assert.equal(code, 1, args.join(" "))
    assert.equal(out, "")
    assert.match(err, message)
    assert.doesNotMatch(err, /a@b\.example|\n {4}at /)
  }
})

test("versions are compared over recorded inputs, and members that older inputs lack are named", async () => {
  const compare = (...args: string[]) =>
    assayHere(["model", "compare", ...args, "--tenant", "demo"], env)
  const phones = ["phone", "1.0", "1.1", "--limit", "1"]
  const now = await assay(["model", "compare", ...phones, "--tenant", "demo"], env)
  assert.equal(now.code, 0, now.err)
  assert.match(now.out, /of 1 answers differ: /)
  assert.doesNotMatch(now.out, /lack/)

  const store = openSqliteDecisions(join(data, "decisions"))
  const kept = (await store.list({ tenantId: 1, limit: 10 })).find(
    ({ identityType, modelVersion }) => identityType === "email" && modelVersion === "1.1",
  )
  assert.ok(kept)
  assert.match(kept.input, /"writtenFor":"1\.1"/)
  // Leaked yesterday, as a program before 1.1 wrote it.
  const exposure = { kind: "breach", source: "s", age: 1, secret: "plaintext", conf: 1 }
  const older = {
    ...kept,
    id: newDecisionId(kept.at),
    modelVersion: "1.0",
    input: JSON.stringify({
      as_of: "2026-11-15",
      checked: { sources: 1, newestImport: "2026-11-14" },
      coverage: { credential: 1 },
      exposures: [exposure],
    }),
  }
  await store.add([older])
  await store.close()

  const compared = await compare("email", "1.0", "1.1")
  assert.equal(compared.code, 0, compared.err)
  assert.match(compared.out, /^ID +BY 1\.0 +BY 1\.1\n/)
  assert.match(
    compared.out,
    new RegExp(`\n${older.id}  \\d+ LEAKED \\w+ allow +\\d+ LEAKED \\w+ step_up_auth\n`),
  )
  assert.match(compared.out, /\n1 of 2 answers differ: 1 scores rise, 0 fall, 1 actions change\.\n/)
  assert.match(
    compared.out,
    /\n1 of 2 inputs were recorded before members that 1\.1 reads and lack them, so 1\.1 takes them as unknown there: trust\.disposableLikely, trust\.homograph, trust\.imitates, trust\.localLength, /,
  )
  assert.doesNotMatch(compared.out, /that 1\.0 reads/)
  for (const [args, message] of [
    [["email", "1.0", "9.9"], /There is no email model 9\.9/],
    [["letter", "1.0", "1.1"], /There is no model letter/],
    [["email", "1.0", "1.1", "--limit", "0"], /--limit takes an integer from 1 to 100000/],
  ] as const) {
    const { code, out, err } = await compare(...args)
    assert.equal(code, 1, args.join(" "))
    assert.equal(out, "")
    assert.match(err, message)
  }
})
