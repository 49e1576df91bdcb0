// Number of deferred messages by domain, with links to these messages.

import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { home } from '../../texts/en/home.ts'
import { counted, fill, parts } from '../../texts/texts.ts'
import { domainsQuery } from '../domains/calls.ts'
import { deferredQuery } from './calls.ts'

export function Waiting({ domain }: { readonly domain: string | undefined }) {
  const { data } = useQuery(deferredQuery)
  const domains = useQuery(domainsQuery).data?.data ?? []
  const names = new Map(domains.map(({ domain_id, domain: name }) => [domain_id, name]))
  if (data === undefined) return null
  const shown = data.data.filter(({ domain_id }) => domain === undefined || domain_id === domain)
  return (
    <Card title={home.deferredNow} intro={home.deferredHint}>
      {shown.length === 0 ? (
        <Text c="dimmed">{home.none}</Text>
      ) : (
        shown.map(({ domain_id, count, complete }) => (
          <Text key={domain_id}>
            {parts(home.ofDomain, {
              domain: names.get(domain_id) ?? '…',
              messages: (
                <Anchor
                  key="messages"
                  component={Link}
                  to={`/domains/${domain_id}/messages?status=deferred`}
                  inherit
                  underline="always"
                >
                  {complete ? counted(home.messages, count) : fill(home.messagesOrMore, { count })}
                </Anchor>
              ),
            })}
          </Text>
        ))
      )}
    </Card>
  )
}
