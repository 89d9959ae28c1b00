// The drop with nothing but a terminal: a sender who has stock age, tar and curl, and recipients
// who have the command.
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, suite, test } from "node:test"
import {
  codeWords,
  newSecret,
  openMessage,
  packReply,
  readCode,
  readRecipients,
  replyRecipients,
  seal,
  threadAddress,
  threadKeys,
  type ThreadKeys,
} from "@assay/core/drop"
import { loadWords } from "@assay/core/drop/words"
import { syncDrop } from "../../packages/server/src/cli/drop-sync.ts"
import { openInbox } from "../../packages/server/src/cli/drop-inbox-folder.ts"
import { queueReply, readQueue } from "../../packages/server/src/cli/drop-queue.ts"
import { oldFormToken } from "../http/drop-visitor.ts"
import { type Service, startService } from "../http/service.ts"
import { assay as run, type Outcome } from "./assay.ts"

const CANARY = "the blue heron nests at noon"
const PAPER = "a ledger with two columns"

suite("the whole two-way journey with the command line alone", () => {
  const home = mkdtempSync(join(tmpdir(), "assay-drop-"))
  after(() => rmSync(home, { recursive: true }))
  const at = (...names: string[]): string => join(home, ...names)
  const [identity, successor, tokenFile, into] = ["one.txt", "two.txt", "token", "inbox"].map(
    (name) => at(name),
  ) as [string, string, string, string]
  const shell = (command: string, cwd: string): Buffer =>
    execFileSync("sh", ["-euc", command], {
      cwd,
      maxBuffer: 1e7,
      stdio: ["ignore", "pipe", "pipe"],
    })

  let service: Service
  let dropUrl: string
  let oldKey = ""
  let code = ""
  before(async () => {
    service = await startService({ drop: true })
    dropUrl = service.dropUrl ?? ""
  })

  const assay = async (args: readonly string[], input = ""): Promise<Outcome> => {
    const outcome = await run(args, { ASSAY_DATA: service.dataDirectory }, input)
    assert.equal(outcome.code, 0, `${args.join(" ")}: ${outcome.err}`)
    return outcome
  }
  const reach = (): { url: string; tokenFile: string; into: string } => ({
    url: service.baseUrl,
    tokenFile,
    into,
  })
  /**
   * As the command does it, in this process: a start of the program takes longer than all else
   * here.
   */
  const sync = async (now = false): Promise<{ out: string; err: string }> => {
    const [out, err]: [string[], string[]] = [[], []]
    await syncDrop(
      { ...reach(), now },
      {
        env: {},
        user: "test",
        now: Date.now,
        print: (line) => void out.push(`${line}\n`),
        note: (line) => void err.push(`${line}\n`),
      },
    )
    return { out: out.join(""), err: err.join("") }
  }
  const withIdentity = (file: string): string[] => ["--identity", file, "--into", into]
  const onlyId = (): string => readdirSync(join(into, "messages"))[0]?.slice(0, 32) ?? ""

  /** All that the sender's code gives, on this drop, from what was written down. */
  async function senderKeys(): Promise<ThreadKeys> {
    const read = readCode(code, [await loadWords("en")])
    const { dropId } = readRecipients(readFileSync(at("sender", "keys.txt"), "utf8"))
    assert.ok("secret" in read && dropId !== null)
    return await threadKeys(read.secret, dropId, "x25519")
  }

  /** What the sender's mailbox holds: four files of one size, of which some open. */
  async function repliesOf(keys: ThreadKeys): Promise<string[]> {
    writeFileSync(at("sender", "mailbox"), keys.mailbox)
    const answer = shell(`curl -sS --data-binary @mailbox ${dropUrl}/drop/mailbox`, at("sender"))
    const slot = answer.length / 4
    assert.ok(Number.isInteger(slot))
    const texts: string[] = []
    for (let n = 0; n < 4; n += 1) {
      const sealed = new Uint8Array(answer.subarray(n * slot, (n + 1) * slot))
      const opened = await openMessage(sealed, [keys.identity]).catch(() => null)
      if (opened !== null) texts.push(opened.message)
    }
    return texts.toSorted()
  }

  test("a recipient makes an identity, the server gets its public key, and a token is printed once", async () => {
    const made = await assay(["drop", "new-identity", identity, "--unlocked"])
    oldKey = made.out.trim()
    assert.match(oldKey, /^age1[a-z0-9]{58}$/)
    assert.equal(statSync(identity).mode & 0o777, 0o600)
    const added = await assay(["drop", "keys", "add", oldKey])
    assert.match(added.out, /^Messages are sealed to 1 key\. Fingerprint: ([a-z]+ ){5}[a-z]+\n$/)
    const token = await assay(["operators", "token", "--name", "Ana", "--expires", "2d"])
    assert.match(token.out, /^ask_live_\w+\n$/)
    writeFileSync(tokenFile, token.out, { mode: 0o600 })
    assert.match(token.err, /of the service, scopes drop:read\.\nIt expires at/)
    const words = /Fingerprint: (.*)/.exec(added.out)?.[1] ?? ""
    assert.ok((await (await fetch(`${dropUrl}/drop`)).text()).includes(words))
  })

  test("T4: a sender seals with stock age and tar, and uploads with curl", async () => {
    mkdirSync(at("sender"))
    const secret = newSecret()
    code = codeWords(secret, await loadWords("en")).join(" ")
    shell(`curl -sSf -o keys.txt ${dropUrl}/drop/keys.txt`, at("sender"))
    const manifest = {
      v: 1,
      nid: randomBytes(16).toString("hex"),
      sealed_by: "sender",
      mode: "two-way",
      lang: "en",
      thread: threadAddress(await senderKeys(), null),
      files: [{ name: "attachment-1.txt", type: "text/plain", metadata: "kept" }],
    }
    writeFileSync(at("sender", "manifest.json"), JSON.stringify(manifest))
    writeFileSync(at("sender", "message.txt"), `${CANARY}\u001b[2J`)
    writeFileSync(at("sender", "attachment-1.txt"), PAPER)
    const status = shell(
      `tar --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=600 -cf d.tar manifest.json message.txt attachment-1.txt
      truncate -s 64K d.tar
      age -R keys.txt -o d.age d.tar
      curl -sS -o answer.html -w '%{http_code}' -F token=${oldFormToken(service)} -F sealed=@d.age ${dropUrl}/drop/presealed`,
      at("sender"),
    )
    assert.equal(status.toString(), "200")
  })

  test("the recipient fetches sealed files only, sees the thread and opens the message literally", async () => {
    const { url } = reach()
    const { out } = await assay([
      "drop",
      "sync",
      "--url",
      url,
      "--token-file",
      tokenFile,
      "--into",
      into,
    ])
    assert.equal(out, "1 new message, 1 in all.\n")
    const list = (await assay(["drop", "list", ...withIdentity(identity)])).out
    assert.match(list, /^Thread ([a-z]+ ){5}[a-z]+\n {2}[0-9a-f]{12} {2}sealed by sender {2}1 file/)
    assert.ok(list.includes(`${CANARY}␛[2J`))
    const to = at("opened")
    const opened = await assay(["drop", "open", onlyId(), "--to", to, ...withIdentity(identity)])
    assert.equal(opened.out, `${CANARY}␛[2J\n`)
    assert.equal(readFileSync(join(to, "attachment-1.txt"), "utf8"), PAPER)
    for (const entry of readdirSync(into, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      assert.ok(!readFileSync(join(entry.parentPath, entry.name)).includes(CANARY), entry.name)
    }
  })

  test("T4: a blob opens with Debian's age and tar in two steps", () => {
    mkdirSync(at("by-hand"))
    const text = shell(
      `age -d -i ${identity} -o d.tar ${join(into, "messages", `${onlyId()}.age`)}
      tar --no-same-owner --one-top-level=out -xf d.tar
      cat out/message.txt`,
      at("by-hand"),
    )
    assert.equal(text.toString(), `${CANARY}\u001b[2J`)
  })

  test("T52: a reply waits until the delay is over, and then leaves", async () => {
    await assay(["drop", "reply", onlyId(), ...withIdentity(identity)], "From the command line")
    const waiting = await sync()
    assert.match(waiting.err, /1 reply and 0 deletions wait 30 minutes more/)
    assert.deepEqual(await repliesOf(await senderKeys()), [])
    const past = Date.now() / 1000 - 31 * 60
    for (const name of readdirSync(join(into, "queue")))
      utimesSync(join(into, "queue", name), past, past)
    assert.match((await sync()).out, /^Sent 1 reply and 0 deletions\.\n/)
    assert.deepEqual(readdirSync(join(into, "queue")), [])
  })

  test("T4: a reply written with stock age is read by the sender beside the other, and deleted for good", async () => {
    const keys = await senderKeys()
    const { mailbox, delete_verifier: deleteVerifier } = threadAddress(keys, null)
    mkdirSync(at("stock"))
    const id = randomBytes(16).toString("hex")
    const file = `reply-${id}.age`
    writeFileSync(at("stock", "message.txt"), "From stock age")
    writeFileSync(
      at("stock", "manifest.json"),
      JSON.stringify({
        v: 1,
        nid: id,
        sealed_by: "sender",
        mode: "two-way",
        lang: "en",
        files: [],
      }),
    )
    writeFileSync(
      at("stock", "actions.json"),
      JSON.stringify({
        replies: [{ id, mailbox, delete_verifier: deleteVerifier, file }],
        delete: [],
        notes: [],
        delete_notes: [],
      }),
    )
    const answer = shell(
      `tar --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=600 -cf r.tar manifest.json message.txt
      truncate -s 64K r.tar
      age -r ${keys.replyTo} -R ../sender/keys.txt -o ${file} r.tar
      tar --format=ustar -cf batch.tar actions.json ${file}
      printf 'Authorization: Bearer %s' "$(cat ${tokenFile})" > header
      curl -sS -H @header -H 'content-type: application/x-tar' --data-binary @batch.tar ${service.baseUrl}/api/v1/drop/batch`,
      at("stock"),
    )
    assert.deepEqual(JSON.parse(answer.toString()), { replies: [{ id, outcome: "stored" }] })
    assert.deepEqual(await repliesOf(keys), ["From stock age", "From the command line"])
    writeFileSync(at("sender", "delete"), Buffer.concat([keys.mailbox, keys.deleteToken]))
    shell(`curl -sSf --data-binary @delete ${dropUrl}/drop/delete`, at("sender"))
    assert.deepEqual(await repliesOf(keys), [])
  })

  test("T43: a fifth reply waits with the recipient, and is neither lost nor sent in another's place", async () => {
    const keys = await senderKeys()
    const { mailbox, delete_verifier: deleteVerifier } = threadAddress(keys, null)
    const { recipients } = readRecipients(readFileSync(at("sender", "keys.txt"), "utf8"))
    const to = replyRecipients(threadAddress(keys, null), recipients)
    for (const message of ["1", "2", "3", "4", "5"]) {
      const sealed = await seal(packReply({ sealedBy: "sender", lang: "en", message }), to)
      const id = message.repeat(32)
      queueReply(openInbox(into), { id, mailbox, deleteVerifier, sealed })
    }
    const first = await sync(true)
    assert.match(first.out, /^Sent 4 replies and 0 deletions\.\n/)
    assert.match(first.err, /1 reply waits here/)
    assert.equal((await repliesOf(keys)).length, 4)
    const [waiting] = readQueue(openInbox(into)).replies
    writeFileSync(at("sender", "delete"), Buffer.concat([keys.mailbox, keys.deleteToken]))
    shell(`curl -sSf --data-binary @delete ${dropUrl}/drop/delete`, at("sender"))
    await sync(true)
    assert.deepEqual(await repliesOf(keys), [waiting?.id.slice(0, 1)])
  })

  test("a key is rotated: messages are sealed anew, then only the new identity opens them", async () => {
    const newKey = (await assay(["drop", "new-identity", successor, "--unlocked"])).out.trim()
    await assay(["drop", "keys", "rotate", oldKey, newKey])
    const everyDay = ["--url", service.baseUrl, "--token-file", tokenFile]
    const refused = await run(["drop", "reseal", ...everyDay, ...withIdentity(identity)], {})
    assert.equal(refused.code, 1)
    assert.match(refused.err, /403 insufficient-scope/)
    const brief = await assay(["operators", "token", "--name", "Ana", "--reseal"])
    assert.match(brief.err, /scopes drop:read, drop:reseal\.\nIt expires at/)
    const briefFile = at("brief-token")
    writeFileSync(briefFile, brief.out, { mode: 0o600 })
    const reseal = ["--url", service.baseUrl, "--token-file", briefFile, ...withIdentity(identity)]
    assert.match(
      (await assay(["drop", "reseal", ...reseal])).out,
      /\n1 messages and 1 notes are sealed to 2 keys now\.\n$/,
    )
    await assay(["drop", "keys", "rotate", oldKey, newKey, "--remove"])
    await assay(["drop", "reseal", ...reseal])
    // From the server again, not from the copy here.
    rmSync(into, { recursive: true })
    assert.equal((await sync()).out, "1 new message, 1 in all.\n")
    const file = join(into, "messages", `${onlyId()}.age`)
    assert.throws(() => shell(`age -d -i ${identity} ${file}`, home), /no identity matched/)
    assert.ok((await assay(["drop", "list", ...withIdentity(successor)])).out.includes(CANARY))
  })

  test("a deleted message is gone here and on the server", async () => {
    await assay(["drop", "delete", onlyId().slice(0, 8), "--into", into])
    const { out } = await sync(true)
    assert.equal(out, "Sent 0 replies and 1 deletion.\n0 new messages, 0 in all.\n")
    assert.deepEqual(readdirSync(join(into, "messages")), [])
  })

  test("T29: neither the log nor a file of the service holds a word of it, a code or a secret key", async () => {
    const keys = await senderKeys()
    const [own = ""] = /AGE-SECRET-KEY-\S+/.exec(readFileSync(identity, "utf8")) ?? []
    const words = [CANARY, PAPER, "From stock age", code, own, keys.identity, keys.replyTo]
    const files = readdirSync(service.dataDirectory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
    assert.ok(files.some((path) => path.endsWith("drops.sqlite")))
    for (const word of words) {
      for (const path of files) assert.ok(!readFileSync(path).includes(word), path)
      assert.ok(!service.stderr().includes(word) && !service.stdout().includes(word))
    }
  })

  test("what cannot be done is refused in one line, and changes nothing", async () => {
    const env = { ASSAY_DATA: service.dataDirectory }
    const keysFile = join(service.dataDirectory, "drop", "keys.txt")
    const keys = readFileSync(keysFile, "utf8")
    const elsewhere = at("elsewhere")
    openInbox(elsewhere).setIndex({
      drop_id: "00".repeat(16),
      recipients: [],
      messages: [],
      notes: [],
    })
    const wrongToken = at("wrong-token")
    writeFileSync(wrongToken, `ask_live_${"x".repeat(36)}`)
    const cases: [string[], RegExp][] = [
      [["drop", "keys", "add", identity], /This is a secret key/],
      [
        ["drop", "sync", "--url", service.baseUrl, "--token-file", tokenFile, "--into", elsewhere],
        /another drop/,
      ],
      [["drop", "keys", "remove", keys.trim().split("\n").at(-1) ?? ""], /the last key/],
      [
        ["drop", "sync", "--url", service.baseUrl, "--token-file", wrongToken, "--into", into],
        /401 unauthenticated/,
      ],
    ]
    for (const [args, message] of cases) {
      const { code: exit, out, err } = await run(args, env)
      assert.equal(exit, 1, args.join(" "))
      assert.equal(out, "")
      assert.match(err, message)
      assert.equal(err.trim().split("\n").length, 1, err)
      assert.doesNotMatch(err, /AGE-SECRET-KEY|age1[a-z0-9]{20}/)
    }
    assert.equal(readFileSync(keysFile, "utf8"), keys)
  })
})
