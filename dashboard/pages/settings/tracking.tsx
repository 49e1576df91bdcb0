// Tracking of a domain: whether opens and clicks of its messages become events, by default.

import { Anchor, Stack, Switch, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { changeDomain, type Domain, type DomainChanges, domainQuery } from '../domains/calls.ts'

interface TrackingProps {
  readonly domain: Domain
  readonly mayChange: boolean
}

export function Tracking({ domain, mayChange }: TrackingProps) {
  const { domain_id: id, track_opens, track_links, records } = domain
  const queries = useQueryClient()
  const saving = useMutation({
    mutationFn: (changes: DomainChanges) => changeDomain(id, changes),
    onSuccess: (changed) => queries.setQueryData(domainQuery(id).queryKey, changed),
  })
  const record = records.find(({ purpose }) => purpose === 'tracking')
  const isFound = record?.status === 'found'
  const isOn = track_opens || track_links
  return (
    <Card
      title="Tracking"
      intro="Opens and clicks of HTML messages become events. Streams and messages can say otherwise."
    >
      <Stack>
        <Switch
          label="Track opens"
          description="An invisible image tells that a message was shown. Many programs load it by themselves, or never."
          checked={track_opens}
          disabled={!mayChange || saving.isPending || !(isFound || track_opens)}
          onChange={(event) => saving.mutate({ track_opens: event.currentTarget.checked })}
        />
        <Switch
          label="Track clicks"
          description="Links lead to their targets by a host name of your domain."
          checked={track_links}
          disabled={!mayChange || saving.isPending || !(isFound || track_links)}
          onChange={(event) => saving.mutate({ track_links: event.currentTarget.checked })}
        />
        {!isFound && (
          <Text fz="sm" c={isOn ? undefined : 'dimmed'}>
            {isOn ? 'Nothing is tracked at the moment: the ' : 'Tracking needs the '}
            <Anchor component={Link} to={`/domains/${id}/dns`} inherit>
              DNS record
            </Anchor>{' '}
            of {record?.name ?? 'the tracking host'}
            {isOn ? ' is missing.' : ' first.'}
          </Text>
        )}
        <ErrorNotice error={saving.error} />
      </Stack>
    </Card>
  )
}
