// The recipients of all accounts that wait for one destination, each with the last reply and the next attempt.

import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { BackLink } from '../../parts/back-link.tsx'
import { Card } from '../../parts/card.tsx'
import { DataTable, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconCircleCheck } from '../../parts/icons.tsx'
import { whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { messages } from '../../texts/en/messages.ts'
import { operator } from '../../texts/en/operator.ts'
import { fill, parts } from '../../texts/texts.ts'
import { replyInWords } from '../messages/event-words.ts'
import { type WaitingRecipient, waitingQuery } from './calls.ts'

export function Component() {
  const { destination = '' } = useParams()
  const words = operator.queue
  const waiting = useQuery(waitingQuery(destination, useCursor()))
  return (
    <Page
      title={destination}
      above={<BackLink to="/operator/queue">{operator.tabs.queue}</BackLink>}
      size={1280}
    >
      <Card flush>
        <DataTable
          label={fill(words.waitFor, { destination })}
          query={waiting}
          keyOf={({ message_id, email }) => `${message_id} ${email}`}
          columns={[
            {
              title: operator.recipient,
              cell: ({ email, message_id }) => (
                <>
                  <Text fz="sm" fw={500}>
                    {email}
                  </Text>
                  <Text fz="xs" c="dimmed" className="code-line nowrap">
                    {message_id}
                  </Text>
                </>
              ),
            },
            {
              title: operator.from,
              from: 'sm',
              cell: ({ domain, stream }) => (
                <>
                  {domain}
                  <Text fz="xs" c="dimmed">
                    {stream}
                  </Text>
                </>
              ),
            },
            { title: operator.attempts, number: true, from: 'md', cell: ({ attempts }) => whole(attempts) },
            {
              title: operator.lastReply,
              width: '34%',
              cell: ({ smtp_code, smtp_response, last_event_at, attempts }) =>
                attempts > 0 && (
                  <>
                    <Text fz="sm">{replyInWords(smtp_code, smtp_response) || operator.noReply}</Text>
                    <Text fz="xs" c="dimmed">
                      <Time at={last_event_at} />
                    </Text>
                  </>
                ),
            },
            {
              title: operator.nextAttempt,
              cell: ({ state, held, next_attempt_at: next }) =>
                state === 'active' ? (
                  words.now
                ) : held !== null ? (
                  <HeldBy held={held} />
                ) : (
                  next !== null && <Time at={next} passed={operator.nextAttemptDue} />
                ),
            },
          ]}
          empty={
            <EmptyState icon={<IconCircleCheck size={36} stroke={1.2} />} title={words.nothing}>
              {words.nothingHint}
            </EmptyState>
          }
        />
      </Card>
    </Page>
  )
}

function HeldBy({ held }: { readonly held: NonNullable<WaitingRecipient['held']> }) {
  const { cause, value, since, note } = held
  return (
    <>
      <StatusBadge status="held" />
      <Text fz="xs" c="dimmed">
        {parts(messages.holds[cause], { value, when: <Time key="when" at={since} /> })}
        {note !== null && ` ${fill(operator.queue.noted, { note })}`}
      </Text>
    </>
  )
}
