// Tracking of a domain: whether opens and clicks of its messages become events by default.

import { Anchor, Stack, Switch, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { settings as words } from '../../texts/en/settings.ts'
import { parts } from '../../texts/texts.ts'
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
    onSuccess: (changed) => queries.setQueryData(domainQuery(changed.domain_id).queryKey, changed),
  })
  // A disabled switch would lose the focus to the page, so a change is ignored while another is being saved.
  const change = (changes: DomainChanges): void => {
    if (!saving.isPending) saving.mutate(changes)
  }
  const record = records.find(({ purpose }) => purpose === 'tracking')
  const isFound = record?.status === 'found'
  const isOn = track_opens || track_links
  return (
    <Card title={words.tracking} intro={words.trackingHint}>
      <Stack>
        <Switch
          label={words.opens}
          description={words.opensHint}
          checked={track_opens}
          disabled={!mayChange || !(isFound || track_opens)}
          onChange={(event) => change({ track_opens: event.currentTarget.checked })}
        />
        <Switch
          label={words.clicks}
          description={words.clicksHint}
          checked={track_links}
          disabled={!mayChange || !(isFound || track_links)}
          onChange={(event) => change({ track_links: event.currentTarget.checked })}
        />
        {!isFound && (
          <Text fz="sm" c={isOn ? undefined : 'dimmed'}>
            {parts(isOn ? words.recordMissing : words.recordNeeded, {
              record: (
                <Anchor key="record" component={Link} to={`/domains/${id}/dns`} inherit>
                  {words.record}
                </Anchor>
              ),
              host: record?.name ?? words.trackingHost,
            })}
          </Text>
        )}
        <ErrorNotice error={saving.error} />
      </Stack>
    </Card>
  )
}
