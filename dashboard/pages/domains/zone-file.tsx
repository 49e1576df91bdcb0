// The DNS records of a domain in zone file format.

import { Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { path } from '../../client.ts'
import { Card } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconDownload } from '../../parts/icons.tsx'
import { domains as words } from '../../texts/en/domains.ts'
import { type Domain, zoneQuery } from './calls.ts'

export function ZoneFile({ domain }: { readonly domain: Domain }) {
  const [opened, setOpened] = useState(false)
  const { data, error, refetch } = useQuery({ ...zoneQuery(domain.domain_id), enabled: opened })
  return (
    <Card
      title={words.zone.title}
      intro={words.zone.hint}
      actions={
        <>
          {data !== undefined && opened && (
            <CopyButton text={data} what={words.zone.theFile} label={words.zone.copy} />
          )}
          <Button
            variant="default"
            size="xs"
            component="a"
            href={path`/api/domains/${domain.domain_id}/zone`}
            download={`${domain.domain}.zone`}
            leftSection={<IconDownload size={16} stroke={1.6} />}
          >
            {words.zone.download}
          </Button>
          <Button variant="default" size="xs" aria-expanded={opened} onClick={() => setOpened(!opened)}>
            {opened ? words.zone.hide : words.zone.show}
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
