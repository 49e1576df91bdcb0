// The question before a bulk is sent: the number of recipients, the message, and the rows with faults.

import { Alert, List, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Confirm } from '../../parts/confirm.tsx'
import { Facts } from '../../parts/facts.tsx'
import { whole } from '../../parts/numbers.ts'
import { momentOf } from '../../parts/time.tsx'
import { bulk as words } from '../../texts/en/bulk.ts'
import { counted, fill } from '../../texts/texts.ts'
import type { BulkCheck } from './calls.ts'

const texts = words.new.question

interface SendQuestionProps {
  readonly check: BulkCheck
  readonly from: string
  readonly stream: string
  /** Subject of the first row; undefined if the subject is not known. */
  readonly subject: string | undefined
  /** Time in RFC 3339 format; undefined to send at once. */
  readonly sendAt: string | undefined
  readonly opened: boolean
  readonly onClose: () => void
  readonly onConfirm: () => void
  readonly busy: boolean
  readonly error: Error | null
}

export function SendQuestion(props: SendQuestionProps) {
  const { check, from, stream, subject, sendAt, ...dialog } = props
  const recipients = check.total - check.refused
  const action = counted(texts.send, recipients)
  return (
    <Confirm
      {...dialog}
      title={recipients === 0 ? texts.nobody : counted(texts.title, recipients)}
      action={action}
      harmless
      disabled={recipients === 0}
    >
      <Stack>
        <Facts
          facts={[
            [texts.recipients, fill(texts.ofRows, { recipients, total: check.total })],
            [words.subject, subject],
            [words.new.from, from],
            [words.stream, stream],
            [texts.time, sendAt === undefined ? texts.atOnce : momentOf(sendAt)],
          ]}
        />
        <Faults check={check} />
      </Stack>
    </Confirm>
  )
}

/** The refused rows, and the rows whose messages have unfilled variables. */
function Faults({ check: { refused, refusals, variables } }: { readonly check: BulkCheck }) {
  const lacking = variables.filter(({ rows }) => rows > 0)
  const required = lacking.filter((variable) => variable.required)
  const optional = lacking.filter((variable) => !variable.required)
  return (
    <>
      {refused > 0 && (
        <FaultList title={counted(texts.refused, refused)} color="red">
          {required.map(({ name, rows, line }) => (
            <List.Item key={name}>{inRows(fill(texts.lacks, { name }), rows, line)}</List.Item>
          ))}
          {refusals.map(({ reason, rows, line }) => (
            <List.Item key={reason}>{inRows(reason.replace(/\.$/, ''), rows, line)}</List.Item>
          ))}
        </FaultList>
      )}
      {optional.length > 0 && (
        <FaultList title={texts.empty} color="yellow">
          {optional.map(({ name, rows, line }) => (
            <List.Item key={name}>{inRows(name, rows, line)}</List.Item>
          ))}
        </FaultList>
      )}
    </>
  )
}

interface FaultListProps {
  readonly title: string
  readonly color: string
  readonly children: ReactNode
}

const FaultList = ({ title, color, children }: FaultListProps) => (
  <Alert color={color} title={title}>
    <List fz="sm" spacing={2}>
      {children}
    </List>
  </Alert>
)

const inRows = (fault: string, rows: number, line: number | null): string =>
  counted(texts.inRows, rows, { fault, line: line === null ? '' : whole(line) })
