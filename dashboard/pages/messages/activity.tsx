// Activity of a message by recipient: all events, and all attempts with their SMTP dialog.

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
import './timeline.css'

/** Number of recipients above which the page has a search field. */
const MANY = 8
/** Maximum number of recipients whose events are all expanded at first. */
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
          // Delivered recipients are collapsed if there are many, because users look for the other recipients.
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
  /** True if the events are collapsed at first. */
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
          <StatusBadge status={recipient.held === undefined ? status : 'held'} />
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
  /** Time of the next attempt; undefined if there will be none. */
  readonly next: string | undefined
}

/** Shows each attempt instead of the event that it caused, because the attempt contains more details. */
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

/** Returns the number of the attempt that caused an event; -1 if there was none. */
const attemptOf = (detail: object): number => {
  const { attempt } = detail as { attempt?: unknown }
  return typeof attempt === 'number' ? attempt : -1
}
