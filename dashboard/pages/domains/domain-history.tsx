// The latest events of a domain.

import { Text } from '@mantine/core'
import { Card } from '../../parts/card.tsx'
import { inWords } from '../../parts/in-words.ts'
import { Time } from '../../parts/time.tsx'
import { domains as words } from '../../texts/en/domains.ts'
import type { Domain } from './calls.ts'

const EVENTS: Readonly<Record<string, string>> = words.events

export function DomainHistory({ domain }: { readonly domain: Domain }) {
  return (
    <Card title={words.history}>
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
