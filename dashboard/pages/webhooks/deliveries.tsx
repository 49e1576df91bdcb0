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
  type Place,
  retryDelivery,
  roleOf,
  type ShownDelivery,
  webhooksKey,
} from './calls.ts'
import { eventName } from './event-name.ts'

interface DeliveriesProps {
  readonly place: Place
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
  const name = eventName(event_type)
  const event = test ? fill(words.test, { event: name }) : name
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

export function Deliveries({ place, webhookId, isEnabled }: DeliveriesProps) {
  const [shown, setShown] = useState<string>()
  // The filter is in the URL; a change of the filter resets the list to its first page.
  const [filter, change] = useAddressFilter(DELIVERY_FILTERS)
  const query = useQuery(deliveriesQuery(place, webhookId, filter, useCursor()))
  return (
    <Stack gap="sm">
      <Title order={2}>{words.deliveries}</Title>
      <FilteredTable
        label={words.deliveries}
        query={query}
        keyOf={({ delivery_id }) => delivery_id}
        columns={columnsOf(place, setShown)}
        fields={
          <>
            <SearchText
              label={place === null ? words.searchObject : words.searchDeliveries}
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
        nothing={{
          title: words.noMatching,
          hint: place === null ? words.noMatchingObjectHint : words.noMatchingHint,
        }}
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
          <Shown place={place} webhookId={webhookId} isEnabled={isEnabled} deliveryId={shown} />
        )}
      </Modal>
    </Stack>
  )
}

/** @param show opens the details of a delivery */
const columnsOf = (place: Place, show: (deliveryId: string) => void): readonly Column<Delivery>[] => [
  {
    title: words.event,
    cell: (delivery) => (
      <Anchor component="button" type="button" fz="sm" ta="start" onClick={() => show(delivery.delivery_id)}>
        {nameOf(delivery)}
      </Anchor>
    ),
  },
  place === null
    ? { title: words.object, from: 'md', cell: (delivery) => !delivery.test && subjectOf(delivery) }
    : {
        title: words.recipient,
        cell: (delivery) =>
          isOfObject(delivery) ? (
            '—'
          ) : (
            <ToMessage place={place} delivery={delivery} text={emailOf(delivery)} />
          ),
      },
  { title: words.status, cell: DeliveryStatus },
  { title: words.answer, cell: answerOf, width: '30%' },
  {
    title: words.latency,
    from: 'xl',
    number: true,
    cell: ({ attempts }) => `${whole(attempts.at(-1)?.latency_ms ?? 0)} ms`,
  },
  { title: words.attempts, from: 'md', number: true, cell: ({ attempt_count }) => attempt_count },
  { title: words.time, number: true, cell: ({ created_at }) => <Time at={created_at} /> },
]

interface ToMessageProps {
  readonly place: Place
  readonly delivery: Delivery
  readonly text: string | null
}

/** Link to the message of a delivery; a test has no message, and a removed message has no address. */
const ToMessage = ({ place, delivery, text }: ToMessageProps) => {
  if (delivery.test || text === null || place === null) return null
  const message = subjectOf(delivery)
  return (
    <Anchor
      component={Link}
      to={messageAddress({ domain_id: place, message_id: message })}
      fz="sm"
      dir="auto"
      title={fill(words.toMessage, { message })}
    >
      {text}
    </Anchor>
  )
}

/** Returns the recipient of the first event of a delivery; null for an event of the account. */
const emailOf = (delivery: Delivery): string | null => ('email' in delivery ? delivery.email : null)

/** True for an event of another object of the domain than a message, which has no recipient. */
const isOfObject = (delivery: Delivery): boolean => !delivery.test && emailOf(delivery) === ''

/** Returns the ID of the message or of another object that the first event of a delivery is about. */
const subjectOf = (delivery: Delivery): string =>
  'message_id' in delivery ? delivery.message_id : delivery.object_id

interface ShownProps extends DeliveriesProps {
  readonly deliveryId: string
}

function Shown({ place, webhookId, isEnabled, deliveryId }: ShownProps) {
  const { data, error, refetch } = useQuery(deliveryQuery(place, webhookId, deliveryId))
  const queries = useQueryClient()
  const may = useMay(roleOf(place))
  const retrying = useMutation({
    mutationFn: () => retryDelivery(place, webhookId, deliveryId),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: webhooksKey(place) })
      tell.done(words.dueNow)
    },
  })
  if (data === undefined) return <ErrorNotice error={error} again={refetch} />
  return (
    <Stack>
      <Facts
        facts={[
          [words.status, <DeliveryStatus key="status" status={data.status} />],
          [words.event, eventName(data.event_type)],
          [words.recipient, emailOf(data) || null],
          [words.eventId, data.event_id],
          place === null || isOfObject(data)
            ? [words.object, !data.test && subjectOf(data)]
            : [
                words.message,
                !data.test && (
                  <ToMessage key="message" place={place} delivery={data} text={subjectOf(data)} />
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
