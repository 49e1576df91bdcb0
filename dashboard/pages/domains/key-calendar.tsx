// Interval at which the DKIM keys of a domain are replaced by the calendar.

import { NativeSelect, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { domains as texts } from '../../texts/en/domains.ts'
import { fill, parts } from '../../texts/texts.ts'
import { changeDomain, type Domain, type DomainChanges, domainQuery } from './calls.ts'

const words = texts.dkim.calendar
/** Intervals in days that the page offers; an interval that was set by API is offered in addition. */
const OFFERED = [90, 180, 365]

export function KeyCalendar({ domain }: { readonly domain: Domain }) {
  const { domain_id: id, rotate_every_days: days } = domain
  const queries = useQueryClient()
  const saving = useMutation({
    mutationFn: (changes: DomainChanges) => changeDomain(id, changes),
    onSuccess: (changed) => {
      queries.setQueryData(domainQuery(changed.domain_id).queryKey, changed)
      tell.done(words.saved)
    },
  })
  const offered = [...new Set([...OFFERED, ...(days === null ? [] : [days])])].sort((a, b) => a - b)
  return (
    <Stack gap="xs" w="100%">
      <NativeSelect
        label={words.every}
        description={words.hint}
        maw={640}
        value={days ?? ''}
        // A disabled field would lose the focus, so a change is ignored while another is being saved.
        onChange={({ currentTarget: { value } }) => {
          if (!saving.isPending) saving.mutate({ rotate_every_days: value === '' ? null : Number(value) })
        }}
        data={[
          { value: '', label: words.off },
          ...offered.map((one) => ({ value: String(one), label: fill(words.days, { days: one }) })),
        ]}
      />
      {days !== null && <NextStep domain={domain} />}
      <ErrorNotice error={saving.error} />
    </Stack>
  )
}

function NextStep({ domain: { dkim } }: { readonly domain: Domain }) {
  const { next_step: step, rotates_at: rotatesAt, switches_at: switchesAt } = dkim
  if (step === 'retire') return null
  const at = step === 'rotate' ? rotatesAt : switchesAt
  if (at === null) return step === 'switch' ? <Text fz="sm">{words.waits}</Text> : null
  return (
    <Text fz="sm">
      {parts(step === 'rotate' ? words.rotates : words.switches, { time: <Time key="time" at={at} exact /> })}
    </Text>
  )
}
