import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, suite, test } from "node:test"
import { bareEnvironment } from "../http/bare-environment.ts"
import { type Service, startService } from "../http/service.ts"
import { assay, assayHere, type Outcome } from "./assay.ts"
import { assayProgram } from "../../scripts/program.ts"

const directory = mkdtempSync(join(tmpdir(), "assay-cli-score-"))
let service: Service
before(async () => {
  service = await startService()
})
after(async () => {
  await service.stop()
  rmSync(directory, { recursive: true })
})

let made = 0
function file(name: string, text: string | Buffer): string {
  const path = join(directory, `${made++}-${name}`)
  writeFileSync(path, text)
  return path
}

async function score(args: readonly string[], input = "", url = service.baseUrl): Promise<Outcome> {
  return await assay(["score", "--url", url, ...args], { ASSAY_API_KEY: service.key ?? "" }, input)
}

/** Runs from a file to a new file, and gives what that holds. */
async function scored(path: string, ...args: readonly string[]): Promise<string> {
  const out = `${path}.out`
  const command = ["score", "--url", service.baseUrl, "--in", path, "--out", out, ...args]
  const { code, err } = await assayHere(command, { ASSAY_API_KEY: service.key ?? "" })
  assert.equal(code, 0, err)
  assert.ok(!existsSync(`${out}.partial`))
  return readFileSync(out, "utf8")
}

const HEAD =
  "risk_score,confidence,threat_stage,exposed,exposure_count,last_seen,recommended_action,risk_reasons,problem"

suite("CSV", () => {
  test("each row comes back with its results, and the summary says what was refused", async () => {
    const path = file(
      "people.csv",
      'id,E-Mail,note\n1,sofia.rossi@mail.example,"a, b"\n2,not an address,\n3,nobody@unlisted.example\n',
    )
    const out = `${path}.out`
    const { code, out: printed, err } = await score(["--in", path, "--out", out])
    assert.equal(code, 0, err)
    assert.equal(printed, "")
    assert.equal(err, "3 rows, 2 scored, 1 not\n  not-an-email: 1\n")
    const [head, first, second, third, ...more] = readFileSync(out, "utf8").split("\n")
    assert.equal(head, `id,E-Mail,note,${HEAD}`)
    assert.match(
      first ?? "",
      /^1,sofia\.rossi@mail\.example,"a, b",\d+,\w+,ATTACKED,true,1,\d{4}-\d\d-\d\d,block,".*; .*",$/,
    )
    assert.equal(second, "2,not an address,,,,,,,,,,not-an-email")
    assert.match(third ?? "", /^3,nobody@unlisted\.example,,\d+,low,CLEAN,false,0,,allow,[^;]*,$/)
    assert.deepEqual(more, [""])
  })

  test("the delimiter is found, the column by its name, its number or its contents", async () => {
    const semicolons = await scored(
      file("a.csv", "\ufeffname;Email address\nÁna;ana.silva@mail.example\n"),
    )
    assert.match(semicolons, /^name;Email address;risk_score;.*\nÁna;ana\.silva@mail\.example;\d+;/)
    const tabs = await scored(
      file("b.tsv", "x\tkunde\r\n1\tana.silva@mail.example\r\n"),
      "--column",
      "Kunde",
    )
    assert.match(tabs, /\n1\tana\.silva@mail\.example\t\d+\t/)
    const numbered = await scored(file("c.csv", "x,y\n1,ana.silva@mail.example\n"), "--column", "2")
    assert.match(numbered, /,LEAKED,/)
    const bare = await scored(file("d.csv", "7,ana.silva@mail.example\n8,omar.haddad@mail.example"))
    assert.match(bare, /^7,ana\.silva@mail\.example,\d+,.*\n8,omar\.haddad@mail\.example,\d+,.*\n$/)
    const single = await scored(file("e.csv", "email\nana.silva@mail.example\n"))
    assert.match(single, /^email,risk_score,/)
  })

  test("columns that are there already keep their names, and added ones get others", async () => {
    const again = await scored(file("a.csv", "email,risk_score\nana.silva@mail.example,5\n"))
    assert.match(again, /^email,risk_score,assay_risk_score,.*,assay_problem\n/)
  })

  test("no cell of the output runs as a formula, and numbers stay numbers", async () => {
    const text = await scored(
      file(
        "a.csv",
        'email,note,x\nana.silva@mail.example,"=HYPERLINK(""http://x"")",-5.5\n+cmd@mail.example,@SUM(A1),+61491570156\n',
      ),
    )
    assert.match(text, /"'=HYPERLINK\(""http:\/\/x""\)",-5\.5,/)
    assert.match(text, /\n'\+cmd@mail\.example,'@SUM\(A1\),\+61491570156,/)
    for (const cell of text.split(/[,\n]/)) assert.doesNotMatch(cell, /^"?[=@]/)
  })

  test("bytes that are no UTF-8 are not scored as another address", async () => {
    const latin1 = Buffer.from("email\njos\xe9@mail.example\nana.silva@mail.example\n", "latin1")
    const text = await scored(file("a.csv", latin1))
    const [, first = "", second = ""] = text.split("\n")
    assert.match(first, /,,,,,,,,,not-an-email$/)
    assert.match(second, /,LEAKED,/)
  })

  test("phone numbers have their own columns", async () => {
    const text = await scored(file("a.csv", "Phone number\n+61491570156\n0491570156\n"), "--phone")
    const [head, first, second] = text.split("\n")
    assert.equal(
      head,
      "Phone number,risk_score,risk_level,sim_swap_risk,sim_change_detected,sim_change_window,ownership_confidence,network_continuity,number_type,carrier_region,recommendation,risk_reasons,problem",
    )
    assert.match(first ?? "", /^\+61491570156,\d+,HIGH,high,true,[23]h,/)
    assert.match(second ?? "", /,not-a-phone-number$/)
  })
})

suite("lines of JSON", () => {
  test("texts and objects come back under `input`, lines that cannot be read in their place", async () => {
    const text = await scored(
      file(
        "a.ndjson",
        '{\n"ana.silva@mail.example"\n{"id":7,"email":"sofia.rossi@mail.example"}\nnope\n{"id":8}\n\n"x@y.example"\n[]',
      ),
    )
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { input: unknown; result?: object; problem?: string })
    assert.deepEqual(
      lines.map(({ input, result, problem }) => [
        input,
        result === undefined ? problem : (result as { threat_stage: string }).threat_stage,
      ]),
      [
        [null, "malformed-json"],
        ["ana.silva@mail.example", "LEAKED"],
        [{ id: 7, email: "sofia.rossi@mail.example" }, "ATTACKED"],
        [null, "malformed-json"],
        [{ id: 8 }, "invalid-request"],
        ["x@y.example", "CLEAN"],
        [[], "invalid-request"],
      ],
    )
  })

  test("go through pipes, with the summary beside them", async () => {
    const { code, out, err } = await score(
      ["--in", "-", "--out", "-", "--format", "ndjson", "--column", "who"],
      '{"who":"ana.silva@mail.example"}\n',
    )
    assert.equal(code, 0, err)
    assert.equal(
      (JSON.parse(out) as { result: { email: string } }).result.email,
      "ana.silva@mail.example",
    )
    assert.equal(err, "1 row, 1 scored, 0 not\n")
  })
})

