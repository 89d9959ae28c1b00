import type { OwnAccount, TotpStart } from "@assay/client"
import { Button, Group, PasswordInput, Stack, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { type ReactElement, useState } from "react"
import { hasPasskeys, makePasskey } from "../ui/passkeys.ts"
import { useChange } from "../ui/change.ts"
import { ConfirmedButton } from "../ui/confirm.tsx"
import { sending, textIn } from "../ui/form.ts"
import { ShownOnce } from "../ui/secret.tsx"
import { service } from "../ui/service.ts"
import { Answer, Failure, PageHead } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { Sessions } from "./sessions.tsx"

/** What the person who is signed in signs in by, and where they are signed in. */
export default function Account(): ReactElement {
  const account = useQuery({
    queryKey: ["account"],
    queryFn: ({ signal }) => service.account.get({ signal }),
  })
  return (
    <>
      <PageHead title="Your account" />
      <Answer of={account}>
        {(own) => (
          <Stack gap="xl">
            <p>
              {own.name}, {own.email}
            </p>
            <Passkeys own={own} />
            <Password own={own} />
            <SecondStep own={own} />
            <Sessions />
          </Stack>
        )}
      </Answer>
    </>
  )
}

function Passkeys({ own }: { readonly own: OwnAccount }): ReactElement {
  const add = useChange(async (form: FormData) => {
    const { step, options } = await service.account.startPasskey()
    await service.account.addPasskey(step, await makePasskey(options), textIn(form, "label"))
  }, "account")
  const remove = useChange((id: string) => service.account.removePasskey(id), "account")
  return (
    <section>
      <h2>Passkeys</h2>
      {own.passkeys.length === 0 && <p className="soft">You have none yet.</p>}
      <ul>
        {own.passkeys.map(({ id, label, created_at: madeAt, used_at: usedAt }) => (
          <li key={id}>
            <strong>{label === "" ? "Passkey" : label}</strong>, made <Moment at={madeAt} />
            {usedAt !== null && (
              <>
                , last used <Moment at={usedAt} />
              </>
            )}{" "}
            <ConfirmedButton
              label="Remove passkey"
              name={label === "" ? "Passkey" : label}
              act={() => remove.mutateAsync(id)}
            >
              <p>You cannot sign in with it any more, and your other sessions end.</p>
            </ConfirmedButton>
          </li>
        ))}
      </ul>
      {hasPasskeys() && (
        <form onSubmit={sending(add.mutate)}>
          <Group align="flex-end">
            <TextInput name="label" label="Name of a new passkey" required maxLength={100} />
            <Button type="submit" variant="default" loading={add.isPending}>
              Add a passkey
            </Button>
          </Group>
        </form>
      )}
      {add.error !== null && <Failure error={add.error} />}
    </section>
  )
}

function Password({ own }: { readonly own: OwnAccount }): ReactElement {
  const set = useChange(
    (form: FormData) => service.account.setPassword(textIn(form, "password")),
    "account",
    "sessions",
  )
  return (
    <section>
      <h2>Password</h2>
      <p className="soft">
        {own.password ? "You have one." : "You have none."} Your other sessions end when it changes.
      </p>
      <form onSubmit={sending(set.mutate)}>
        <Group align="flex-end">
          <PasswordInput
            name="password"
            label="New password"
            description="At least 12 characters, and no common password."
            autoComplete="new-password"
            minLength={12}
            required
            w={320}
          />
          <Button type="submit" variant="default" loading={set.isPending}>
            Set password
          </Button>
        </Group>
      </form>
      {set.isSuccess && <p role="status">The password is set.</p>}
      {set.error !== null && <Failure error={set.error} />}
    </section>
  )
}

function SecondStep({ own }: { readonly own: OwnAccount }): ReactElement {
  const [started, setStarted] = useState<TotpStart | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const start = useChange(async () => setStarted(await service.account.startTotp()))
  const confirm = useChange(async (form: FormData) => {
    const made = await service.account.confirmTotp(started?.step ?? "", textIn(form, "code"))
    setCodes(made.recovery_codes)
    setStarted(null)
  }, "account")
  const renew = useChange(
    async () => setCodes((await service.account.makeRecoveryCodes()).recovery_codes),
    "account",
  )
  const remove = useChange(() => service.account.removeTotp(), "account")
  const failed = start.error ?? confirm.error
  return (
    <section>
      <h2>Authenticator app</h2>
      <p className="soft">
        {own.totp
          ? `After your password a code is asked for. ${own.recovery_codes === 1 ? "1 recovery code is" : `${own.recovery_codes} recovery codes are`} left.`
          : "After your password, a code from an app can be asked for too."}
      </p>
      {codes !== null && (
        <ShownOnce title="Recovery codes" text={codes.join("\n")} what="recovery codes">
          <p>Each is good once, in place of a code of the app. Keep them where the app is not.</p>
        </ShownOnce>
      )}
      {started !== null && (
        <form onSubmit={sending(confirm.mutate)}>
          <Stack>
            <p>
              Type this into your app: <code>{started.secret}</code>, or open{" "}
              <a href={started.uri}>the same as a link</a> on the phone that has it.
            </p>
            <Group align="flex-end">
              <TextInput
                name="code"
                label="Code that the app shows"
                autoComplete="one-time-code"
                required
              />
              <Button type="submit" loading={confirm.isPending}>
                Confirm
              </Button>
            </Group>
          </Stack>
        </form>
      )}
      <Group>
        {started === null && (
          <Button variant="default" onClick={() => start.mutate(undefined)}>
            {own.totp ? "Set up another app" : "Set up an app"}
          </Button>
        )}
        {own.totp && (
          <>
            <ConfirmedButton
              label="Make new recovery codes"
              name="codes"
              act={() => renew.mutateAsync(undefined)}
            >
              <p>The codes you have are good no more, and new ones are shown once.</p>
            </ConfirmedButton>
            <ConfirmedButton
              label="Remove app"
              name="app"
              act={() => remove.mutateAsync(undefined)}
            >
              <p>After your password no code is asked for any more.</p>
            </ConfirmedButton>
          </>
        )}
      </Group>
      {failed !== null && <Failure error={failed} />}
    </section>
  )
}
