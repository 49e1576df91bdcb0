// The way from an empty installation to the first mail, for as long as nothing was sent.

import { Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense } from 'react'
import { Link } from 'react-router'
import { fetched } from '../../fetched.ts'
import { Card } from '../../parts/card.tsx'
import { useMay, useSession } from '../../session.ts'
import { home } from '../../texts/en/home.ts'
import { counted, fill } from '../../texts/texts.ts'
import { domainsQuery } from '../domains/calls.ts'
import { credentialsQuery, keysOf } from '../keys/calls.ts'
import { healthQuery } from '../operator/calls.ts'

const SendFirst = lazy(() =>
  fetched(() => import('./send-first.tsx')).then(({ SendFirst }) => ({ default: SendFirst })),
)

export function FirstSteps() {
  const { data } = useQuery(domainsQuery)
  const { mode, user } = useSession()
  const mayAdd = useMay('admin')
  const maySend = useMay('developer')
  const [sending, { open, close }] = useDisclosure(false)
  if (data === undefined) return null
  const added = data.data[0]
  const verified = data.data.find(({ status }) => status === 'verified')
  return (
    <Card title={home.firstSteps} flush>
      <ol className="steps">
        {mode === 'production' && user.operator && <ServerStep />}
        <Step number={1} done={added !== undefined} title={home.addDomainStep}>
          {added === undefined && mayAdd && (
            <Button size="xs" component={Link} to="/domains?add">
              {home.addDomain}
            </Button>
          )}
        </Step>
        <Step number={2} done={verified !== undefined} title={home.publishStep}>
          {added !== undefined && verified === undefined && (
            <Button size="xs" component={Link} to={`/domains/${added.domain_id}/dns`}>
              {home.viewRecords}
            </Button>
          )}
        </Step>
        <KeyStep domainId={verified?.domain_id} />
        <Step number={4} done={false} title={home.sendStep}>
          {verified !== undefined && maySend && (
            <Button size="xs" onClick={open}>
              {home.sendTest}
            </Button>
          )}
        </Step>
      </ol>
      {mode === 'playground' && (
        <Text fz="sm" c="dimmed" px="lg" pb="lg">
          {home.playground}
        </Text>
      )}
      {verified !== undefined && (
        <Suspense>
          <SendFirst domain={verified} opened={sending} onClose={close} />
        </Suspense>
      )}
    </Card>
  )
}

/** A key of the domain that can send, or an SMTP credential. */
function KeyStep({ domainId }: { readonly domainId: string | undefined }) {
  const maySend = useMay('developer')
  const keys = useQuery({ ...credentialsQuery(keysOf(domainId ?? '')), enabled: domainId !== undefined })
  const isMade = keys.data?.data.some(({ revoked_at }) => revoked_at === null) ?? false
  return (
    <Step number={3} done={isMade} title={home.keyStep}>
      {domainId !== undefined && maySend && (
        <Group gap="xs">
          <Button
            size="xs"
            variant={isMade ? 'default' : 'filled'}
            component={Link}
            to={`/domains/${domainId}/keys`}
          >
            {isMade ? home.viewExamples : home.createKey}
          </Button>
          <Button size="xs" variant="default" component={Link} to={`/domains/${domainId}/smtp`}>
            {home.smtpSettings}
          </Button>
        </Group>
      )}
    </Step>
  )
}

/** The installation's own names, ports and certificate: mail of a server that is not set up ends as spam, or nowhere. */
function ServerStep() {
  const { data } = useQuery(healthQuery)
  const count = (status: string) => data?.checks.filter((check) => check.status === status).length ?? 0
  const [failed, warned] = [count('fail'), count('warn')]
  const title =
    data === undefined
      ? home.serverChecking
      : failed + warned === 0
        ? home.serverStep
        : fill(home.serverFaults, {
            failed: counted(home.failedChecks, failed),
            warnings: counted(home.warnings, warned),
          })
  return (
    <Step number={0} done={data !== undefined && failed === 0} title={title}>
      {failed + warned > 0 && (
        <Button size="xs" component={Link} to="/operator">
          {home.viewHealth}
        </Button>
      )}
    </Step>
  )
}

interface StepProps {
  readonly number: number
  readonly done: boolean
  readonly title: string
  readonly children: ReactNode
}

function Step({ number, done, title, children }: StepProps) {
  return (
    <li className="step" data-done={done || undefined}>
      <span className="step-mark" aria-hidden="true">
        {done ? <IconCheck size={16} /> : number}
      </span>
      <span className="step-title">
        {title}
        {done && <span className="visually-hidden"> {home.done}</span>}
      </span>
      {children}
    </li>
  )
}
