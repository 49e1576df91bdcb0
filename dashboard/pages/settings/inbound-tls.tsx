// MTA-STS of the hosts that receive mail for the inbound streams of a domain: its mode, and the next step.

import { Anchor, NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Time } from '../../parts/time.tsx'
import { settings as words } from '../../texts/en/settings.ts'
import { parts } from '../../texts/texts.ts'
import { changeDomain, type Domain, type DomainChanges, domainQuery } from '../domains/calls.ts'

const MODES = ['off', 'testing', 'enforce', 'none'] as const satisfies readonly Domain['mta_sts'][]

interface InboundTlsProps {
  readonly domain: Domain
  readonly mayChange: boolean
}

export function InboundTls({ domain, mayChange }: InboundTlsProps) {
  const { domain_id: id, mta_sts: mode, mta_sts_since: since, records } = domain
  const queries = useQueryClient()
  const saving = useMutation({
    mutationFn: (changes: DomainChanges) => changeDomain(id, changes),
    onSuccess: (changed) => queries.setQueryData(domainQuery(changed.domain_id).queryKey, changed),
  })
  const isPublished = records
    .filter(({ purpose }) => purpose === 'mta_sts' || purpose === 'mta_sts_host')
    .every(({ status }) => status === 'found')
  return (
    <Card title={words.inboundTls} intro={words.inboundTlsHint}>
      <Stack>
        <NativeSelect
          label={words.inboundTlsMode}
          description={words.modesMean[mode]}
          maw={640}
          value={mode}
          disabled={!mayChange}
          onChange={(event) => {
            // A disabled field would lose the focus to the page, so a change is ignored while another is being saved.
            const chosen = MODES.find((one) => one === event.currentTarget.value)
            if (chosen !== undefined && !saving.isPending) saving.mutate({ mta_sts: chosen })
          }}
          data={MODES.map((value) => ({ value, label: words.modes[value] }))}
        />
        {mode !== 'off' && since !== null && (
          <Text fz="sm" c="dimmed">
            {parts(words.modeSince, { time: <Time key="since" at={since} exact /> })}
          </Text>
        )}
        {mode !== 'off' && !isPublished && (
          <Text fz="sm">
            {parts(words.policyRecords, {
              records: (
                <Anchor key="records" component={Link} to={`/domains/${id}/dns`} inherit>
                  {words.records}
                </Anchor>
              ),
            })}
          </Text>
        )}
        <ErrorNotice error={saving.error} />
      </Stack>
    </Card>
  )
}
