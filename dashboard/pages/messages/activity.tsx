// Activity of a message by recipient: every event, and every attempt with its SMTP dialog.

import { ActionIcon, Box, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Choice } from '../../parts/filters.tsx'
import { IconChevronDown, IconChevronRight } from '../../parts/icons.tsx'
import { inWords } from '../../parts/in-words.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { messages as words } from '../../texts/en/messages.ts'
import { fill } from '../../texts/texts.ts'
import { AttemptDetails } from './attempt-details.tsx'
import {
  type Attempt,
  attemptsQuery,
  type Message,
  type MessageEvent,
  type Recipient,
  recipientsOf,
} from './calls.ts'
import { EventLine } from './event-line.tsx'

/** With more recipients than this there is a field to find one. */
const MANY = 8
/** Up to so many, the events of each are shown at once. */
const MANY_OPEN = 3

interface ActivityProps {
  readonly domainId: string
  readonly message: Message
}

export function Activity({ domainId, message }: ActivityProps) {
  const attempts = useQuery(attemptsQuery(domainId, message.message_id, message.events.length))
  const [sought, setSought] = useState('')
  const [status, setStatus] = useState('')
  const recipients = recipientsOf(message)
  const typed = sought.trim().toLowerCase()
  const statuses = [...new Set(recipients.map((one) => one.status))]
  const shown = recipients.filter(
    (one) => one.email.toLowerCase().includes(typed) && (status === '' || one.status === status),
  )
  return (
    <Stack gap="md">
      <ErrorNotice error={attempts.error} again={attempts.refetch} />
      {recipients.length > MANY && (
        <search className="filters" aria-label={words.recipients}>
          <TextInput
            aria-label={words.searchRecipients}
            placeholder={fill(words.searchCount, { count: recipients.length })}
            value={sought}
            onChange={(event) => setSought(event.currentTarget.value)}
          />
          {statuses.length > 1 && (
            <Choice
              label={words.status}
              value={status}
              onChange={setStatus}
              data={statuses.map((value) => ({ value, label: inWords(value) }))}
            />
          )}
        </search>
      )}
      {shown.map((recipient) => (
        <RecipientActivity
          key={recipient.email}
          recipient={recipient}
          // Of many the ones that arrived are not what somebody is here for.
          folded={recipients.length > MANY_OPEN && recipient.status === 'delivered'}
          events={message.events.filter(({ email }) => email === recipient.email)}
          attempts={(attempts.data?.data ?? []).filter(({ email }) => email === recipient.email)}
        />
      ))}
      {shown.length === 0 && <Text c="dimmed">{words.noRecipients}</Text>}
    </Stack>
  )
}

interface RecipientActivityProps extends Omit<TimelineProps, 'next'> {
  readonly recipient: Recipient
  /** At first. */
  readonly folded: boolean
}

function RecipientActivity({ recipient, folded, events, attempts }: RecipientActivityProps) {
  const [opened, { toggle }] = useDisclosure(!folded)
  const { email, name, status } = recipient
  return (
    <Card
      title={
        <Text span fw={600}>
          {email}
        </Text>
      }
      intro={name ?? undefined}
      actions={
        <>
          <StatusBadge status={status} />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-expanded={opened}
            aria-label={fill(opened ? words.hideEvents : words.showEvents, { email })}
            onClick={toggle}
          >
            {opened ? <IconChevronDown size={16} /> : <IconChevronRight size={16} />}
          </ActionIcon>
        </>
      }
    >
      {opened && <Timeline events={events} attempts={attempts} next={recipient.next_attempt_at} />}
    </Card>
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
  /** Time of the next attempt; undefined where none is to come. */
  readonly next: string | undefined
}

/** An attempt stands in the place of the event that it led to, which says less. */
function Timeline({ events, attempts, next }: TimelineProps) {
  const last = attempts.at(-1)?.number
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
            <AttemptDetails
              attempt={entry.attempt}
              outcome={entry.outcome}
              next={entry.attempt.number === last ? next : undefined}
            />
          )}
        </Box>
      ))}
      {entries.length === 0 && (
        <Group component="li">
          <Text c="dimmed">{words.noEvents}</Text>
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
