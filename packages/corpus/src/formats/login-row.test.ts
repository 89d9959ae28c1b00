import assert from "node:assert/strict"
import { test } from "node:test"
import { memberOf, readMember } from "../../testing/formats/test-read.ts"

// A password for the company's own VPN or web mail is what an attacker wants most.
const FILES: Readonly<Record<string, string>> = {
  "lines.txt": "https://vpn.corp.example/login:ceo@corp.example:tangerine-42\n",
  "login-first.txt": "ceo@corp.example:tangerine-42:https://mail.corp.example/\n",
  "Passwords.txt":
    "URL: https://vpn.corp.example/\nUsername: ceo@corp.example\nPassword: tangerine-42\n=====\n",
  "table.csv":
    "kind,url,email,password\nstealer,https://vpn.corp.example/,ceo@corp.example,tangerine-42\n",
  "lines.ndjson":
    '{"kind":"stealer","url":"https://vpn.corp.example/","email":"ceo@corp.example","password":"tangerine-42"}\n',
}

for (const [name, text] of Object.entries(FILES)) {
  test(`${name}: a stolen password for a site of the mailbox's own domain is a row like any other`, async () => {
    const { rows, rejects } = await readMember(memberOf(name, Buffer.from(text)), { map: {} })
    assert.deepEqual(rejects, [])
    assert.deepEqual(
      rows.map(({ identity, secret }) => [identity, secret]),
      [["ceo@corp.example", "tangerine-42"]],
    )
  })
}
