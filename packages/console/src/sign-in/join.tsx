import { Button, PasswordInput, Stack, TextInput } from "@mantine/core"
import { useMutation, useQuery } from "@tanstack/react-query"
import { type ReactElement, useState } from "react"
import { useLocation } from "wouter"
import { sending, textIn } from "../ui/form.ts"
import { forgetEverything, service } from "../ui/service.ts"
import { Answer, Failure, PageHead } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"
import { roleWords } from "../ui/words.ts"
import { hasPasskeys, makePasskey } from "../ui/passkeys.ts"

/** Taking up an invitation, or getting back in, by the token behind the `#` of a link. */
export default function Join(): ReactElement {
  const [token] = useState(() => location.hash.slice(1))
  const invitation = useQuery({
    queryKey: ["invitation"],
    queryFn: ({ signal }) => service.signIn.look(token, { signal }),
    staleTime: Infinity,
  })
  return (
    <main className="narrow">
      <PageHead title="Join" />
      <Answer of={invitation}>
        {({ tenant, role, back_in: isBackIn, expires_at: expiresAt }) => (
          <Stack>
            <p>
              {isBackIn
                ? "This link lets you set anew what you sign in by. What you had is replaced."
                : `You are invited to ${tenant ?? "the service itself"} as ${role === null ? "a member" : roleWords(role).toLowerCase()}.`}{" "}
              {isBackIn ? "It" : "The invitation"} is good once, until <Moment at={expiresAt} />.
            </p>
            <JoinForm token={token} isNew={!isBackIn} />
          </Stack>
        )}
      </Answer>
    </main>
  )
}

function JoinForm(props: { readonly token: string; readonly isNew: boolean }): ReactElement {
  const { token, isNew } = props
  const [, go] = useLocation()
  const [way, setWay] = useState<"passkey" | "password">(hasPasskeys() ? "passkey" : "password")
  const join = useMutation({
    mutationFn: async (form: FormData) => {
      const who = {
        token,
        ...(isNew && { name: textIn(form, "name"), email: textIn(form, "email") }),
      }
      if (way === "password")
        await service.signIn.join({ ...who, password: textIn(form, "password") })
      else {
        const { step, options } = await service.signIn.startJoinByPasskey(who)
        await service.signIn.join({ ...who, step, passkey: await makePasskey(options) })
      }
      await forgetEverything()
      go("/console", { replace: true })
    },
  })
  return (
    <form onSubmit={sending(join.mutate)}>
      <Stack>
        {isNew && (
          <>
            <TextInput
              name="name"
              label="Your name, as others see it"
              autoComplete="name"
              required
            />
            <TextInput
              name="email"
              type="email"
              label="Your address, by which you sign in"
              autoComplete="username"
              required
            />
          </>
        )}
        {way === "password" && (
          <PasswordInput
            name="password"
            label="Password"
            description="At least 12 characters, and no common password."
            autoComplete="new-password"
            minLength={12}
            required
          />
        )}
        <Button type="submit" loading={join.isPending}>
          {way === "password" ? "Join with this password" : "Join with a passkey"}
        </Button>
        {hasPasskeys() && (
          <Button
            variant="subtle"
            onClick={() => setWay(way === "password" ? "passkey" : "password")}
          >
            {way === "password" ? "Use a passkey instead" : "Use a password instead"}
          </Button>
        )}
        {join.error !== null && <Failure error={join.error} />}
      </Stack>
    </form>
  )
}
