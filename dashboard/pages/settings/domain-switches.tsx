// Switches of a domain: the tracking of opens and clicks of its messages, and the address for complaints.

import { Anchor, Stack, Switch, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { settings as words } from '../../texts/en/settings.ts'
import { parts } from '../../texts/texts.ts'
import { changeDomain, type Domain, type DomainChanges, domainQuery } from '../domains/calls.ts'

interface SwitchesProps {
  readonly domain: Domain
  readonly mayChange: boolean
}

/** Returns the function that saves a change of a domain, and the error of the last change. */
function useDomainChange(id: string): {
  readonly change: (changes: DomainChanges) => void
  readonly error: Error | null
} {
  const queries = useQueryClient()
  const saving = useMutation({
    mutationFn: (changes: DomainChanges) => changeDomain(id, changes),
    onSuccess: (changed) => queries.setQueryData(domainQuery(changed.domain_id).queryKey, changed),
  })
  return {
    // A disabled switch would lose the focus to the page, so a change is ignored while another is being saved.
    change(changes) {
      if (!saving.isPending) saving.mutate(changes)
    },
    error: saving.error,
  }
}

/** Whether opens and clicks of the messages of a domain become events by default. */
export function Tracking({ domain, mayChange }: SwitchesProps) {
  const { domain_id: id, track_opens, track_links, records } = domain
  const { change, error } = useDomainChange(id)
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
        <ErrorNotice error={error} />
      </Stack>
    </Card>
  )
}

/** Whether mail for one recipient carries an address for complaints (CFBL-Address, RFC 9477). */
export function Complaints({ domain: { domain_id: id, cfbl }, mayChange }: SwitchesProps) {
  const { change, error } = useDomainChange(id)
  return (
    <Card title={words.complaints}>
      <Stack>
        <Switch
          label={words.complaintAddress}
          description={words.complaintAddressHint}
          checked={cfbl}
          disabled={!mayChange}
          onChange={(event) => change({ cfbl: event.currentTarget.checked })}
        />
        <ErrorNotice error={error} />
      </Stack>
    </Card>
  )
}
