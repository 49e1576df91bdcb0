// Latest events of a domain.

import { Text } from '@mantine/core'
import { Card } from '../../parts/card.tsx'
import { inWords } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import type { Domain } from './calls.ts'

const EVENTS: Readonly<Record<string, string>> = {
  added: 'The domain was added.',
  verified: 'All required records were found: it may send.',
  flagged: 'Required records were gone.',
  recovered: 'The records were back.',
  closed: 'The records were gone for too long: it may not send.',
  paused: 'Somebody paused it.',
  resumed: 'Somebody let it go on.',
  claimed: 'Your account proved that the domain is its own.',
  lost: 'Another account proved that the domain is its own.',
  dkim_rotated: 'New DKIM keys were made.',
  dkim_switched: 'Signing was switched to the new DKIM keys.',
  dkim_retired: 'The old DKIM keys were retired.',
}

export function DomainHistory({ domain }: { readonly domain: Domain }) {
  return (
    <Card title="What happened lately">
      <dl className="facts">
        {domain.events.map(({ type, at }) => (
          <div key={`${type} ${at}`} style={{ display: 'contents' }}>
            <dt>
              <Time at={at} />
            </dt>
            <dd>
              <Text inherit>{EVENTS[type] ?? inWords(type)}</Text>
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
