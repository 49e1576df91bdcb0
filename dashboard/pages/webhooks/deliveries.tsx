// The deliveries of a webhook, and the details of a delivery with its request and responses.

import { Anchor, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ComponentProps, useState } from 'react'
import { Link } from 'react-router'
import { ActionButton } from '../../parts/action-button.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Facts } from '../../parts/facts.tsx'
import { inWords } from '../../parts/in-words.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { webhooks as words } from '../../texts/en/webhooks.ts'
import { counted, fill, parts } from '../../texts/texts.ts'
import { type Delivery, deliveryQuery, retryDelivery, type ShownDelivery, webhooksKey } from './calls.ts'

interface DeliveriesProps {
  readonly domainId: string
  readonly webhookId: string
  readonly query: ComponentProps<typeof DataTable<Delivery>>['query']
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

export function Deliveries({ domainId, webhookId, query }: DeliveriesProps) {
  const [shown, setShown] = useState<string>()
  const columns: readonly Column<Delivery>[] = [
    {
      title: words.event,
      cell: (delivery) => (
        <Anchor component="button" type="button" fz="sm" onClick={() => setShown(delivery.delivery_id)}>
          {nameOf(delivery)}
        </Anchor>
      ),
    },
    { title: words.status, cell: ({ status }) => <StatusBadge status={status} /> },
    { title: words.answer, from: 'sm', cell: answerOf },
    {
      title: words.latency,
      from: 'md',
      number: true,
      cell: ({ attempts }) => `${attempts.at(-1)?.latency_ms ?? 0} ms`,
    },
    { title: words.attempts, from: 'md', number: true, cell: ({ attempt_count }) => attempt_count },
    { title: words.time, number: true, cell: ({ created_at }) => <Time at={created_at} /> },
  ]
  return (
    <>
      <DataTable
        label={words.deliveries}
        query={query}
        keyOf={({ delivery_id }) => delivery_id}
        columns={columns}
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
        {shown !== undefined && <Shown domainId={domainId} webhookId={webhookId} deliveryId={shown} />}
      </Modal>
    </>
  )
}

interface ShownProps {
  readonly domainId: string
  readonly webhookId: string
  readonly deliveryId: string
}

function Shown({ domainId, webhookId, deliveryId }: ShownProps) {
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
          [words.status, <StatusBadge key="status" status={data.status} />],
          [words.event, inWords(data.event_type)],
          [words.eventId, data.event_id],
          [
            words.message,
            !data.test && data.event_type !== 'received' && (
              <Anchor
                key="message"
                component={Link}
                to={`/domains/${domainId}/messages/${data.message_id}`}
                fz="sm"
              >
                {data.message_id}
              </Anchor>
            ),
          ],
          [words.events, data.events > 1 && String(data.events)],
          [words.nextAttempt, data.next_attempt_at && <Time key="next" at={data.next_attempt_at} />],
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
