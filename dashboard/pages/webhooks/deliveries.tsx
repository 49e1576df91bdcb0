// The deliveries of a webhook, and the details of a delivery with its request and responses.

import { Anchor, Group, Modal, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { ActionButton } from '../../parts/action-button.tsx'
import { type Column, useCursor } from '../../parts/data-table.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Facts } from '../../parts/facts.tsx'
import { FilteredTable } from '../../parts/filtered-table.tsx'
import { allEmpty, Choice, SearchText, useAddressFilter } from '../../parts/filters.tsx'
import { inWords } from '../../parts/in-words.ts'
import { whole } from '../../parts/numbers.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { webhooks as words } from '../../texts/en/webhooks.ts'
import { counted, fill, parts } from '../../texts/texts.ts'
import { messageAddress } from '../activity/calls.ts'
import {
  DELIVERY_FILTERS,
  type Delivery,
  deliveriesQuery,
  deliveryQuery,
  retryDelivery,
  type ShownDelivery,
  webhooksKey,
} from './calls.ts'

interface DeliveriesProps {
  readonly domainId: string
  readonly webhookId: string
  /** False if the webhook is disabled, so that pending deliveries are not retried. */
  readonly isEnabled: boolean
}

/** Returns the result of the last attempt. */
const answerOf = ({ attempts }: Delivery): string => {
  const last = attempts.at(-1)
  return last?.status != null ? `HTTP ${last.status}` : (last?.problem ?? '')
}

/** Returns the type of the first event, and the number of further events. */
function nameOf({ test, event_type, events }: Delivery): string {
  const event = test ? fill(words.test, { event: inWords(event_type) }) : inWords(event_type)
  return events > 1 ? fill(words.andMore, { event, count: events - 1 }) : event
}

const STATUSES = ['pending', 'delivered', 'failed'] as const

/**
 * Status of a delivery, in words that differ from the names of message events, because event names describe the
 * outcome of a message.
 */
const DeliveryStatus = ({ status }: Pick<Delivery, 'status'>) => (
  <StatusBadge status={status} label={words.statuses[status]} />
)

export function Deliveries({ domainId, webhookId, isEnabled }: DeliveriesProps) {
  const [shown, setShown] = useState<string>()
  // The filter is in the URL; a change of the filter resets the list to its first page.
  const [filter, change] = useAddressFilter(DELIVERY_FILTERS)
  const query = useQuery(deliveriesQuery(domainId, webhookId, filter, useCursor()))
  return (
    <Stack gap="sm">
      <Title order={2}>{words.deliveries}</Title>
      <FilteredTable
        label={words.deliveries}
        query={query}
        keyOf={({ delivery_id }) => delivery_id}
        columns={columnsOf(domainId, setShown)}
        fields={
          <>
            <SearchText
              label={words.searchDeliveries}
              value={filter.search ?? ''}
              onChange={(search) => change({ search })}
              error={undefined}
            />
            <Choice
              label={words.status}
              value={STATUSES.find((one) => one === filter.status)}
              onChange={(status) => change({ status })}
              data={STATUSES.map((value) => ({ value, label: words.statuses[value] }))}
            />
          </>
        }
        filtered={Object.keys(filter).length > 0}
        clear={() => change(allEmpty(DELIVERY_FILTERS))}
        nothing={{ title: words.noMatching, hint: words.noMatchingHint }}
        empty={
          <Text c="dimmed" p="lg">
            {words.noDeliveries}
          </Text>
        }
      />
      <Modal
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={words.delivery}
        size="xl"
      >
        {shown !== undefined && (
          <Shown domainId={domainId} webhookId={webhookId} isEnabled={isEnabled} deliveryId={shown} />
        )}
      </Modal>
    </Stack>
  )
}

/** @param show opens the details of a delivery */
const columnsOf = (domainId: string, show: (deliveryId: string) => void): readonly Column<Delivery>[] => [
  {
    title: words.event,
    cell: (delivery) => (
      <Anchor component="button" type="button" fz="sm" ta="start" onClick={() => show(delivery.delivery_id)}>
        {nameOf(delivery)}
      </Anchor>
    ),
  },
  {
    title: words.recipient,
    cell: (delivery) => <ToMessage domainId={domainId} delivery={delivery} text={delivery.email} />,
  },
  { title: words.status, cell: DeliveryStatus },
  { title: words.answer, cell: answerOf },
  {
    title: words.latency,
    from: 'lg',
    number: true,
    cell: ({ attempts }) => `${whole(attempts.at(-1)?.latency_ms ?? 0)} ms`,
  },
  { title: words.attempts, from: 'md', number: true, cell: ({ attempt_count }) => attempt_count },
  { title: words.time, number: true, cell: ({ created_at }) => <Time at={created_at} /> },
]

interface ToMessageProps {
  readonly domainId: string
  readonly delivery: Delivery
  readonly text: string | null
}

/** Link to the message of a delivery; a test has no message, and a removed message has no address. */
const ToMessage = ({ domainId, delivery: { test, message_id }, text }: ToMessageProps) =>
  test || text === null ? null : (
    <Anchor
      component={Link}
      to={messageAddress({ domain_id: domainId, message_id })}
      fz="sm"
      dir="auto"
      title={fill(words.toMessage, { message: message_id })}
    >
      {text}
    </Anchor>
  )

interface ShownProps extends DeliveriesProps {
  readonly deliveryId: string
}

function Shown({ domainId, webhookId, isEnabled, deliveryId }: ShownProps) {
  const { data, error, refetch } = useQuery(deliveryQuery(domainId, webhookId, deliveryId))
  const queries = useQueryClient()
  const may = useMay('developer')
  const retrying = useMutation({
    mutationFn: () => retryDelivery(domainId, webhookId, deliveryId),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: webhooksKey(domainId) })
      tell.done(words.dueNow)
    },
  })
  if (data === undefined) return <ErrorNotice error={error} again={refetch} />
  return (
    <Stack>
      <Facts
        facts={[
          [words.status, <DeliveryStatus key="status" status={data.status} />],
          [words.event, inWords(data.event_type)],
          [words.recipient, data.email],
          [words.eventId, data.event_id],
          [
            words.message,
            !data.test && (
              <ToMessage key="message" domainId={domainId} delivery={data} text={data.message_id} />
            ),
          ],
          [words.events, data.events > 1 && String(data.events)],
          [
            words.nextAttempt,
            data.status === 'pending' && <NextAttempt delivery={data} isEnabled={isEnabled} />,
          ],
        ]}
      />
      <Attempts delivery={data} />
      {data.request !== null && <Request request={data.request} />}
      <ErrorNotice error={retrying.error} />
      {may && !data.test && (
        <Group justify="flex-end">
          <ActionButton variant="default" loading={retrying.isPending} onClick={() => retrying.mutate()}>
            {words.retryNow}
          </ActionButton>
        </Group>
      )}
    </Stack>
  )
}

