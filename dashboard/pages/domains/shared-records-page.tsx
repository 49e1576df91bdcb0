// Page of a shared link that shows the DNS records of a domain, without a login, to the administrator of the DNS.

import { Box, Button, Container, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { SharedRecordsView } from '../../../src/api/contract/domain.ts'
import { get } from '../../client.ts'
import { Card } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconDownload } from '../../parts/icons.tsx'
import { Loading } from '../../parts/loading.tsx'
import { Time } from '../../parts/time.tsx'
import { ConnectionNotice } from '../../shell/connection-notice.tsx'
import { domains as words } from '../../texts/en/domains.ts'
import { fill, parts } from '../../texts/texts.ts'
import { NameChoice, RecordTable } from './record-table.tsx'

const REFETCH_MS = 15_000

export function Component() {
  const token = useSearchParams()[0].get('token') ?? ''
  const shared = useQuery({
    queryKey: ['shared records', token],
    queryFn: ({ signal }) => get<SharedRecordsView>('/api/shared-records', { token }, signal),
    // The page shows newly published records after the next DNS check.
    refetchInterval: REFETCH_MS,
  })
  const { data } = shared
  const title =
    data === undefined ? words.dns.title : fill(words.dns.titleOf, { domain: data.domain_unicode })
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
  const { domain, domain_unicode: name, status, checked_at, records, zone_file, expires_at } = shared
  const [file] = useState(() => URL.createObjectURL(new Blob([zone_file], { type: 'text/plain' })))
  return (
    <Stack gap="lg">
      <Text>
        {fill(status === 'verified' ? words.shared.verified : words.shared.publish, { domain: name })}{' '}
        {checked_at !== null &&
          parts(words.shared.lastChecked, { time: <Time key="time" at={checked_at} /> })}
      </Text>
      <Card
        flush
        title={words.shared.records}
        actions={<NameChoice fullNames={fullNames} onChange={setFullNames} />}
      >
        <RecordTable
          label={fill(words.dns.titleOf, { domain: name })}
          records={records}
          fullNames={fullNames}
        />
      </Card>
      <Group>
        <CopyButton text={zone_file} what={words.zone.theFile} label={words.shared.copyZone} />
        <Button
          variant="default"
          size="xs"
          component="a"
          href={file}
          download={`${domain}.zone`}
          leftSection={<IconDownload size={16} stroke={1.6} />}
        >
          {words.shared.downloadZone}
        </Button>
        <Text fz="sm" c="dimmed">
          {parts(words.shared.linkExpires, { time: <Time key="time" at={expires_at} /> })}
        </Text>
      </Group>
    </Stack>
  )
}
