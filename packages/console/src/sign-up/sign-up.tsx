import type { SignUpOffer, SignUpPending, SignUpResult } from "@assay/client"
import { Button, Checkbox, Stack, TextInput } from "@mantine/core"
import { useMutation, useQuery } from "@tanstack/react-query"
import { type ReactElement, useState } from "react"
import { Link } from "wouter"
import { sending, textIn } from "../ui/form.ts"
import { ShownOnce } from "../ui/secret.tsx"
import { service } from "../ui/service.ts"
import { Answer, Failure, PageHead } from "../ui/states.tsx"
import { planWords } from "../ui/words.ts"
import { workedOn } from "./work.ts"

/** What follows, before anything is sent. */
const MODES: Readonly<Record<SignUpOffer["mode"], string>> = {
  open: "You get an API key at once.",
  confirmed: "You get a mail with a token, which gives you an API key.",
  approved: "An administrator looks at it first, and then sends you a token for an API key.",
}

/** A stranger becomes a tenant of the free plan; a token behind the `#` completes it. */
export default function SignUp(): ReactElement {
  const [given] = useState(() => location.hash.slice(1))
  const [made, setMade] = useState<SignUpResult | SignUpPending | null>(null)
  const offer = useQuery({
    queryKey: ["sign-up"],
    queryFn: ({ signal }) => service.signUp.offer({ signal }),
    staleTime: Infinity,
  })
  return (
    <main className="narrow">
      <PageHead title="Sign up" />
      {made === null ? (
        <Answer of={offer}>
          {(found) => (
            <Stack gap="xl">
              {given === "" && <AskForm offer={found} onDone={setMade} />}
              {(found.mode !== "open" || given !== "") && (
                <TokenForm given={given} onDone={setMade} />
              )}
            </Stack>
          )}
        </Answer>
      ) : (
        <Done of={made} />
      )}
      <p className="soft">
        <Link href="/console">Sign in</Link> · <a href="/docs">API reference</a>
      </p>
    </main>
  )
}

function AskForm(props: {
  readonly offer: SignUpOffer
  readonly onDone: (made: SignUpResult | SignUpPending) => void
}): ReactElement {
  const { offer, onDone } = props
  const { terms, mode, plan } = offer
  const ask = useMutation({
    mutationFn: async (form: FormData) =>
      onDone(
        await service.signUp.ask({
          organisation: textIn(form, "organisation"),
          email: textIn(form, "email"),
          purposes: terms.purposes
            .map(({ name }) => name)
            .filter((name) => form.getAll("purposes").includes(name)),
          terms_version: terms.version,
          // Each solution is good once, so a second attempt works on another challenge.
          proof: await workedOn(await service.signUp.offer()),
        }),
      ),
  })
  return (
    <form onSubmit={sending(ask.mutate)}>
      <Stack>
        <p>
          The plan is {planWords(plan)} and needs no card. {MODES[mode]}
        </p>
        <TextInput
          name="organisation"
          label="Organisation"
          description="Its name, as administrators see it."
          autoComplete="organization"
          maxLength={80}
          required
        />
        <TextInput
          name="email"
          type="email"
          label="Address of its owner"
          description="Kept sealed."
          autoComplete="email"
          required
        />
        <Checkbox.Group label="What you look identities up for" required>
          <Stack gap="xs" mt="xs">
            {terms.purposes.map(({ name, meaning }) => (
              <Checkbox key={name} name="purposes" value={name} label={meaning} />
            ))}
          </Stack>
        </Checkbox.Group>
        <section>
          <h2>What you agree to</h2>
          <ul>
            {terms.sentences.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </section>
        <Button type="submit" loading={ask.isPending}>
          Agree and sign up
        </Button>
        {ask.isPending && (
          <p role="status" className="soft">
            Your computer works for a few seconds, so that programs cannot sign up by the thousand.
          </p>
        )}
        {ask.error !== null && <Failure error={ask.error} />}
      </Stack>
    </form>
  )
}

function TokenForm(props: {
  readonly given: string
  readonly onDone: (made: SignUpResult) => void
}): ReactElement {
  const { given, onDone } = props
  const confirm = useMutation({
    mutationFn: async (form: FormData) =>
      onDone(await service.signUp.confirm(textIn(form, "token").trim())),
  })
  return (
    <form onSubmit={sending(confirm.mutate)}>
      <Stack>
        <TextInput
          name="token"
          label="Token"
          description="Of the mail, or the one an administrator gave you. It is good once."
          autoComplete="off"
          defaultValue={given}
          required
        />
        <Button type="submit" variant="default" loading={confirm.isPending}>
          Complete the sign-up
        </Button>
        {confirm.error !== null && <Failure error={confirm.error} />}
      </Stack>
    </form>
  )
}

function Done({ of }: { readonly of: SignUpResult | SignUpPending }): ReactElement {
  if ("state" in of)
    return (
      <p role="status">
        {of.state === "mail-sent"
          ? "A mail is on its way. Its token gives you the key, within a day."
          : "An administrator decides on it. You get a token after that."}
      </p>
    )
  return (
    <Stack>
      <p>
        The tenant <strong>{of.tenant}</strong> was made. Its plan is {planWords(of.plan)}.
      </p>
      <ShownOnce title="Your API key" text={of.key} what="key">
        <p>
          Next, <a href={of.owner_link}>join as its owner</a>: the link is good once, within seven
          days. Owners make and revoke keys, and invite others.
        </p>
      </ShownOnce>
    </Stack>
  )
}
