// Activity of a message by recipient: every event, and every attempt with its SMTP dialog.

import { Box, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { AttemptDetails } from './attempt-details.tsx'
import { type Attempt, attemptsQuery, type Message, type MessageEvent, recipientsOf } from './calls.ts'
import { EventLine } from './event-line.tsx'

/** With more recipients than this there is a field to find one. */
const MANY = 8

interface ActivityProps {
  readonly domainId: string
  readonly message: Message
}

export function Activity({ domainId, message }: ActivityProps) {
  const attempts = useQuery(attemptsQuery(domainId, message.message_id, message.events.length))
  const [sought, setSought] = useState('')
  const recipients = recipientsOf(message)
  const words = sought.trim().toLowerCase()
  const shown = recipients.filter(({ email }) => email.toLowerCase().includes(words))
  return (
    <Stack gap="md">
      <ErrorNotice error={attempts.error} again={attempts.refetch} />
      {recipients.length > MANY && (
        <TextInput
          aria-label="Search recipients"
          placeholder={`Search ${recipients.length} recipients`}
          value={sought}
          onChange={(event) => setSought(event.currentTarget.value)}
          maw={360}
        />
      )}
      {shown.map(({ email, name, status }) => (
        <Card
          key={email}
          title={
            <Text span fw={600}>
              {email}
            </Text>
          }
          intro={name ?? undefined}
          actions={<StatusBadge status={status} />}
        >
          <Timeline
            events={message.events.filter((event) => event.email === email)}
            attempts={(attempts.data?.data ?? []).filter((attempt) => attempt.email === email)}
          />
        </Card>
      ))}
      {shown.length === 0 && <Text c="dimmed">No matching recipients.</Text>}
    </Stack>
  )
}

type Entry =
  | { readonly at: string; readonly key: string; readonly event: MessageEvent }
  | {
      readonly at: string
      readonly key: string
      readonly attempt: Attempt
      /** Event that ended the attempt. */
      readonly outcome: MessageEvent | undefined
    }

interface TimelineProps {
  readonly events: readonly MessageEvent[]
  readonly attempts: readonly Attempt[]
}

/** An attempt stands in the place of the event that it led to, which says less. */
function Timeline({ events, attempts }: TimelineProps) {
  const told = new Set(attempts.map(({ number }) => number))
  const entries: Entry[] = [
    ...events
      .filter(({ detail }) => !told.has(attemptOf(detail)))
      .map((event) => ({ at: event.at, key: event.id, event })),
    ...attempts.map((attempt) => ({
      at: attempt.started_at,
      key: `attempt ${attempt.number}`,
      attempt,
      outcome: events.findLast(({ detail }) => attemptOf(detail) === attempt.number),
    })),
  ].sort((one, other) => one.at.localeCompare(other.at))
  return (
    <Stack gap={0} component="ol" className="timeline">
      {entries.map((entry) => (
        <Box component="li" key={entry.key}>
          {'event' in entry ? (
            <EventLine event={entry.event} />
          ) : (
            <AttemptDetails attempt={entry.attempt} outcome={entry.outcome} />
          )}
        </Box>
      ))}
      {entries.length === 0 && (
        <Group component="li">
          <Text c="dimmed">No events yet.</Text>
        </Group>
      )}
    </Stack>
  )
}

/** The number of the attempt that an event came from; -1 for none. */
const attemptOf = (detail: object): number => {
  const { attempt } = detail as { attempt?: unknown }
  return typeof attempt === 'number' ? attempt : -1
}