test("a large file streams through, every row in its place", async () => {
  const rows = Array.from({ length: 5000 }, (_, n) => `${n},person${n}@mail.example`)
  const path = file("large.csv", `id,email\n${rows.join("\n")}\n`)
  const lines = (await scored(path)).trimEnd().split("\n")
  assert.equal(lines.length, 5001)
  for (const [n, line] of lines.slice(1).entries())
    assert.ok(line.startsWith(`${n},person${n}@mail.example,`), line)
})

suite("what cannot be done", () => {
  const leavesNothing = async (
    name: string,
    text: string,
    args: readonly string[],
    sentence: RegExp,
  ): Promise<void> => {
    const path = file(name, text)
    const out = `${path}.out`
    const before = readdirSync(directory)
    const { code, err } = await score(["--in", path, "--out", out, ...args])
    assert.equal(code, 1, err)
    assert.match(err, sentence)
    assert.doesNotMatch(err, /canary|\n {4}at /)
    assert.deepEqual(readdirSync(directory), before)
  }

  test("is said before anything is written", async () => {
    await leavesNothing("a.csv", "name,place\ncanary,b\n", [], /^assay: No column .* --column/)
    await leavesNothing(
      "b.csv",
      "email\na@b.example\n",
      ["--column", "x"],
      /--column names no column/,
    )
    await leavesNothing("c.csv", "", [], /There is no row/)
    await leavesNothing("d.txt", "email\n", [], /--format says it/)
    await leavesNothing("e.csv", "email\n", ["--format", "xml"], /--format takes csv or ndjson/)
    await leavesNothing("f.csv", "email\na@b.example\n", ["--url", "ftp://x"], /--url takes/)
    await leavesNothing("g.csv", "email\na@b.example\n", ["--key-file", "/nowhere"], /--key-file/)
    const { code, err } = await score(["--in", join(directory, "missing.csv"), "--out", "-"])
    assert.equal(code, 1)
    assert.match(err, /--in names a file that cannot be read/)
    const keyless = await assay(["score", "--in", "x.csv", "--out", "-"], {})
    assert.match(keyless.err, /API key is needed/)
  })

  test("an output that exists is refused, unless it is to be replaced", async () => {
    const path = file("a.csv", "email\nana.silva@mail.example\n")
    const out = file("there.csv", "precious")
    const refused = await score(["--in", path, "--out", out])
    assert.equal(refused.code, 1)
    assert.match(refused.err, /--force/)
    assert.equal(readFileSync(out, "utf8"), "precious")
    assert.equal((await score(["--in", path, "--out", out, "--force"])).code, 0)
    assert.match(readFileSync(out, "utf8"), /LEAKED/)
  })

  test("a run in which no row could be scored fails, with its output for the reasons", async () => {
    const path = file("a.csv", "email\nnobody\nnowhere\n")
    const { code, err } = await score(["--in", path, "--out", `${path}.out`])
    assert.equal(code, 1)
    assert.match(
      err,
      /^2 rows, 0 scored, 2 not\n {2}not-an-email: 2\nassay: No row could be scored\n$/,
    )
    assert.equal(readFileSync(`${path}.out`, "utf8").split("\n").length, 4)
  })

  test("a wrong key and a service that is not there are reported, and leave no output", async () => {
    const path = file("a.csv", "email\na@b.example\n")
    const keyed = await assay(
      ["score", "--url", service.baseUrl, "--in", path, "--out", `${path}.out`],
      { ASSAY_API_KEY: "ask_live_canary" },
    )
    assert.equal(keyed.code, 1)
    assert.match(keyed.err, /A valid API key is needed/)
    assert.doesNotMatch(keyed.err, /canary/)
    const { code, err } = await score(
      ["--in", path, "--out", `${path}.out`],
      "",
      "http://127.0.0.1:1",
    )
    assert.equal(code, 1)
    assert.match(err, /could not be reached: 0 rows done, 0 of them scored/)
    assert.ok(!existsSync(`${path}.out`) && !existsSync(`${path}.out.partial`))
  })

  test("a service that goes away midway leaves what was done under another name, and says how far it came", async () => {
    const answer = { ...sample, email: "" }
    const server = createServer((request, response) => {
      let index = 0
      let text = ""
      request.on("error", () => undefined)
      request.on("data", (chunk: Buffer) => {
        text += chunk.toString()
        const lines = text.split("\n")
        text = lines.pop() ?? ""
        for (const line of lines) {
          if (index === 2) return void response.destroy()
          const email = JSON.parse(line) as string
          response.write(`${JSON.stringify({ index: index++, result: { ...answer, email } })}\n`)
        }
      })
    })
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const path = file("a.csv", "email\na@b.example\nc@d.example\ne@f.example\n")
    const { code, err } = await score(["--in", path, "--out", `${path}.out`], "", url)
    server.close()
    assert.equal(code, 1)
    assert.match(err, /broke off: 2 rows done, 2 of them scored; they are in .*\.out\.partial\n$/)
    assert.ok(!existsSync(`${path}.out`))
    assert.equal(readFileSync(`${path}.out.partial`, "utf8").split("\n").length, 4)
  })

  test("a run that is killed leaves no file under the name of the output", async () => {
    const out = join(directory, "killed.csv")
    const args = ["score", "--url", service.baseUrl, "--in", "-", "--out", out, "--format", "csv"]
    const child = spawn(process.execPath, [...assayProgram(), ...args], {
      env: { ...bareEnvironment(), ASSAY_API_KEY: service.key ?? "" },
      stdio: ["pipe", "ignore", "ignore"],
    })
    child.stdin.on("error", () => undefined)
    child.stdin.write("email\nana.silva@mail.example\n")
    while (!existsSync(`${out}.partial`)) await new Promise((resolve) => setTimeout(resolve, 20))
    child.kill("SIGKILL")
    await once(child, "close")
    assert.ok(!existsSync(out))
  })
})

const sample = {
  risk_score: 0,
  confidence: "low",
  threat_stage: "CLEAN",
  exposed: false,
  exposure_count: 0,
  last_seen: null,
  risk_reasons: [],
  recommended_action: "allow",
  model_version: "1.0",
}
