// The queue by destination, each with its last reply, and with buttons to retry at once, pause and resume.

import { Alert, Anchor, Box, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { ActionButton } from '../../parts/action-button.tsx'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { DataTable, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconCircleCheck } from '../../parts/icons.tsx'
import { whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { operator } from '../../texts/en/operator.ts'
import { counted, fill, parts } from '../../texts/texts.ts'
import { replyInWords } from '../messages/event-words.ts'
import { type Destination, pauseDestination, type Queue, queueQuery, resumeHeld, retryNow } from './calls.ts'
import { OperatorTabs } from './operator-tabs.tsx'

export function Component() {
  const words = operator.queue
  const queue = useQuery(queueQuery(useCursor()))
  const paused = queue.data?.paused ?? []
  const rows = queue.data?.data ?? []
  // A destination without queued mail has no row, and its pause would be invisible.
  const held = paused.filter((one) => !rows.some(({ destination }) => isOf(one, destination)))
  return (
    <Page title={operator.title} size={1280}>
      <OperatorTabs />
      <Stack gap="lg">
        {held.map((one) => (
          <Held key={`${one.kind} ${one.value}`} held={one} />
        ))}
        <Card flush>
          <DataTable
            label={words.title}
            query={queue}
            keyOf={({ destination }) => destination}
            columns={[
              {
                title: words.destination,
                width: '20%',
                cell: ({ destination }) => (
                  <Stack gap={2} align="flex-start">
                    <Anchor
                      component={Link}
                      to={`/operator/queue/${encodeURIComponent(destination)}`}
                      fw={500}
                      fz="sm"
                      c="var(--mantine-color-text)"
                    >
                      {destination}
                    </Anchor>
                    <PauseOf pause={paused.find((one) => isOf(one, destination))} />
                  </Stack>
                ),
              },
              { title: words.queued, number: true, cell: ({ recipients }) => whole(recipients) },
              { title: words.active, number: true, from: 'lg', cell: (one) => whole(one.in_attempt) },
              {
                title: operator.lastReply,
                width: '34%',
                cell: ({ last_reply: reply }) => reply !== null && <LastReply reply={reply} />,
              },
              { title: words.oldest, from: 'sm', cell: ({ oldest_at }) => <Time at={oldest_at} /> },
              {
                title: operator.nextAttempt,
                from: 'sm',
                cell: ({ next_attempt_at: next }) =>
                  next === null ? (
                    <StatusBadge status="held" />
                  ) : (
                    <Time at={next} passed={operator.nextAttemptDue} />
                  ),
              },
              { title: '', number: true, cell: (destination) => <Acts destination={destination} /> },
            ]}
            empty={
              <EmptyState icon={<IconCircleCheck size={36} stroke={1.2} />} title={words.empty}>
                {words.emptyHint}
              </EmptyState>
            }
          />
        </Card>
      </Stack>
    </Page>
  )
}

type Pause = Queue['paused'][number]

const isOf = ({ kind, value }: Pause, destination: string): boolean =>
  kind === 'destination' && value === destination

function PauseOf({ pause }: { readonly pause: Pause | undefined }) {
  if (pause === undefined) return null
  return (
    <>
      <StatusBadge status="paused" />
      <Text fz="xs" c="dimmed">
        {parts(operator.queue.pausedSince, { time: <Time key="time" at={pause.created_at} /> })}
        {pause.note !== null && ` ${fill(operator.queue.noted, { note: pause.note })}`}
      </Text>
    </>
  )
}

function LastReply({ reply }: { readonly reply: NonNullable<Destination['last_reply']> }) {
  const { at, smtp_code, smtp_response, mx } = reply
  const text = replyInWords(smtp_code, smtp_response) || operator.noReply
  return (
    <Box className="two-lines">
      <Text fz="sm" lineClamp={2} title={text}>
        {text}
      </Text>
      <Text fz="xs" c="dimmed">
        {mx !== null && `${mx}, `}
        <Time at={at} />
      </Text>
    </Box>
  )
}

function useQueueAct<Given>(act: (given: Given) => Promise<unknown>, done: (answer: unknown) => string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSuccess: (answer) => tell.done(done(answer)),
    onError: tell.problem,
    onSettled: () => queries.invalidateQueries({ queryKey: ['operator', 'queue'] }),
  })
}

function Acts({ destination: { destination, paused } }: { readonly destination: Destination }) {
  const words = operator.queue
  const retry = useQueueAct(retryNow, (answer) => {
    const { recipients } = answer as { recipients: number }
    return counted(words.retried, recipients, { destination })
  })
  const [asking, { open, close }] = useDisclosure()
  const resume = useQueueAct(resumeHeld, () => fill(words.wasResumed, { destination }))
  return (
    <Group gap={4} justify="flex-end">
      <ActionButton
        size="compact-sm"
        variant="subtle"
        disabled={paused}
        loading={retry.isPending}
        aria-label={fill(words.retryOne, { destination })}
        onClick={() => retry.mutate(destination)}
      >
        {words.retryNow}
      </ActionButton>
      <ActionButton
        size="compact-sm"
        variant="subtle"
        loading={resume.isPending}
        aria-label={fill(paused ? words.resumeOne : words.pauseOne, { destination })}
        onClick={() => (paused ? resume.mutate({ destination }) : open())}
      >
        {paused ? words.resume : words.pause}
      </ActionButton>
      <PauseQuestion destination={destination} opened={asking} onClose={close} />
    </Group>
  )
}

interface PauseQuestionProps {
  readonly destination: string
  readonly opened: boolean
  readonly onClose: () => void
}

/** Maximum length of a note, in characters, as in the API. */
const NOTE_LENGTH = 200

function PauseQuestion({ destination, opened, onClose }: PauseQuestionProps) {
  const words = operator.queue
  const [note, setNote] = useState('')
  const pause = useQueueAct(pauseDestination, () => fill(words.wasPaused, { destination }))
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={fill(words.pauseQuestion, { destination })}
      action={words.pause}
      harmless
      busy={pause.isPending}
      onConfirm={() =>
        pause.mutate(
          { destination, note },
          {
            onSuccess: () => {
              setNote('')
              onClose()
            },
          },
        )
      }
    >
      <Stack>
        {words.pauseHint}
        <TextInput
          label={words.note}
          description={words.noteHint}
          value={note}
          maxLength={NOTE_LENGTH}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
      </Stack>
    </Confirm>
  )
}

function Held({ held }: { readonly held: Pause }) {
  const words = operator.queue
  const { kind, value, created_at, note } = held
  const title = kind === 'restored' ? words.held.restored : fill(words.held[kind], { value })
  const resume = useQueueAct(resumeHeld, () => fill(words.wasResumed, { destination: value }))
  return (
    <Alert color="yellow" title={title}>
      <Group justify="space-between">
        <Text fz="sm">
          {parts(kind === 'restored' ? words.restoredSince : words.heldSince, {
            time: <Time key="time" at={created_at} />,
          })}
          {note !== null && ` ${fill(words.noted, { note })}`}
        </Text>
        <ActionButton
          size="compact-sm"
          variant="default"
          loading={resume.isPending}
          onClick={() => resume.mutate({ [kind]: value })}
        >
          {words.resume}
        </ActionButton>
      </Group>
    </Alert>
  )
}
