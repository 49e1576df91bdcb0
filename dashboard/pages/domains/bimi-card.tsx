// The check of the BIMI record of a domain. The logo itself is not shown, because it is content of a stranger.

import { List, Stack, Text } from '@mantine/core'
import { Breakable } from '../../parts/breakable.tsx'
import { Card } from '../../parts/card.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { domains as texts } from '../../texts/en/domains.ts'
import type { Domain } from './calls.ts'

const words = texts.bimi
const TONES = { passed: 'good', failed: 'bad', declined: 'quiet' } as const

export function BimiCard({ bimi }: { readonly bimi: NonNullable<Domain['bimi']> }) {
  const { status, name, record, logo_url: logo, certificate_url: certificate, findings } = bimi
  const facts = [
    [words.record, `${name}: ${record}`],
    [words.logo, logo],
    [words.certificate, certificate],
  ] as const
  return (
    <Card title={words.title} intro={words.intro}>
      <Stack>
        <StatusBadge status={status} label={words.statuses[status]} tone={TONES[status]} />
        {findings.length > 0 && (
          <List fz="sm">
            {findings.map(({ code }) => (
              <List.Item key={code}>{words.findings[code]}</List.Item>
            ))}
          </List>
        )}
        <dl className="facts">
          {facts.map(
            ([label, value]) =>
              value !== null && (
                <div key={label} style={{ display: 'contents' }}>
                  <dt>{label}</dt>
                  <dd className="code-line">
                    <Breakable text={value} after="." />
                  </dd>
                </div>
              ),
          )}
        </dl>
        {bimi.logo_checked_at !== null && (
          <Text fz="sm" c="dimmed">
            {words.checked} <Time at={bimi.logo_checked_at} />
          </Text>
        )}
      </Stack>
    </Card>
  )
}