interface NextAttemptProps {
  readonly delivery: Delivery
  readonly isEnabled: boolean
}

/** The time of the next attempt; a time in the past means that the attempt is in progress or about to be made. */
const NextAttempt = ({ delivery: { next_attempt_at: at }, isEnabled }: NextAttemptProps) =>
  at === null || !isEnabled ? words.notWhileDisabled : <Time at={at} passed={words.dueSoon} />

function Attempts({ delivery }: { readonly delivery: Delivery }) {
  const { attempts, attempt_count: count } = delivery
  return (
    <section aria-label={words.attempts}>
      <Text fw={600} fz="sm" mb="xs">
        {counted(words.countAttempts, count)}
      </Text>
      <Stack gap="sm">
        {attempts.map(({ at, status, problem, latency_ms, answer }) => (
          <div key={at}>
            <Text fz="sm">
              {parts(words.afterMs, {
                time: <Time key="time" at={at} />,
                answer: status === null ? problem : `HTTP ${status}`,
                ms: latency_ms,
              })}
            </Text>
            {answer !== '' && <Block text={answer} />}
          </div>
        ))}
      </Stack>
    </section>
  )
}

function Request({ request }: { readonly request: NonNullable<ShownDelivery['request']> }) {
  const fields = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <section aria-label={words.request}>
      <Text fw={600} fz="sm" mb="xs">
        {words.request}
      </Text>
      <Block text={`${fields.join('\n')}\n\n${pretty(request.body)}`} />
    </section>
  )
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}

/** Text from another party in a scrollable block, which is reachable by keyboard. */
const Block = ({ text }: { readonly text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
  <pre className="block" tabIndex={0} style={{ maxHeight: 320, overflow: 'auto' }}>
    {text}
  </pre>
)
