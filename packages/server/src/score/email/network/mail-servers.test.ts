import assert from "node:assert/strict"
import { after, suite, test } from "node:test"
import { LookupFailure } from "./lookup-failure.ts"
import { mailServers, type MailServers } from "./mail-servers.ts"
import { openNameService } from "./name-service.ts"
import { openTestNameServer } from "../../../../testing/score/email/network/test-name-server.ts"

suite("mail servers of a domain, by a real name server", async () => {
  const server = await openTestNameServer({
    "company.example": {
      MX: [
        [10, "mx1.company.example"],
        [20, "mx2.company.example"],
      ],
    },
    "null.example": { MX: [[0, "."]], A: ["192.0.2.1"] },
    "mixed.example": {
      MX: [
        [0, "."],
        [10, "mx.mixed.example"],
      ],
    },
    "own-address.example": { A: ["192.0.2.1"] },
    "own-address-6.example": { AAAA: ["2001:db8::1"] },
    "half.example": { A: "servfail", AAAA: ["2001:db8::1"] },
    "text-only.example": { TXT: ["hello"] },
    "unsure.example": { A: "servfail" },
    "large.example": { truncated: true, MX: [[10, "mx.large.example"]] },
    "broken.example": "servfail",
    "refused.example": "refused",
    "silent.example": "silent",
    "garbage.example": "garbage",
    "xn--bcher-kva.example": { MX: [[10, "mx.example"]] },
    "ordered.example": {
      MX: [
        [20, "second.example"],
        [10, "First.Example"],
      ],
    },
  })
  const names = openNameService([server.address])
  after(() => names.close())

  type Found = Omit<MailServers, "status" | "exchanges">
  const answerFor = async (domain: string): Promise<Omit<MailServers, "exchanges">> => {
    const { exchanges, ...rest } = await mailServers(names, domain)
    assert.equal(exchanges.length, rest.records)
    return rest
  }
  const finds = (title: string, domain: string, expected: Found): void => {
    test(title, async () => {
      assert.deepEqual(await answerFor(domain), { status: "answered", ...expected })
    })
  }
  const accepts = (records: number): Found => ({
    accepts_mail: true,
    records,
    null_mx: false,
  })
  const refuses = { accepts_mail: false, records: 0, null_mx: false }
  finds("servers are counted", "company.example", accepts(2))
  finds("a null record says that no mail is taken, address or not", "null.example", {
    ...refuses,
    null_mx: true,
  })
  finds("a null record beside a server is no null record", "mixed.example", accepts(1))
  finds("without a server the domain's address takes mail", "own-address.example", accepts(0))
  finds("an address of version 6 does too", "own-address-6.example", accepts(0))
  finds("one kind of address is enough, whatever the other says", "half.example", accepts(0))
  finds("a name with neither server nor address takes none", "text-only.example", refuses)
  finds("a name that does not exist takes none", "nowhere.example", refuses)
  finds("an internationalised name is asked in ASCII form", "xn--bcher-kva.example", accepts(1))

  test("servers are named in lower case, the preferred first", async () => {
    const { exchanges } = await mailServers(names, "ordered.example")
    assert.deepEqual(exchanges, ["first.example", "second.example"])
  })

  test("a reply too large for a datagram is fetched again over TCP", async () => {
    assert.deepEqual(await answerFor("large.example"), {
      status: "answered",
      ...accepts(1),
    })
    const transports = server.asked
      .filter(({ name }) => name === "large.example")
      .map(({ transport }) => transport)
    assert.deepEqual(transports, ["udp", "tcp"])
  })

  for (const [domain, fault] of [
    ["broken.example", "name"],
    ["unsure.example", "name"],
    ["refused.example", "provider"],
    ["silent.example", "provider"],
    ["garbage.example", "provider"],
  ] as const) {
    test(`no answer is a failure of the ${fault} and never "takes no mail": ${domain}`, async () => {
      await assert.rejects(mailServers(names, domain), (error) => {
        assert.ok(error instanceof LookupFailure)
        assert.equal(error.fault, fault)
        assert.doesNotMatch(`${error.message} ${error.stack}`, /example/)
        assert.equal(error.cause, undefined)
        return true
      })
    })
  }

  test("a name server that is not there is a failure of the provider", async () => {
    const gone = await openTestNameServer({})
    gone.close()
    const nobody = openNameService([gone.address])
    await assert.rejects(mailServers(nobody, "company.example"), { fault: "provider" })
  })

  test("closing ends a question under way as a failure", async () => {
    const held = await openTestNameServer({ "held.example": "held" })
    const closing = openNameService([held.address])
    const asked = mailServers(closing, "held.example")
    closing.close()
    await assert.rejects(asked, LookupFailure)
  })
})
