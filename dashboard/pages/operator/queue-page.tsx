// Page of the queue by destination, each with its last reply: retry now, pause, resume.

import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { DataTable, useCursor } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconCircleCheck } from '../../parts/icons.tsx'
import { counted, whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { replyInWords } from '../messages/event-words.ts'
import { type Destination, pauseDestination, type Queue, queueQuery, resumeHeld, retryNow } from './calls.ts'
import { OperatorTabs } from './operator-tabs.tsx'

export function Component() {
  const queue = useQuery(queueQuery(useCursor()))
  const held = queue.data?.paused.filter(({ kind }) => kind !== 'destination') ?? []
  return (
    <Page title="Operator" size={1280}>
      <OperatorTabs />
      <Stack gap="lg">
        {held.map((one) => (
          <Held key={`${one.kind} ${one.value}`} held={one} />
        ))}
        <Card flush>
          <DataTable
            label="Queue by destination"
            query={queue}
            keyOf={({ destination }) => destination}
            columns={[
              {
                title: 'Destination',
                width: '20%',
                cell: ({ destination, paused }) => (
                  <>
                    <Anchor
                      component={Link}
                      to={`/operator/queue/${encodeURIComponent(destination)}`}
                      fw={500}
                      fz="sm"
                      c="var(--mantine-color-text)"
                    >
                      {destination}
                    </Anchor>
                    {paused && <StatusBadge status="paused" />}
                  </>
                ),
              },
              { title: 'Queued', number: true, cell: ({ recipients }) => whole(recipients) },
              { title: 'Active', number: true, from: 'md', cell: (one) => whole(one.in_attempt) },
              {
                title: 'Last reply',
                from: 'md',
                width: '34%',
                cell: ({ last_reply: reply }) => reply !== null && <LastReply reply={reply} />,
              },
              { title: 'Oldest', from: 'sm', cell: ({ oldest_at }) => <Time at={oldest_at} /> },
              {
                title: 'Next attempt',
                from: 'sm',
                cell: ({ next_attempt_at, paused }) => (paused ? '' : <Time at={next_attempt_at} />),
              },
              { title: '', number: true, cell: (destination) => <Acts destination={destination} /> },
            ]}
            empty={
              <EmptyState icon={<IconCircleCheck size={36} stroke={1.2} />} title="The queue is empty">
                No recipients are waiting for delivery.
              </EmptyState>
            }
          />
        </Card>
      </Stack>
    </Page>
  )
}

function LastReply({ reply }: { readonly reply: NonNullable<Destination['last_reply']> }) {
  const { at, smtp_code, smtp_response, mx } = reply
  const words = replyInWords(smtp_code, smtp_response) || 'No reply'
  return (
    <>
      <Text fz="sm" lineClamp={2} title={words}>
        {words}
      </Text>
      <Text fz="xs" c="dimmed">
        {mx !== null && `${mx}, `}
        <Time at={at} />
      </Text>
    </>
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
  const retry = useQueueAct(retryNow, (answer) => {
    const { recipients } = answer as { recipients: number }
    return `${counted(recipients, 'recipient')} of ${destination} queued for an immediate attempt.`
  })
  const pause = useQueueAct(pauseDestination, () => `${destination} paused.`)
  const resume = useQueueAct(resumeHeld, () => `${destination} resumed.`)
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Button
        size="compact-sm"
        variant="subtle"
        disabled={paused}
        loading={retry.isPending}
        aria-label={`Retry now: ${destination}`}
        onClick={() => retry.mutate(destination)}
      >
        Retry now
      </Button>
      <Button
        size="compact-sm"
        variant="subtle"
        loading={pause.isPending || resume.isPending}
        aria-label={paused ? `Resume ${destination}` : `Pause ${destination}`}
        onClick={() => (paused ? resume.mutate({ destination }) : pause.mutate(destination))}
      >
        {paused ? 'Resume' : 'Pause'}
      </Button>
    </Group>
  )
}

const TITLES: Readonly<Record<Queue['paused'][number]['kind'], (value: string) => string>> = {
  destination: (value) => `Destination ${value} is paused`,
  stream: (value) => `Stream ${value} is paused`,
  domain: (value) => `Sending domain ${value} is paused`,
  restored: () => 'Messages are held by a restore',
}

function Held({ held }: { readonly held: Queue['paused'][number] }) {
  const { kind, value, created_at } = held
  const resume = useQueueAct(resumeHeld, () => `${value} resumed.`)
  return (
    <Alert color="yellow" title={TITLES[kind](value)}>
      <Group justify="space-between">
        <Text fz="sm">
          {kind === 'restored'
            ? 'Some may have been delivered before the restore; resuming sends them. Held '
            : 'Its messages are held. Paused '}
          <Time at={created_at} />.
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          loading={resume.isPending}
          onClick={() => resume.mutate({ [kind]: value })}
        >
          Resume
        </Button>
      </Group>
    </Alert>
  )
}
