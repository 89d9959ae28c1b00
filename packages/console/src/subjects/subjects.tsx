import type { SubjectErasure, SubjectExport, SubjectRequest } from "@assay/client"
import { Alert, Button, Group, NativeSelect, TextInput } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { type ReactElement, useState } from "react"
import { ConfirmedButton } from "../ui/confirm.tsx"
import { sending } from "../ui/form.ts"
import { asTyped, isNumber } from "../ui/identity.ts"
import { service, useSession } from "../ui/service.ts"
import { Failure, PageHead } from "../ui/states.tsx"
import { Moment } from "../ui/time.tsx"

const REASONS: Readonly<Record<SubjectRequest["reason"], string>> = {
  subject_request: "The person asked for it",
  legal_request: "A court or an authority asked for it",
  consent_withdrawn: "Consent was withdrawn",
  incident: "An incident is looked into",
  correction: "Something held is wrong",
}

const count = new Intl.NumberFormat()

/**
 * Exports and erases what is held about a person. Whom it is about is in no address and no store.
 */
export default function Subjects(): ReactElement {
  const session = useSession().data
  const [identity, setIdentity] = useState("")
  const [reason, setReason] = useState<SubjectRequest["reason"]>("subject_request")
  const [reference, setReference] = useState("")
  const named = asTyped(identity)
  const request: SubjectRequest = {
    ...(isNumber(named) ? { phone_number: named } : { email: named }),
    reason,
    ...(reference !== "" && { reference }),
  }
  const exporting = useMutation({ mutationFn: () => service.exportSubject(request) })
  const erasing = useMutation({ mutationFn: () => service.eraseSubject(request) })
  const type = (text: string): void => {
    setIdentity(text)
    // What is shown is about the identity in the field, or nothing is.
    exporting.reset()
    erasing.reset()
  }
  const ofService = session?.tenant_id === null
  return (
    <>
      <PageHead title="Subjects" />
      <p>
        {ofService
          ? "What the service and its tenants hold about a person: imported evidence, reports, decisions and reviews."
          : "What your tenant holds about a person: reports, evidence, decisions and reviews. Imported evidence belongs to the service and is neither shown nor erased here."}{" "}
        Exporting and erasing are noted in the audit trail, without the address or number.
      </p>
      <form
        onSubmit={sending(() => {
          erasing.reset()
          exporting.mutate()
        })}
      >
        <Group align="flex-end" mb="md">
          <TextInput
            label="Address or number"
            placeholder="name@mail.example or +61491570156"
            value={identity}
            onChange={(event) => type(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            required
            w={340}
            maw="100%"
          />
          <NativeSelect
            label="Why"
            value={reason}
            data={Object.entries(REASONS).map(([value, label]) => ({ value, label }))}
            onChange={(event) => setReason(event.currentTarget.value as SubjectRequest["reason"])}
          />
          <TextInput
            label="Case reference (optional)"
            placeholder="DSR-118"
            value={reference}
            onChange={(event) => setReference(event.currentTarget.value)}
            pattern="[A-Za-z0-9._\-]{1,64}"
            title="Letters, digits, dots, hyphens and underscores. It must not name the person."
            autoComplete="off"
          />
          <Button type="submit" loading={exporting.isPending}>
            Export what is held
          </Button>
        </Group>
      </form>
      {/* Outside of the form: a confirmation is a form of its own. */}
      {named !== "" && (
        <Group mb="md">
          <ConfirmedButton
            label={isNumber(named) ? "Erase this number" : "Erase this address"}
            name={named}
            act={() => erasing.mutateAsync()}
          >
            <p>
              {ofService
                ? "Everything that anybody holds about it is erased, for good: imported evidence, reports and decisions of all tenants. What is imported later is left out too, and lookups answer that nothing is available."
                : "Reports, evidence and decisions of your tenant about it are erased now. What you send later is kept as usual."}{" "}
              This cannot be undone.
            </p>
          </ConfirmedButton>
        </Group>
      )}
      <div aria-live="polite">
        {exporting.error !== null && <Failure error={exporting.error} />}
        {erasing.data !== undefined && <Erased erasure={erasing.data} />}
        {/* What was held before an erasure is not held after it. */}
        {exporting.data !== undefined && erasing.data === undefined && (
          <Exported held={exporting.data} />
        )}
      </div>
    </>
  )
}

function Erased({ erasure }: { readonly erasure: SubjectErasure }): ReactElement {
  const { erased_at: at, scope, reports, decisions } = erasure
  return (
    <Alert color="teal" title="Erased" role="status" my="md">
      <p>
        {of(reports, "report or line of evidence", "reports and lines of evidence")} and the
        contents of {of(decisions, "decision", "decisions")} were deleted, <Moment at={at} />.{" "}
        {scope === "everything"
          ? "Nothing imported counts for it any more, now or later."
          : "What the service imported is not part of this."}
      </p>
    </Alert>
  )
}

function Exported({ held }: { readonly held: SubjectExport }): ReactElement {
  const { evidence, evidence_cut: cut, reports, decisions, reviews, erased_at: erasedAt } = held
  const file = new Blob([`${JSON.stringify(held, null, 2)}\n`], { type: "application/json" })
  return (
    <section className="panel" aria-label="What is held">
      <p>
        {of(evidence.length, "observation", "observations")}
        {cut > 0 && ` (and ${count.format(cut)} more that were not kept)`},{" "}
        {of(reports.length, "report", "reports")}, {of(decisions.length, "decision", "decisions")},{" "}
        {of(reviews.length, "review", "reviews")}.
        {erasedAt !== null && (
          <>
            {" "}
            Everything was erased, <Moment at={erasedAt} />.
          </>
        )}
      </p>
      {/* The name of a file lands in histories of downloads, so it does not say whom it is about. */}
      <Button component="a" href={URL.createObjectURL(file)} download="assay-subject.json">
        Download as JSON
      </Button>
    </section>
  )
}

const of = (n: number, one: string, many: string): string =>
  `${count.format(n)} ${n === 1 ? one : many}`
