// Latest events of a domain.

import { Text } from '@mantine/core'
import { Card } from '../../parts/card.tsx'
import { inWords } from '../../parts/in-words.ts'
import { Time } from '../../parts/time.tsx'
import type { Domain } from './calls.ts'

const EVENTS: Readonly<Record<string, string>> = {
  added: 'Domain added',
  verified: 'Verified: all required records found',
  flagged: 'Required records missing',
  recovered: 'Required records found again',
  closed: 'Sending stopped: required records missing for three days',
  paused: 'Paused',
  resumed: 'Resumed',
  claimed: 'Ownership proved by your account',
  lost: 'Ownership proved by another account',
  dkim_rotated: 'New DKIM keys created',
  dkim_switched: 'Signing switched to the new DKIM keys',
  dkim_retired: 'Old DKIM keys retired',
  webhook_disabled: 'Webhook disabled: its receiver failed for days or wanted no more',
}

export function DomainHistory({ domain }: { readonly domain: Domain }) {
  return (
    <Card title="Recent events">
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
