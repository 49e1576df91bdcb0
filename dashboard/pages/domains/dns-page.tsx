// The DNS records of a domain: required values, and values that the DNS contains.

import { Alert, Anchor, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { ActionButton } from '../../parts/action-button.tsx'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconRefresh } from '../../parts/icons.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { domains as texts } from '../../texts/en/domains.ts'
import { fill, parts } from '../../texts/texts.ts'
import { BimiCard } from './bimi-card.tsx'
import { type Domain, domainQuery, useDomainAct } from './calls.ts'
import { DkimRotation } from './dkim-rotation.tsx'
import { DnsHosting, ShareRecords } from './dns-hosting.tsx'
import { DomainHistory } from './domain-history.tsx'
import { DomainStatus } from './domain-status.tsx'
import { NextLook, useLookingAgain } from './looking-again.tsx'
import { NameChoice, RecordTable } from './record-table.tsx'
import { ZoneFile } from './zone-file.tsx'

const words = texts.dns

export function Component() {
  const { domainId = '' } = useParams()
  const { data: domain, error, refetch } = useQuery(domainQuery(domainId))
  if (domain === undefined) {
    return (
      <Page title={words.title}>
        {error === null ? <Loading /> : <ErrorNotice error={error} again={refetch} />}
      </Page>
    )
  }
  return <DnsRecords key={domainId} domain={domain} />
}

function DnsRecords({ domain }: { readonly domain: Domain }) {
  const verify = useDomainAct(domain.domain_id, 'verify')
  const mayVerify = useMay('developer')
  const mayChange = useMay('admin')
  const nextLookAt = useLookingAgain(mayVerify && isWaiting(domain), domain.checked_at, verify)
  const [fullNames, setFullNames] = useState(false)
  const shown = { looking: verify.isPending, fullNames }
  return (
    <Page
      title={words.title}
      size={1280}
      above={<DomainStatus domain={domain} />}
      intro={<Intro domain={domain} nextLookAt={nextLookAt} />}
      actions={
        mayVerify && (
          <>
            <ShareRecords domain={domain} />
            <ActionButton
              leftSection={<IconRefresh size={16} />}
              loading={verify.isPending}
              onClick={() => verify.mutate()}
            >
              {words.verify}
            </ActionButton>
          </>
        )
      }
    >
      <Stack gap="lg">
        <ErrorNotice error={verify.error} />
        <Troubles domain={domain} />
        {mayVerify && <DnsHosting domain={domain} />}
        {domain.claim !== undefined && (
          <Card title={words.claim} intro={words.claimHint} flush>
            <RecordTable label={words.claimLabel} records={[domain.claim.record]} {...shown} />
          </Card>
        )}
        <Card
          flush
          title={domain.domain_unicode}
          intro={domain.records.every(({ status }) => status === 'found') ? words.keep : words.publish}
          actions={<NameChoice fullNames={fullNames} onChange={setFullNames} />}
        >
          <div role="status" className="visually-hidden">
            {verify.isPending ? words.looking : fill(words.found, foundOf(domain))}
          </div>
          <RecordTable
            label={fill(words.titleOf, { domain: domain.domain_unicode })}
            records={domain.records}
            {...shown}
          />
        </Card>
        <ZoneFile domain={domain} />
        {domain.bimi !== null && <BimiCard bimi={domain.bimi} />}
        {mayChange && <DkimRotation domain={domain} />}
        {domain.events.length > 0 && <DomainHistory domain={domain} />}
      </Stack>
    </Page>
  )
}

/** Reasons why DNS records cannot be found, or are required soon. */
function Troubles({ domain }: { readonly domain: Domain }) {
  const { flagged_at: flaggedAt, mailbox_provider: ofMailboxes, domain_unicode: name, status } = domain
  return (
    <>
      {ofMailboxes && status === 'pending' && (
        <Alert color="yellow" title={fill(words.ofMailboxes, { domain: name })}>
          {words.ofMailboxesHint}
        </Alert>
      )}
      {flaggedAt !== null && (
        <Alert color="red" title={words.flagged}>
          {parts(words.flaggedHint, { time: <Time key="time" at={flaggedAt} /> })}
        </Alert>
      )}
    </>
  )
}

/**
 * True if the page repeats the check: the domain is not verified, or a record was added after the last check. The
 * domain of the playground has never been checked.
 */
const isWaiting = ({ status, checked_at: checkedAt, records }: Domain): boolean =>
  status === 'pending' || (checkedAt !== null && records.some((record) => record.status === 'pending'))

/** Counts the required records, and the found ones among them; records of new and old DKIM keys do not count. */
function foundOf({ records }: Domain): { readonly found: number; readonly all: number } {
  const lasting = records.filter(({ purpose }) => !/_(next|old)$/.test(purpose))
  return { found: lasting.filter(({ status }) => status === 'found').length, all: lasting.length }
}

interface IntroProps {
  readonly domain: Domain
  /** Time of the next DNS check in milliseconds since the epoch; undefined if no check is scheduled. */
  readonly nextLookAt: number | undefined
}

function Intro({ domain, nextLookAt }: IntroProps) {
  const { checked_at: checkedAt, status, domain_id: id } = domain
  return (
    <>
      {isWaiting(domain) ? words.whileOpen : words.daily}{' '}
      {checkedAt !== null &&
        parts(words.foundChecked, { ...foundOf(domain), time: <Time key="time" at={checkedAt} /> })}{' '}
      {nextLookAt !== undefined && <NextLook at={nextLookAt} />}
      {status === 'verified' && (
        <>
          <Anchor component={Link} to={`/domains/${id}/keys`} inherit display="inline-block">
            {words.createKey}
          </Anchor>
          {' · '}
          <Anchor component={Link} to={`/domains/${id}/requirements`} inherit display="inline-block">
            {words.requirements}
          </Anchor>
          {' · '}
          <Anchor component={Link} to={`/domains/${id}/authentication`} inherit display="inline-block">
            {words.authentication}
          </Anchor>
        </>
      )}
    </>
  )
}
