// Page behind a shared link: the DNS records of a domain, for the person who publishes them. Needs no login.

import { Box, Button, Container, Group, Stack, Text, Title } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { SharedRecordsView } from '../../../src/api/contract/dashboard-domains.ts'
import { get } from '../../client.ts'
import { Card } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Time } from '../../parts/time.tsx'
import { ConnectionNotice } from '../../shell/connection-notice.tsx'
import { NameChoice, RecordTable } from './record-table.tsx'

const REFETCH_MS = 15_000

export function Component() {
  const token = useSearchParams()[0].get('token') ?? ''
  const shared = useQuery({
    queryKey: ['shared records', token],
    queryFn: ({ signal }) => get<SharedRecordsView>('/api/shared-records', { token }, signal),
    // What was published shows here after the next look at the DNS.
    refetchInterval: REFETCH_MS,
  })
  const { data } = shared
  const title = data === undefined ? 'DNS records' : `DNS records of ${data.domain}`
  useEffect(() => {
    document.title = `${title} · Postrider`
  }, [title])
  return (
    <Box mih="100vh" bg="var(--surface)">
      <ConnectionNotice />
      <Container component="main" size={1080} px={{ base: 'md', sm: 'xl' }} py={{ base: 'lg', sm: 40 }}>
        <Title order={1} mb="xl">
          {title}
        </Title>
        {data !== undefined ? (
          <Records shared={data} />
        ) : shared.error !== null ? (
          <ErrorNotice error={shared.error} again={shared.refetch} />
        ) : (
          <Loading />
        )}
      </Container>
    </Box>
  )
}

function Records({ shared }: { readonly shared: SharedRecordsView }) {
  const [fullNames, setFullNames] = useState(false)
  const { domain, status, checked_at, records, zone_file, expires_at } = shared
  const [file] = useState(() => URL.createObjectURL(new Blob([zone_file], { type: 'text/plain' })))
  return (
    <Stack gap="lg">
      <Text>
        {status === 'verified'
          ? `${domain} is verified: the required records are in place.`
          : `Publish these records in the DNS of ${domain}, so that mail can be sent from it.`}{' '}
        {checked_at !== null && (
          <>
            Last checked <Time at={checked_at} />.
          </>
        )}
      </Text>
      <Card flush title="Records" actions={<NameChoice fullNames={fullNames} onChange={setFullNames} />}>
        <RecordTable label={`DNS records of ${domain}`} records={records} fullNames={fullNames} />
      </Card>
      <Group>
        <CopyButton text={zone_file} what="the zone file" label="Copy as zone file" />
        <Button
          variant="default"
          size="xs"
          component="a"
          href={file}
          download={`${domain}.zone`}
          leftSection={<IconDownload size={16} stroke={1.6} />}
        >
          Download zone file
        </Button>
        <Text fz="sm" c="dimmed">
          This link expires <Time at={expires_at} />.
        </Text>
      </Group>
    </Stack>
  )
}
