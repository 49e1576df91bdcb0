// One inbound message: who sent it, what it says, and the results of its authentication.

import { Anchor, Group, List, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearchParams } from 'react-router'
import { BackLink } from '../../parts/back-link.tsx'
import { Card } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Facts } from '../../parts/facts.tsx'
import { ForeignDocument } from '../../parts/foreign-frame.tsx'
import { ForeignText } from '../../parts/foreign-text.tsx'
import { Loading } from '../../parts/loading.tsx'
import { octets } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { messages } from '../../texts/en/messages.ts'
import { useDomainId } from '../domains/workspace.ts'
import { Cut, HeaderTable, RawSource, Without } from '../messages/content.tsx'
import { Authentication } from './authentication.tsx'
import { htmlAddress, type Inbound, inboundQuery, KINDS, rawAddress, rawQuery } from './calls.ts'

const VIEWS = ['text', 'html', 'authentication', 'headers', 'source'] as const
const NAMES = {
  text: 'Text',
  html: 'HTML',
  authentication: 'Authentication',
  headers: 'Headers',
  source: 'Source',
}

export function Component() {
  const domainId = useDomainId()
  const { inboundId = '' } = useParams()
  const { data: message, error, refetch } = useQuery(inboundQuery(domainId, inboundId))
  const back = <BackLink to={`/domains/${domainId}/inbound`}>Inbound</BackLink>
  if (message === undefined) {
    return (
      <Page title="Inbound message" above={back}>
        {error === null ? <Loading /> : <ErrorNotice error={error} again={refetch} />}
      </Page>
    )
  }
  return (
    <Page title={message.subject || '(no subject)'} above={back} intro={<State message={message} />}>
      <Stack gap="lg">
        <Card>
          <About message={message} />
        </Card>
        <Views domainId={domainId} message={message} />
      </Stack>
    </Page>
  )
}

const State = ({ message: { content } }: { readonly message: Inbound }) =>
  content === 'available' ? (
    <StatusBadge status="received" tone="good" />
  ) : (
    <StatusBadge
      status={content}
      label={content === 'pending' ? 'Being read' : 'Content removed'}
      tone={content === 'pending' ? 'waiting' : 'quiet'}
    />
  )

function Views({ domainId, message }: { readonly domainId: string; readonly message: Inbound }) {
  const [search, setSearch] = useSearchParams()
  const first = message.text === null && message.html !== null ? 'html' : 'text'
  const view = VIEWS.find((name) => name === search.get('view')) ?? first
  const show = (next: string | null) => setSearch(next === null ? {} : { view: next }, { replace: true })
  return (
    <Tabs value={view} onChange={show} keepMounted={false}>
      <Tabs.List mb="md">
        {VIEWS.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {NAMES[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="text">
        <Card>
          <PlainText domainId={domainId} message={message} />
        </Card>
      </Tabs.Panel>
      <Tabs.Panel value="html">
        <Card>
          {message.html ? (
            <ForeignDocument title="HTML of the message" src={htmlAddress(domainId, message.inbound_id)} />
          ) : (
            <Without title={messages.noHtml} />
          )}
        </Card>
      </Tabs.Panel>
      <Tabs.Panel value="authentication">
        <Card>
          <Authentication results={message.authentication} />
        </Card>
      </Tabs.Panel>
      <Tabs.Panel value="headers">
        <Card>
          <HeaderTable headers={message.headers} />
        </Card>
      </Tabs.Panel>
      <Tabs.Panel value="source">
        <Source domainId={domainId} inboundId={message.inbound_id} />
      </Tabs.Panel>
    </Tabs>
  )
}

function PlainText({ domainId, message }: { readonly domainId: string; readonly message: Inbound }) {
  const { inbound_id: id, flags, text } = message
  return (
    <>
      {flags.includes('incomplete') && <Cut whole={rawAddress(domainId, id)} name={id} />}
      {text ? <ForeignText text={text} what="text" /> : <Without title={messages.noText} />}
    </>
  )
}

function Source({ domainId, inboundId }: { readonly domainId: string; readonly inboundId: string }) {
  const query = useQuery(rawQuery(domainId, inboundId))
  return <RawSource query={query} href={rawAddress(domainId, inboundId)} id={inboundId} />
}

/** Flags as pages name them. */
const FLAGS: Readonly<Record<Inbound['flags'][number], string>> = {
  auto_submitted: 'automatic',
  mailing_list: 'mailing list',
  incomplete: 'not shown in full',
  unreadable: 'unreadable',
}

const mailboxes = (list: Inbound['to']): string =>
  list.map(({ email, name }) => (name ? `${name} <${email}>` : email)).join(', ')

function About({ message }: { readonly message: Inbound }) {
  const { from, to, cc, reply_to, rcpt_to, kind, flags, stream, mail_from, size, attachments } = message
  return (
    <Facts
      facts={[
        ['From', from && mailboxes([from])],
        ['To', mailboxes(to)],
        ['Cc', mailboxes(cc)],
        ['Reply-To', mailboxes(reply_to)],
        ['Received', <Time key="at" at={message.received_at} exact />],
        ['Received for', rcpt_to.join(', ')],
        ['Envelope sender', mail_from || 'empty (a bounce or an automatic message)'],
        [
          'Received from',
          `${message.helo} [${message.client_address}]${message.tls ? `, ${message.tls}` : ''}`,
        ],
        ['Stream', stream],
        ['Kind', [KINDS[kind], ...flags.map((flag) => FLAGS[flag])].join(', ')],
        ['Size', octets(size)],
        ['Attachments', attachments.length > 0 && <Files key="files" files={attachments} />],
        [
          'Inbound ID',
          <Group key="id" gap={4} wrap="nowrap">
            <span className="code-line">{message.inbound_id}</span>
            <CopyButton text={message.inbound_id} what="inbound ID" />
          </Group>,
        ],
      ]}
    />
  )
}

const Files = ({ files }: { readonly files: Inbound['attachments'] }) => (
  <List listStyleType="none" fz="sm">
    {files.map(({ filename, size, url }) => (
      <List.Item key={url}>
        <Anchor href={new URL(url).pathname + new URL(url).search} fz="sm">
          {filename ?? 'unnamed file'}
        </Anchor>
        <Text span c="dimmed" fz="sm">
          {' '}
          {octets(size)}
        </Text>
      </List.Item>
    ))}
  </List>
)
