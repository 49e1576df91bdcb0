// Deliveries of a webhook, and one of them with its request and the answers.

import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ComponentProps, useState } from 'react'
import { Link } from 'react-router'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Facts } from '../../parts/facts.tsx'
import { inWords } from '../../parts/in-words.ts'
import { counted } from '../../parts/numbers.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { type Delivery, deliveryQuery, retryDelivery, type ShownDelivery, webhooksKey } from './calls.ts'

interface DeliveriesProps {
  readonly domainId: string
  readonly webhookId: string
  readonly query: ComponentProps<typeof DataTable<Delivery>>['query']
}

/** Result of the last attempt. */
const answerOf = ({ attempts }: Delivery): string => {
  const last = attempts.at(-1)
  return last?.status != null ? `HTTP ${last.status}` : (last?.problem ?? '')
}

export function Deliveries({ domainId, webhookId, query }: DeliveriesProps) {
  const [shown, setShown] = useState<string>()
  const columns: readonly Column<Delivery>[] = [
    {
      title: 'Event',
      cell: (delivery) => (
        <Anchor component="button" type="button" fz="sm" onClick={() => setShown(delivery.delivery_id)}>
          {delivery.test ? `Test: ${inWords(delivery.event_type)}` : inWords(delivery.event_type)}
          {delivery.events > 1 && ` and ${delivery.events - 1} more`}
        </Anchor>
      ),
    },
    { title: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
    { title: 'Answer', from: 'sm', cell: answerOf },
    {
      title: 'Latency',
      from: 'md',
      number: true,
      cell: ({ attempts }) => `${attempts.at(-1)?.latency_ms ?? 0} ms`,
    },
    { title: 'Attempts', from: 'md', number: true, cell: ({ attempt_count }) => attempt_count },
    { title: 'Time', number: true, cell: ({ created_at }) => <Time at={created_at} /> },
  ]
  return (
    <>
      <DataTable
        label="Deliveries"
        query={query}
        keyOf={({ delivery_id }) => delivery_id}
        columns={columns}
        empty={
          <Text c="dimmed" p="lg">
            No deliveries yet. Send a test event to try the receiver.
          </Text>
        }
      />
      <Modal opened={shown !== undefined} onClose={() => setShown(undefined)} title="Delivery" size="xl">
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
      tell.done('The delivery is due now.')
    },
  })
  if (data === undefined) return <ErrorNotice error={error} again={refetch} />
  return (
    <Stack>
      <Facts
        facts={[
          ['Status', <StatusBadge key="status" status={data.status} />],
          ['Event', inWords(data.event_type)],
          ['Event ID', data.event_id],
          [
            'Message',
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
          ['Events', data.events > 1 && String(data.events)],
          ['Next attempt', data.next_attempt_at && <Time key="next" at={data.next_attempt_at} />],
        ]}
      />
      <Attempts delivery={data} />
      {data.request !== null && <Request request={data.request} />}
      <ErrorNotice error={retrying.error} />
      {may && !data.test && (
        <Group justify="flex-end">
          <Button variant="default" loading={retrying.isPending} onClick={() => retrying.mutate()}>
            Retry now
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function Attempts({ delivery }: { readonly delivery: Delivery }) {
  const { attempts, attempt_count: count } = delivery
  return (
    <section aria-label="Attempts">
      <Text fw={600} fz="sm" mb="xs">
        {counted(count, 'attempt', 'attempts')}
      </Text>
      <Stack gap="sm">
        {attempts.map(({ at, status, problem, latency_ms, answer }) => (
          <div key={at}>
            <Text fz="sm">
              <Time at={at} />: {status === null ? problem : `HTTP ${status}`} after {latency_ms} ms
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
    <section aria-label="Request">
      <Text fw={600} fz="sm" mb="xs">
        Request
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

/** Text of others, which scrolls by itself; reached by the keyboard too. */
const Block = ({ text }: { readonly text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
  <pre className="block" tabIndex={0} style={{ maxHeight: 320, overflow: 'auto' }}>
    {text}
  </pre>
)
