// Columns of message lists; each cell has one line, and its title contains the complete text.

import { Anchor, Box, Text } from '@mantine/core'
import { Link } from 'react-router'
import type { Column } from '../../parts/data-table.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { momentOf, Time } from '../../parts/time.tsx'
import { messages as words } from '../../texts/en/messages.ts'
import { fill, parts } from '../../texts/texts.ts'
import { addressPath } from '../search/calls.ts'
import { type MessageLine, recipientsInShort, recipientsOf } from './calls.ts'
import { type Held, holdInWords } from './held-words.ts'
import type { Outcome } from './outcome.ts'
import { skipsInWords } from './skips.ts'

export const oneLine = (text: string) => (
  <div className="one-line-each" title={text}>
    <div>{text}</div>
  </div>
)

/** The first recipient, which may be truncated, and the number of the others, which is always visible. */
function Recipients({ message }: { readonly message: MessageLine }) {
  const [first, ...others] = recipientsOf(message)
  return (
    <div className="with-count">
      <span>{first?.email}</span>
      {others.length > 0 && <span>{fill(words.andMore, { count: others.length })}</span>}
    </div>
  )
}

/** Returns the column with the status; on narrow screens, the time is below the status. */
export const statusColumn = <Row extends MessageLine>(outcomeOf: (row: Row) => Outcome): Column<Row> => ({
  title: words.status,
  cell: (row) => (
    <>
      <StatusBadge status={outcomeOf(row).status} />
      <Text fz="xs" c="dimmed" hiddenFrom="xs" component="div">
        <Time at={row.created_at} />
      </Text>
    </>
  ),
  width: { base: 110, sm: 125 },
})

/**
 * Returns the column with the subject; on narrow screens, the recipient and the last reply are below the subject.
 */
export const subjectColumn = <Row extends MessageLine>(
  linkOf: (row: Row) => string,
  outcomeOf: (row: Row) => Outcome,
): Column<Row> => ({
  title: words.subject,
  cell: (row) => (
    <div className="one-line-each" title={row.subject}>
      <Anchor component={Link} to={linkOf(row)} fw={500} c="var(--mantine-color-text)" fz="sm">
        {row.subject || words.noSubject}
      </Anchor>
      <Text fz="sm" c="dimmed" hiddenFrom="sm" component="div">
        <Recipients message={row} />
      </Text>
      <Box hiddenFrom="md">
        <Reason row={row} outcome={outcomeOf(row)} />
      </Box>
    </div>
  ),
  // The subject column is the widest, because users recognise a message by its subject.
  width: { sm: '25%' },
})

export const recipientColumn = (): Column<MessageLine> => ({
  title: words.recipient,
  cell: (row) => {
    const [only, ...others] = recipientsOf(row)
    const text = recipientsInShort(row)
    return (
      <div className="one-line-each" title={text}>
        {only !== undefined && others.length === 0 ? (
          <Link
            to={addressPath(only.email)}
            className="plain-link"
            title={fill(words.allAbout, { email: only.email })}
          >
            {text}
          </Link>
        ) : (
          <Recipients message={row} />
        )}
      </div>
    )
  },
  from: 'sm',
  width: '24%',
})

/** Returns the column with the reply to a failed attempt, the time of the next attempt, and changes that were left out. */
export const reasonColumn = <Row extends MessageLine>(outcomeOf: (row: Row) => Outcome): Column<Row> => ({
  title: words.lastReply,
  cell: (row) => <Reason row={row} outcome={outcomeOf(row)} />,
  from: 'md',
  width: '25%',
})

interface ReasonProps {
  readonly row: MessageLine
  readonly outcome: Outcome
}

function Reason({ row, outcome: { reason: reply = '', nextAttemptAt, held } }: ReasonProps) {
  if (held !== undefined) return <HeldLine held={held} />
  const reason = [reply, ...skipsInWords(row)].filter((part) => part !== '').join(' · ')
  if (reason === '' && nextAttemptAt === undefined) return null
  return (
    <div className="one-line-each" title={reason}>
      <Text fz="sm" c="dimmed">
        {nextAttemptAt !== undefined && (
          <>
            {Date.parse(nextAttemptAt) > Date.now()
              ? parts(words.nextAttempt, { time: <Time key="time" at={nextAttemptAt} /> })
              : words.nextAttemptSoon}
            {reason === '' ? '' : ' · '}
          </>
        )}
        {reason}
      </Text>
    </div>
  )
}

function HeldLine({ held: { cause, value, since } }: { readonly held: Held }) {
  const hold = { value, when: <Time key="when" at={since} /> }
  return (
    <div className="one-line-each" title={holdInWords({ cause, value, since }, momentOf)}>
      <Text fz="sm" c="dimmed">
        {parts(words.holds[cause], hold)}
      </Text>
    </div>
  )
}

export const sentColumn = (): Column<MessageLine> => ({
  title: words.sent,
  cell: ({ created_at }) => <Time at={created_at} />,
  from: 'xs',
  width: 115,
  number: true,
})
