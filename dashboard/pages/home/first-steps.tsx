// Steps from an empty installation to the first delivered message (server, domain, DNS, key, message), each with its
// state.

import { Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense } from 'react'
import { Link } from 'react-router'
import { fetched } from '../../fetched.ts'
import { Card } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Facts } from '../../parts/facts.tsx'
import { useWasOpened } from '../../parts/was-opened.ts'
import { useMay, useSession } from '../../session.ts'
import { guide } from '../../texts/en/guide.ts'
import { counted, fill } from '../../texts/texts.ts'
import { type Domain, domainQuery, domainsQuery } from '../domains/calls.ts'
import { credentialsQuery, keysOf, smtpCredentialsOf } from '../keys/calls.ts'
import { ServerStep } from './server-step.tsx'
import { Step } from './step.tsx'

const SendFirst = lazy(() =>
  fetched(() => import('./send-first.tsx')).then(({ SendFirst }) => ({ default: SendFirst })),
)

/** Refresh interval during the setup, in milliseconds, so that changes made elsewhere appear without a reload. */
const LOOK_AGAIN_MS = 10_000

interface FirstStepsProps {
  /** True if a message was accepted, but none was delivered yet. */
  readonly accepted: boolean
}

export function FirstSteps({ accepted }: FirstStepsProps) {
  const { data } = useQuery({ ...domainsQuery, refetchInterval: LOOK_AGAIN_MS })
  const { mode, user } = useSession()
  if (data === undefined) return null
  const verified = data.data.find(({ status }) => status === 'verified')
  const first = verified ?? data.data[0]
  const ofServer = mode === 'production' && user.operator ? 1 : 0
  return (
    <Card title={guide.firstSteps} intro={guide.setUpFirst} flush>
      <ol className="steps">
        {ofServer > 0 && <ServerStep number={1} />}
        <DomainStep number={ofServer + 1} done={first !== undefined} />
        <RecordsStep number={ofServer + 2} domain={first} done={verified !== undefined} />
        <KeyStep number={ofServer + 3} domainId={verified?.domain_id} />
        <SendStep number={ofServer + 4} domain={verified} accepted={accepted} />
      </ol>
      {mode === 'playground' && (
        <Text fz="sm" c="dimmed" px="var(--card-padding)" pb="lg">
          {guide.playground}
        </Text>
      )}
    </Card>
  )
}

function DomainStep({ number, done }: { readonly number: number; readonly done: boolean }) {
  const mayAdd = useMay('admin')
  return (
    <Step
      number={number}
      done={done}
      title={guide.addDomainStep}
      hint={guide.domainHint}
      actions={!done && mayAdd && <To address="/domains?add">{guide.addDomain}</To>}
    />
  )
}

type Summary = Pick<Domain, 'domain_id' | 'domain' | 'domain_unicode'>

interface RecordsStepProps {
  readonly number: number
  readonly domain: Summary | undefined
  readonly done: boolean
}

function RecordsStep({ number, domain, done }: RecordsStepProps) {
  const waits = domain !== undefined && !done
  const { data } = useQuery({ ...domainQuery(domain?.domain_id ?? ''), enabled: waits })
  const missing = data?.records.filter(({ required, status }) => required && status !== 'found').length ?? 0
  return (
    <Step
      number={number}
      done={done}
      title={guide.publishStep}
      hint={
        waits && missing > 0
          ? `${counted(guide.publishMissing, missing, { domain: domain.domain_unicode })} ${guide.publishHint}`
          : guide.publishHint
      }
      actions={waits && <To address={`/domains/${domain.domain_id}/dns`}>{guide.viewRecords}</To>}
    />
  )
}

interface KeyStepProps {
  readonly number: number
  /** ID of the domain that can send; undefined if there is none. */
  readonly domainId: string | undefined
}

function KeyStep({ number, domainId }: KeyStepProps) {
  const maySend = useMay('developer')
  const enabled = domainId !== undefined
  const keys = useQuery({ ...credentialsQuery(keysOf(domainId ?? '')), enabled })
  const logins = useQuery({ ...credentialsQuery(smtpCredentialsOf(domainId ?? '')), enabled })
  const done = [keys, logins].some(({ data }) => data?.data.some(({ revoked_at }) => revoked_at === null))
  return (
    <Step
      number={number}
      done={done}
      title={guide.keyStep}
      hint={guide.keyHint}
      actions={
        enabled &&
        maySend && (
          <Group gap="xs">
            <To address={`/domains/${domainId}/keys`} plain={done}>
              {done ? guide.viewExamples : guide.createKey}
            </To>
            <To address={`/domains/${domainId}/smtp`} plain>
              {guide.smtpSettings}
            </To>
          </Group>
        )
      }
    />
  )
}

interface SendStepProps extends FirstStepsProps {
  readonly number: number
  readonly domain: Summary | undefined
}

function SendStep({ number, domain, accepted }: SendStepProps) {
  const maySend = useMay('developer')
  const [sending, { open, close }] = useDisclosure(false)
  const wasOpened = useWasOpened(sending)
  const messages = domain && `/domains/${domain.domain_id}/messages`
  return (
    <Step
      number={number}
      done={false}
      title={guide.sendStep}
      hint={accepted ? guide.sendAccepted : guide.sendHint}
      actions={
        <>
          {accepted && messages !== undefined && <To address={messages}>{guide.viewMessages}</To>}
          {domain !== undefined && maySend && (
            <Button size="xs" variant={accepted ? 'default' : 'filled'} onClick={open}>
              {guide.sendTest}
            </Button>
          )}
        </>
      }
    >
      {domain !== undefined && <WhereToSend domainId={domain.domain_id} />}
      {domain !== undefined && wasOpened && (
        <Suspense>
          <SendFirst domain={domain} opened={sending} onClose={close} />
        </Suspense>
      )}
    </Step>
  )
}

/** Hosts and ports to which programs submit messages. */
function WhereToSend({ domainId }: { readonly domainId: string }) {
  const listener = useQuery(credentialsQuery(smtpCredentialsOf(domainId))).data?.listener
  const apiUrl = `${window.location.origin}/v1`
  return (
    <Facts
      facts={[
        [guide.apiUrl, <Copied key="api" text={apiUrl} what={guide.apiUrl} />],
        [
          guide.smtpServer,
          listener && (
            <Copied
              key="smtp"
              text={listener.host}
              shown={fill(guide.smtpPort, { host: listener.host, port: String(listener.port) })}
              what={guide.smtpServer}
            />
          ),
        ],
      ]}
    />
  )
}

interface CopiedProps {
  readonly text: string
  readonly shown?: string
  readonly what: string
}

const Copied = ({ text, shown = text, what }: CopiedProps) => (
  <Group gap={4} wrap="nowrap">
    <span className="code-line">{shown}</span>
    <CopyButton text={text} what={what} />
  </Group>
)

interface ToProps {
  readonly address: string
  readonly plain?: boolean
  readonly children: ReactNode
}

const To = ({ address, plain = false, children }: ToProps) => (
  <Button size="xs" variant={plain ? 'default' : 'filled'} component={Link} to={address}>
    {children}
  </Button>
)
