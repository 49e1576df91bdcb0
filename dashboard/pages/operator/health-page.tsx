// The health of the installation: DNS, TLS, port 25, block lists, disk and clock, each with a remedy for problems.

import { Alert, Anchor, Box, Center, Group, Loader, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { ActionButton } from '../../parts/action-button.tsx'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { IconRefresh } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { WithCode } from '../../parts/with-code.tsx'
import { operator } from '../../texts/en/operator.ts'
import { counted, parts } from '../../texts/texts.ts'
import { type Health, type HealthCheck, healthQuery } from './calls.ts'
import { OperatorTabs } from './operator-tabs.tsx'

const STATUSES = {
  ok: { tone: 'good', place: 2 },
  warn: { tone: 'waiting', place: 1 },
  fail: { tone: 'bad', place: 0 },
  skipped: { tone: 'quiet', place: 3 },
} as const

export function Component() {
  const { data, error, refetch, isFetching } = useQuery(healthQuery)
  return (
    <Page
      title={operator.title}
      actions={
        <ActionButton
          variant="default"
          leftSection={<IconRefresh size={16} />}
          loading={isFetching}
          onClick={() => refetch()}
        >
          {operator.health.checkAgain}
        </ActionButton>
      }
    >
      <OperatorTabs />
      {data !== undefined ? (
        <Checks health={data} />
      ) : error !== null ? (
        <ErrorNotice error={error} again={refetch} />
      ) : (
        <Center py="xl">
          <Stack align="center" gap="xs">
            <Loader role="img" aria-label={operator.health.checking} />
            <Text c="dimmed" fz="sm">
              {operator.health.checkingHint}
            </Text>
          </Stack>
        </Center>
      )}
    </Page>
  )
}

function Checks({ health }: { readonly health: Health }) {
  const { checks, checked_at } = health
  const count = (status: HealthCheck['status']) => checks.filter((check) => check.status === status).length
  const [failed, warned] = [count('fail'), count('warn')]
  const words = operator.health
  const result =
    failed > 0 ? counted(words.failed, failed) : warned > 0 ? counted(words.warned, warned) : words.allPassed
  return (
    <Stack gap="lg">
      <Alert color={failed > 0 ? 'red' : warned > 0 ? 'yellow' : 'green'} role="status">
        {parts(words.checked, { result, time: <Time key="time" at={checked_at} /> })}
      </Alert>
      {checks
        .filter(({ status }) => status === 'fail' || status === 'warn')
        .toSorted((one, other) => STATUSES[one.status].place - STATUSES[other.status].place)
        .map((check) => (
          <Wrong key={`${check.name} ${check.detail}`} check={check} />
        ))}
      <Card flush title={words.passed}>
        <ul className="checks">
          {checks
            .filter(({ status }) => status === 'ok')
            .map((check) => (
              <Check key={`${check.name} ${check.detail}`} check={check} />
            ))}
        </ul>
      </Card>
      <Skipped checks={checks.filter(({ status }) => status === 'skipped')} />
    </Stack>
  )
}

/** A failed check or a warning, with its remedy. */
function Wrong({ check: { name, status, detail, remedy } }: { readonly check: HealthCheck }) {
  const words = operator.health
  const { tone } = STATUSES[status]
  return (
    <Card
      title={titleOf(name)}
      actions={<StatusBadge status={status} label={words.statuses[status]} tone={tone} />}
    >
      <Text fz="sm" mb={remedy === null ? 0 : 'md'}>
        {detail}
      </Text>
      {remedy !== null && (
        <>
          <Text fz="sm" fw={500}>
            {words.whatToDo}
          </Text>
          <Box fz="sm">
            <WithCode text={remedy} />
          </Box>
          {name.startsWith('domain ') && (
            <Anchor component={Link} to="/domains" fz="sm">
              {words.openRecords}
            </Anchor>
          )}
        </>
      )}
    </Card>
  )
}

/** Returns the name of a check as a title; a host name stays unchanged. */
const titleOf = (name: string): string =>
  /^\S*\./.test(name) ? name : name.charAt(0).toUpperCase() + name.slice(1)

/** Collapsed list of checks that do not apply to this installation, such as port 25 in the playground. */
function Skipped({ checks }: { readonly checks: readonly HealthCheck[] }) {
  if (checks.length === 0) return null
  return (
    <details className="card">
      <summary className="fold">{counted(operator.health.countSkipped, checks.length)}</summary>
      <ul className="checks">
        {checks.map((check) => (
          <Check key={`${check.name} ${check.detail}`} check={check} />
        ))}
      </ul>
    </details>
  )
}

function Check({ check }: { readonly check: HealthCheck }) {
  const { tone } = STATUSES[check.status]
  return (
    <li className="check">
      <Group justify="space-between" align="baseline" gap="xs">
        <Text fw={500} inherit>
          {check.name}
        </Text>
        <Text fz="sm" component="div">
          <StatusBadge status={check.status} label={operator.health.statuses[check.status]} tone={tone} />
        </Text>
      </Group>
      <Text fz="sm" c="dimmed">
        {check.detail}
      </Text>
      {check.remedy !== null && (
        <Box fz="sm" mt={4}>
          <WithCode text={check.remedy} />
        </Box>
      )}
    </li>
  )
}
