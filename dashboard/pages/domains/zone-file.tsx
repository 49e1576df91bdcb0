// The records of a domain as the text of a zone file.

import { Button, Skeleton } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { path } from '../../client.ts'
import { Card } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { type Domain, zoneQuery } from './calls.ts'

export function ZoneFile({ domain }: { readonly domain: Domain }) {
  const [opened, setOpened] = useState(false)
  const { data, error, refetch } = useQuery({ ...zoneQuery(domain.domain_id), enabled: opened })
  return (
    <Card
      title="Zone file"
      intro="For DNS providers that import zone files, and for your own name servers."
      actions={
        <>
          {data !== undefined && opened && <CopyButton text={data} what="the zone file" label="Copy" />}
          <Button
            variant="default"
            size="xs"
            component="a"
            href={path`/api/domains/${domain.domain_id}/zone`}
            download={`${domain.domain}.zone`}
            leftSection={<IconDownload size={16} stroke={1.6} />}
          >
            Download
          </Button>
          <Button variant="default" size="xs" aria-expanded={opened} onClick={() => setOpened(!opened)}>
            {opened ? 'Hide' : 'Show'}
          </Button>
        </>
      }
    >
      {opened &&
        (data !== undefined ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard
          <pre className="block" tabIndex={0}>
            {data}
          </pre>
        ) : error !== null ? (
          <ErrorNotice error={error} again={refetch} />
        ) : (
          <Skeleton h={120} />
        ))}
    </Card>
  )
}
