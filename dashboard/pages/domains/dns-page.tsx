// The DNS records of a domain: what to publish, and what the world sees of it.

import { Alert, Anchor, Button, Stack, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link, useParams } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { type Domain, domainQuery, useDomainAct } from './calls.ts'
import { DkimRotation } from './dkim-rotation.tsx'
import { DnsHosting, ShareRecords } from './dns-hosting.tsx'
import { DomainHistory } from './domain-history.tsx'
import { DomainStatus } from './domain-status.tsx'
import { NameChoice, RecordTable } from './record-table.tsx'
import { ZoneFile } from './zone-file.tsx'

/** While a user waits for their records, they are looked up again and again. */
const LOOK_AGAIN_MS = 15_000

export function Component() {
  const { domainId = '' } = useParams()
  const { data: domain, error, refetch } = useQuery(domainQuery(domainId))
  if (domain === undefined) {
    return (
      <Page title="DNS records">
        {error === null ? <Loading /> : <ErrorNotice error={error} again={refetch} />}
      </Page>
    )
  }
  return <DnsRecords domain={domain} />
}

function DnsRecords({ domain }: { readonly domain: Domain }) {
  const verify = useDomainAct(domain.domain_id, 'verify')
  const mayVerify = useMay('developer')
  const mayChange = useMay('admin')
  useLookingAgain(mayVerify && domain.status === 'pending', verify)
  const { claim } = domain
  const [fullNames, setFullNames] = useState(false)
  const shown = { looking: verify.isPending, fullNames }
  return (
    <Page
      title="DNS records"
      size={1280}
      above={<DomainStatus domain={domain} />}
      intro={<Intro domain={domain} />}
      actions={
        mayVerify && (
          <>
            <ShareRecords domain={domain} />
            <Button
              leftSection={<IconRefresh size={16} />}
              loading={verify.isPending}
              onClick={() => verify.mutate()}
            >
              Verify now
            </Button>
          </>
        )
      }
    >
      <Stack gap="lg">
        <ErrorNotice error={verify.error} />
        {domain.flagged_at !== null && (
          <Alert color="red" title="Required records are missing">
            Missing since <Time at={domain.flagged_at} />. Publish them again: the domain stops sending three
            days after that.
          </Alert>
        )}
        {mayVerify && <DnsHosting domain={domain} />}
        {claim !== undefined && (
          <Card
            title="This domain belongs to another account"
            intro="Publish this record to prove that you own the domain."
            flush
          >
            <RecordTable label="Ownership record" records={[claim.record]} {...shown} />
          </Card>
        )}
        <Card
          flush
          title={domain.domain}
          intro="Publish these records at your DNS provider. The domain can send once the required ones are found."
          actions={<NameChoice fullNames={fullNames} onChange={setFullNames} />}
        >
          <div role="status" className="visually-hidden">
            {verify.isPending ? 'Looking up records' : `${foundOf(domain)} found`}
          </div>
          <RecordTable label={`DNS records of ${domain.domain}`} records={domain.records} {...shown} />
        </Card>
        <ZoneFile domain={domain} />
        {mayChange && <DkimRotation domain={domain} />}
        {domain.events.length > 0 && <DomainHistory domain={domain} />}
      </Stack>
    </Page>
  )
}

/** Looks the records up again while a user waits on this page. */
function useLookingAgain(wanted: boolean, verify: ReturnType<typeof useDomainAct>): void {
  const { mutate, isPending } = verify
  useEffect(() => {
    if (!wanted || isPending) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') mutate()
    }, LOOK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [wanted, isPending, mutate])
}

const foundOf = ({ records }: Domain): string =>
  `${records.filter(({ status }) => status === 'found').length} of ${records.length} records`

function Intro({ domain }: { readonly domain: Domain }) {
  const checked = domain.checked_at !== null && (
    <>
      {' '}
      {foundOf(domain)} found, checked <Time at={domain.checked_at} />.
    </>
  )
  if (domain.status === 'pending') {
    return (
      <>
        While this page is open, the records are checked every 15 seconds.
        {checked}
      </>
    )
  }
  return (
    <Text inherit component="span">
      The records are checked daily.{checked}{' '}
      {domain.status === 'verified' && (
        <Anchor component={Link} to={`/domains/${domain.domain_id}/keys`} inherit>
          Create an API key
        </Anchor>
      )}
    </Text>
  )
}
