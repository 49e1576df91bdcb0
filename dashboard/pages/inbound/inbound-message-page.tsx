// The page of an inbound message: sender, content and authentication results.

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
import { intoView } from '../../parts/into-view.ts'
import { Loading } from '../../parts/loading.tsx'
import { byteSize } from '../../parts/numbers.ts'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { inbound as words } from '../../texts/en/inbound.ts'
import { messages } from '../../texts/en/messages.ts'
import { useDomainId } from '../domains/workspace.ts'
import { Cut, HeaderTable, RawSource, Without } from '../messages/content.tsx'
import { Authentication } from './authentication.tsx'
import { htmlAddress, type Inbound, inboundQuery, rawAddress, rawQuery } from './calls.ts'

const VIEWS = ['text', 'html', 'authentication', 'headers', 'source'] as const

export function Component() {
  const domainId = useDomainId()
  const { inboundId = '' } = useParams()
  const { data: message, error, refetch } = useQuery(inboundQuery(domainId, inboundId))
  const back = <BackLink to={`/domains/${domainId}/inbound`}>{words.title}</BackLink>
  if (message === undefined) {
    return (
      <Page title={words.titleOf} above={back}>
        {error === null ? <Loading /> : <ErrorNotice error={error} again={refetch} />}
      </Page>
    )
  }
  return (
    <Page title={message.subject || messages.noSubject} above={back} intro={<State message={message} />}>
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
      label={content === 'pending' ? words.reading : words.contentRemoved}
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
          <Tabs.Tab key={name} value={name} ref={name === view ? intoView : undefined}>
            {name === 'authentication' ? words.authentication : messages.views[name]}
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
            <ForeignDocument title={messages.htmlOf} src={htmlAddress(domainId, message.inbound_id)} />
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
      {text ? <ForeignText text={text} what={messages.views.text} /> : <Without title={messages.noText} />}
    </>
  )
}

function Source({ domainId, inboundId }: { readonly domainId: string; readonly inboundId: string }) {
  const query = useQuery(rawQuery(domainId, inboundId))
  return <RawSource query={query} href={rawAddress(domainId, inboundId)} id={inboundId} />
}

const mailboxes = (list: Inbound['to']): string =>
  list.map(({ email, name }) => (name ? `${name} <${email}>` : email)).join(', ')

function About({ message }: { readonly message: Inbound }) {
  const { from, to, cc, reply_to, rcpt_to, kind, flags, stream, mail_from, size, attachments } = message
  return (
    <Facts
      facts={[
        [words.from, from && mailboxes([from])],
        [words.to, mailboxes(to)],
        ['Cc', mailboxes(cc)],
        ['Reply-To', mailboxes(reply_to)],
        [words.received, <Time key="at" at={message.received_at} exact />],
        [words.receivedFor, rcpt_to.join(', ')],
        [words.envelopeSender, mail_from || words.emptySender],
        [
          words.receivedFrom,
          `${message.helo} [${message.client_address}]${message.tls ? `, ${message.tls}` : ''}`,
        ],
        [words.stream, stream],
        [words.kind, [words.kinds[kind], ...flags.map((flag) => words.flags[flag])].join(', ')],
        [words.size, byteSize(size)],
        [words.attachments, attachments.length > 0 && <Files key="files" files={attachments} />],
        [
          words.inboundId,
          <Group key="id" gap={4} wrap="nowrap">
            <span className="code-line">{message.inbound_id}</span>
            <CopyButton text={message.inbound_id} what={words.theId} />
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
          {filename ?? words.unnamedFile}
        </Anchor>
        <Text span c="dimmed" fz="sm">
          {' '}
          {byteSize(size)}
        </Text>
      </List.Item>
    ))}
  </List>
)
