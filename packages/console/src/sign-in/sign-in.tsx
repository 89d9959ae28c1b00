import { Button, PasswordInput, Stack, TextInput } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { type ReactElement, useState } from "react"
import { Link } from "wouter"
import { facts } from "../ui/facts.ts"
import { sending, textIn } from "../ui/form.ts"
import { forgetEverything, service } from "../ui/service.ts"
import { Failure, PageHead } from "../ui/states.tsx"
import { hasPasskeys, askPasskey } from "../ui/passkeys.ts"

/** Signing in: by passkey, by the company's account, or by password and a code. */
export default function SignIn(): ReactElement {
  const [step, setStep] = useState<string | null>(null)
  return (
    <main className="narrow">
      <PageHead title="Sign in" />
      {step === null ? <FirstStep onSecond={setStep} /> : <SecondStep step={step} />}
      <p className="soft">
        {facts.hasSignUp && (
          <>
            <Link href="/console/sign-up">Sign up</Link>
            {" · "}
          </>
        )}
        <a href="/docs">API reference</a>
        {facts.dropPage !== null && (
          <>
            {" · "}
            <a href={facts.dropPage}>Anonymous drop</a>
          </>
        )}
      </p>
    </main>
  )
}

function FirstStep({ onSecond }: { readonly onSecond: (step: string) => void }): ReactElement {
  const byPassword = useMutation({
    mutationFn: async (form: FormData) => {
      const answer = await service.signIn.byPassword(
        textIn(form, "email"),
        textIn(form, "password"),
      )
      if (answer.state === "second_step") onSecond(answer.step ?? "")
      else await forgetEverything()
    },
  })
  const byPasskey = useMutation({
    mutationFn: async () => {
      const { step, options } = await service.signIn.startPasskey()
      await service.signIn.byPasskey(step, await askPasskey(options))
      await forgetEverything()
    },
  })
  const failed = byPassword.error ?? byPasskey.error
  return (
    <Stack>
      {hasPasskeys() && (
        <Button onClick={() => byPasskey.mutate()} loading={byPasskey.isPending}>
          Sign in with a passkey
        </Button>
      )}
      {facts.signInPath !== null && (
        <Button component="a" variant="default" href={facts.signInPath}>
          Sign in with your company's account
        </Button>
      )}
      <form onSubmit={sending(byPassword.mutate)}>
        <Stack>
          <TextInput name="email" type="email" label="Address" autoComplete="username" required />
          <PasswordInput
            name="password"
            label="Password"
            autoComplete="current-password"
            required
          />
          <Button type="submit" variant="default" loading={byPassword.isPending}>
            Sign in with a password
          </Button>
        </Stack>
      </form>
      {failed !== null && <Failure error={failed} />}
    </Stack>
  )
}

function SecondStep({ step }: { readonly step: string }): ReactElement {
  const send = useMutation({
    mutationFn: async (form: FormData) => {
      await service.signIn.secondStep(step, textIn(form, "code"))
      await forgetEverything()
    },
  })
  return (
    <form onSubmit={sending(send.mutate)}>
      <Stack>
        <TextInput
          name="code"
          label="Code"
          description="Six digits of your authenticator app, or a recovery code."
          autoComplete="one-time-code"
          required
          autoFocus
        />
        <Button type="submit" loading={send.isPending}>
          Sign in
        </Button>
        {send.error !== null && <Failure error={send.error} />}
      </Stack>
    </form>
  )
}
