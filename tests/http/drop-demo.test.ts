// The drop of a demo, which shares the port of the API.
import assert from "node:assert/strict"
import { Agent, get } from "node:http"
import { after, before, test } from "node:test"
import { giveKeys, oldFormToken, storedSizes } from "./drop-visitor.ts"
import { type Service, startService } from "./service.ts"

let service: Service
before(async () => {
  service = await startService({ env: { DROP: "on" } })
  await giveKeys(service)
})
after(() => service.stop())

test("a demo says where its drop is, and that only a demo may have it there", async () => {
  assert.equal(service.dropUrl, null)
  assert.match(
    service.stdout(),
    /Anonymous drop {2}http:\/\/localhost:\d+\/drop\n +It shares the port/,
  )
  const page = await (await fetch(`${service.baseUrl}/drop`)).text()
  assert.match(page, /<p class="note">/)
})

test("the drop on the API's port answers as it does on its own, and the API is as it was", async () => {
  const form = new FormData()
  form.set("message", "by the shared port")
  form.set("mode", "one-way")
  form.set("token", oldFormToken(service))
  const sent = await fetch(`${service.baseUrl}/drop/form`, { method: "POST", body: form })
  assert.equal(sent.status, 200)
  assert.equal(storedSizes(service).length, 1)
  assert.equal(sent.headers.get("x-request-id"), null, "no request of the drop has an id")
  assert.equal(sent.headers.get("referrer-policy"), "no-referrer")

  const large = await fetch(`${service.baseUrl}/drop/sealed`, {
    method: "POST",
    body: new Uint8Array(20_000_000),
  })
  assert.equal(large.status, 413)
  for (const path of ["/drops", "/dropped/form"]) {
    const other = await fetch(service.baseUrl + path)
    assert.equal(other.status, 404)
    assert.match(other.headers.get("content-type") ?? "", /problem\+json/)
  }
  const scored = await service.request("/api/v1/risk/score", { json: { email: "a@example.com" } })
  assert.equal(scored.status, 200)
})

test("a browser may ask for both over one connection", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = async (path: string): Promise<number> =>
    await new Promise((resolve, reject) => {
      const request = get(service.baseUrl + path, { agent }, (response) => {
        response.resume().once("end", () => resolve(response.statusCode ?? 0))
      })
      request.once("error", reject)
    })
  const statuses = []
  for (const path of ["/healthz", "/drop", "/drop?x", "/healthz"]) statuses.push(await ask(path))
  assert.deepEqual(statuses, [200, 200, 200, 200])
  agent.destroy()
})
