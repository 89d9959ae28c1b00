import type { DeliveryAttempt } from "@assay/client"
import { Alert } from "@mantine/core"
import type { ReactElement } from "react"
import { Table } from "../ui/table.tsx"
import { Moment } from "../ui/time.tsx"
import { answerWords, causeWords, wasTaken } from "./words.ts"

const count = new Intl.NumberFormat()

/** What came of an attempt that somebody asked for. */
export function AttemptNotice({ of }: { readonly of: DeliveryAttempt }): ReactElement {
  const taken = wasTaken(of)
  return (
    <Alert
      color={taken ? "teal" : "red"}
      title={taken ? "It was taken" : "It was not taken"}
      role="status"
      my="md"
    >
      <p>
        {answerWords(of.status, of.error)} after {count.format(of.duration_ms)} ms.
      </p>
      {of.response !== null && of.response !== "" && <Response text={of.response} />}
    </Alert>
  )
}

/** Every attempt at a delivery, the newest first. */
export function Attempts(props: { readonly attempts: readonly DeliveryAttempt[] }): ReactElement {
  return (
    <Table label="Attempts" columns={["When", "Why", "Answer", "#Took (ms)", "Response"]}>
      {props.attempts.map((attempt, n) => (
        <tr key={`${attempt.at} ${n}`}>
          <td>
            <Moment at={attempt.at} />
          </td>
          <td>{causeWords[attempt.cause]}</td>
          <td>{answerWords(attempt.status, attempt.error)}</td>
          <td className="number">{count.format(attempt.duration_ms)}</td>
          <td className="wide">
            {attempt.response !== null && attempt.response !== "" && (
              <span className="answer">{attempt.response}</span>
            )}
          </td>
        </tr>
      ))}
    </Table>
  )
}

function Response({ text }: { readonly text: string }): ReactElement {
  return (
    <pre className="code whole" tabIndex={0} aria-label="What it answered">
      {text}
    </pre>
  )
}
