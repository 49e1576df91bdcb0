// The settings of a domain: its data, submission hosts, tracking, complaints, TLS of inbound mail, retention, and buttons to pause or delete it.

import { Anchor, Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Page } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { settings as words } from '../../texts/en/settings.ts'
import { type Domain, domainQuery } from '../domains/calls.ts'
import { DomainEnd } from '../domains/domain-end.tsx'
import { DomainStatus } from '../domains/domain-status.tsx'
import { useDomainId } from '../domains/workspace.ts'
import { Complaints, Tracking } from './domain-switches.tsx'
import { InboundTls } from './inbound-tls.tsx'
import { Retention } from './retention.tsx'

export function Component() {
  const domainId = useDomainId()
  const mayChange = useMay('admin')
  const { data: domain, error, refetch } = useQuery(domainQuery(domainId))
  return (
    <Page title={words.title}>
      {domain === undefined ? (
        error === null ? (
          <Loading />
        ) : (
          <ErrorNotice error={error} again={refetch} />
        )
      ) : (
        <Stack gap="lg">
          <About domain={domain} />
          <Tracking domain={domain} mayChange={mayChange} />
          <Complaints domain={domain} mayChange={mayChange} />
          <InboundTls domain={domain} mayChange={mayChange} />
          <Retention domain={domain} mayChange={mayChange} />
          {mayChange && <DomainEnd domain={domain} />}
        </Stack>
      )}
    </Page>
  )
}

function About({ domain }: { readonly domain: Domain }) {
  const { domain_id: id, domain_unicode: name, created_at, verified_at } = domain
  const baseUrl = `${window.location.origin}/v1`
  return (
    <Card title={name}>
      <Facts
        facts={[
          [
            words.status,
            <Group key="status" gap="sm">
              <DomainStatus domain={domain} />
              <Anchor component={Link} to={`/domains/${id}/dns`} fz="sm">
                {words.records}
              </Anchor>
            </Group>,
          ],
          [words.domainId, <Copied key="id" text={id} what={words.domainId} />],
          [words.added, <Time key="added" at={created_at} exact />],
          [words.verified, verified_at !== null && <Time key="verified" at={verified_at} exact />],
          [words.apiUrl, <Copied key="api" text={baseUrl} what={words.apiUrl} />],
          [
            words.credentials,
            <Group key="credentials" gap="sm">
              <Anchor component={Link} to={`/domains/${id}/keys`} fz="sm">
                {words.keys}
              </Anchor>
              <Anchor component={Link} to={`/domains/${id}/smtp`} fz="sm">
                {words.smtp}
              </Anchor>
            </Group>,
          ],
        ]}
      />
    </Card>
  )
}

const Copied = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <Group gap={4} wrap="nowrap">
    <span className="code-line">{text}</span>
    <CopyButton text={text} what={what} />
  </Group>
)
