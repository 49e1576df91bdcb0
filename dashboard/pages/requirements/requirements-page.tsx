// The requirements of large receivers, one card for each receiver, with the status, source and remedy of each.

import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { BackLink } from '../../parts/back-link.tsx'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Loading } from '../../parts/loading.tsx'
import { whole } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time, utcDay } from '../../parts/time.tsx'
import { requirements as words } from '../../texts/en/requirements.ts'
import { locale } from '../../texts/language.ts'
import { fill, parts } from '../../texts/texts.ts'
import { type ReceiverRequirements, type RequirementCheck, requirementsQuery } from './calls.ts'

const TONES = { met: 'good', not_met: 'bad', not_known: 'quiet' } as const
const ORDER = { not_met: 0, not_known: 1, met: 2 } as const

export function Component() {
  const { domainId = '' } = useParams()
  const { data, error, refetch } = useQuery(requirementsQuery(domainId))
  return (
    <Page
      title={words.title}
      intro={words.intro}
      above={<BackLink to={`/domains/${domainId}/dns`}>{words.back}</BackLink>}
    >
      {data !== undefined ? (
        <Stack gap="lg">
          {data.data.map((receiver) => (
            <Receiver key={receiver.provider} receiver={receiver} />
          ))}
        </Stack>
      ) : error !== null ? (
        <ErrorNotice error={error} again={refetch} />
      ) : (
        <Loading />
      )}
    </Page>
  )
}

function Receiver({ receiver: { provider, bulk, checks } }: { readonly receiver: ReceiverRequirements }) {
  return (
    <Card flush title={provider} intro={bulkInWords(bulk)}>
      <ul className="checks">
        {checks
          .toSorted((one, other) => ORDER[one.status] - ORDER[other.status])
          .map((check) => (
            <Requirement key={check.requirement} check={check} />
          ))}
      </ul>
    </Card>
  )
}

function bulkInWords({ threshold, highest, highest_day: day, since }: ReceiverRequirements['bulk']): string {
  const most = day === null ? words.noMail : fill(words.highest, { count: whole(highest), day: utcDay(day) })
  if (threshold === null) return most
  const limit = fill(words.threshold, { count: whole(threshold) })
  return since === null ? `${most} ${limit}` : `${most} ${fill(words.bulkSince, { day: utcDay(since) })}`
}

function Requirement({ check }: { readonly check: RequirementCheck }) {
  const { requirement, status, source, since } = check
  const { name, remedy } = words.of[requirement]
  return (
    <li className="check">
      <Group justify="space-between" align="baseline" gap="xs">
        <Text fw={500} inherit>
          {name}
        </Text>
        <Text fz="sm" component="div">
          <StatusBadge status={status} label={words.statuses[status]} tone={TONES[status]} />
        </Text>
      </Group>
      <Text fz="sm" c="dimmed">
        {[measuredInWords(check), source === null ? words.noSource : words.sources[source]]
          .filter((part) => part !== '')
          .join(' · ')}
        {since !== null && [' · ', ...parts(words.since, { time: <Time key="time" at={since} /> })]}
      </Text>
      {status !== 'met' && (
        <Text fz="sm" mt={4}>
          {remedy}
        </Text>
      )}
    </li>
  )
}

/** Returns what was found; in the language of the user if the dashboard has a sentence about a met requirement. */
function measuredInWords({ requirement, status, measured, threshold }: RequirementCheck): string {
  if (status === 'met' && Object.hasOwn(words.met, requirement)) {
    return words.met[requirement as keyof typeof words.met]
  }
  const shown = inWords(measured)
  if (shown === '' || typeof threshold !== 'number') return shown
  return fill(words.ofLimit, { measured: shown, limit: inWords(threshold) })
}

const SHARES = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })

const inWords = (value: number | string | null): string =>
  value === null ? '' : typeof value === 'number' ? SHARES.format(value) : value
