// Choice of a domain and one of its streams, for the figures of the home page and the statistics page.

import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Choice as ChoiceField } from '../../parts/filters.tsx'
import { home } from '../../texts/en/home.ts'
import { domainsQuery } from '../domains/calls.ts'
import { streamsQuery } from '../streams/calls.ts'
import type { Choice, Filter } from './choice.ts'

interface DomainChoiceProps {
  readonly choice: Choice
  readonly change: (change: Pick<Filter, 'domain' | 'stream'>) => void
}

/** Fields that select a domain or all domains, and a stream. */
export function DomainChoice({ choice: { domain, stream }, change }: DomainChoiceProps) {
  const domains = useQuery(domainsQuery)
  return (
    <Group gap="xs">
      <ChoiceField
        label={home.domain}
        all={home.allDomains}
        w={200}
        data={domains.data?.data.map((one) => ({ value: one.domain_id, label: one.domain_unicode })) ?? []}
        value={domain}
        onChange={(value) => change({ domain: value, stream: '' })}
      />
      {domain === undefined ? (
        stream !== undefined && (
          <ChoiceField
            label={home.stream}
            value={stream}
            onChange={(value) => change({ stream: value })}
            data={[{ value: stream, label: stream }]}
          />
        )
      ) : (
        <StreamChoice domain={domain} stream={stream} onChange={(value) => change({ stream: value })} />
      )}
    </Group>
  )
}

interface StreamChoiceProps {
  readonly domain: string
  readonly stream: string | undefined
  readonly onChange: (stream: string) => void
}

function StreamChoice({ domain, stream, onChange }: StreamChoiceProps) {
  const streams = useQuery(streamsQuery(domain))
  return (
    <ChoiceField
      label={home.stream}
      value={stream}
      onChange={onChange}
      data={(streams.data?.data ?? [])
        .filter(({ kind }) => kind !== 'inbound')
        .map(({ alias, name }) => ({ value: alias, label: name }))}
    />
  )
}
