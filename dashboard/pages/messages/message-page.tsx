// The page of a message: outcome for each recipient, and content.

import { Anchor, Group, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment, useCallback } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { BackLink } from '../../parts/back-link.tsx'
import { Card } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Facts } from '../../parts/facts.tsx'
import { intoView } from '../../parts/into-view.ts'
import { Loading } from '../../parts/loading.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { fromNow, Time } from '../../parts/time.tsx'
import { POLLED_MS, queries, STREAMED_MS } from '../../queries.ts'
import { messages as words } from '../../texts/en/messages.ts'
import { fill } from '../../texts/texts.ts'
import { useEventStream } from '../activity/event-stream.ts'
import { useDomainId } from '../domains/workspace.ts'
import { addressPath } from '../search/calls.ts'
import { Activity } from './activity.tsx'
import { eventsAddress, type Message, messageQuery, type Recipient, resendsQuery } from './calls.ts'
import { Headers, Html, PlainText, Source } from './content.tsx'
import { Insights } from './insights-view.tsx'
import { MessageActions } from './message-actions.tsx'
import { sourceFacts, useContentFacts } from './message-source.tsx'
import { outcomeOf, sentencesOf } from './outcome.ts'
import { skipsInWords } from './skips.ts'

const VIEWS = ['activity', 'html', 'text', 'headers', 'source', 'insights'] as const

export function Component() {
  const domainId = useDomainId()
  const { messageId = '' } = useParams()
  const askAgain = useCallback(
    () => void queries.invalidateQueries({ queryKey: ['domains', domainId, 'message', messageId] }),
    [domainId, messageId],
  )
  const open = useEventStream(eventsAddress(domainId, messageId), askAgain)
  const {
    data: message,
    error,
    refetch,
  } = useQuery(messageQuery(domainId, messageId, open ? STREAMED_MS : POLLED_MS))
  const back = <BackLink to={`/domains/${domainId}/messages`}>{words.title}</BackLink>
  if (message === undefined) {
    return (
      <Page title={words.message} above={back}>
        {error === null ? <Loading /> : <ErrorNotice error={error} again={refetch} />}
      </Page>
    )
  }
  return (
    <Page
      title={message.subject || words.noSubject}
      above={back}
      intro={<StatusBadge status={outcomeOf(message).status} />}
      actions={<MessageActions domainId={domainId} message={message} />}
    >
      <Stack gap="lg">
        <Card>
          <Stack gap={2} mb="md">
            {sentencesOf(message, fromNow).map((sentence) => (
              <Text key={sentence}>{sentence}</Text>
            ))}
          </Stack>
          <About message={message} domainId={domainId} />
        </Card>
        <Views domainId={domainId} message={message} />
      </Stack>
    </Page>
  )
}

function Views({ domainId, message }: { readonly domainId: string; readonly message: Message }) {
  const [search, setSearch] = useSearchParams()
  const view = VIEWS.find((name) => name === search.get('view')) ?? 'activity'
  const show = (next: string | null) =>
    setSearch(next === null || next === 'activity' ? {} : { view: next }, { replace: true })
  const content = { domainId, messageId: message.message_id }
  return (
    <Tabs value={view} onChange={show} keepMounted={false}>
      <Tabs.List mb="md">
        {VIEWS.map((name) => (
          <Tabs.Tab key={name} value={name} ref={name === view ? intoView : undefined}>
            {words.views[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="activity">
        <Activity domainId={domainId} message={message} />
      </Tabs.Panel>
      <Tabs.Panel value="html">
        <Html {...content} />
      </Tabs.Panel>
      <Tabs.Panel value="text">
        <PlainText {...content} />
      </Tabs.Panel>
      <Tabs.Panel value="headers">
        <Headers {...content} />
      </Tabs.Panel>
      <Tabs.Panel value="source">
        <Source {...content} />
      </Tabs.Panel>
      <Tabs.Panel value="insights">
        <Insights domainId={domainId} message={message} />
      </Tabs.Panel>
    </Tabs>
  )
}

function About({ domainId, message }: { readonly domainId: string; readonly message: Message }) {
  const { from, from_name, to, cc, bcc, stream, tags, metadata, created_at, send_at } = message
  const resends = useQuery(resendsQuery(domainId, message.message_id)).data?.data ?? []
  const linkTo = (id: string) => `/domains/${domainId}/messages/${id}`
  const names = Object.entries(metadata)
  const [attachments, size] = useContentFacts(domainId, message)
  return (
    <Facts
      facts={[
        [words.from, from_name ? `${from_name} <${from}>` : from],
        [words.to, <Mailboxes key="to" recipients={to} />],
        ['Cc', cc.length > 0 && <Mailboxes key="cc" recipients={cc} />],
        ['Bcc', bcc.length > 0 && <Mailboxes key="bcc" recipients={bcc} />],
        attachments,
        ...sourceFacts(domainId, message),
        [words.accepted, <Time key="at" at={created_at} exact />],
        [words.sendAt, send_at !== null && <Time key="send" at={send_at} exact />],
        [words.stream, stream],
        [words.tag, tags.join(', ')],
        ...names.map(([name, value]) => [fill(words.metadata, { name }), value] as const),
        size,
        [words.leftOut, skipsInWords(message).join(' ')],
        [
          words.resendOf,
          message.resend_of !== undefined && (
            <Anchor key="original" component={Link} to={linkTo(message.resend_of)} className="code-line">
              {message.resend_of}
            </Anchor>
          ),
        ],
        [
          words.resent,
          resends.length > 0 && (
            <Stack key="resends" gap={0}>
              {resends.map((one) => (
                <Anchor key={one.message_id} component={Link} to={linkTo(one.message_id)}>
                  <Time at={one.created_at} exact />
                </Anchor>
              ))}
            </Stack>
          ),
        ],
        [
          words.messageId,
          <Group key="id" gap={4} wrap="nowrap">
            <span className="code-line">{message.message_id}</span>
            <CopyButton text={message.message_id} what={words.messageId} />
          </Group>,
        ],
      ]}
    />
  )
}

/** Maximum number of recipients in the header of the page; more recipients would push the content out of view. */
const MAX_SHOWN = 5

function Mailboxes({ recipients }: { readonly recipients: readonly Recipient[] }) {
  const shown = recipients.slice(0, MAX_SHOWN)
  const more = recipients.length - shown.length
  return (
    <>
      {shown.map(({ email, name }, index) => (
        <Fragment key={email}>
          {index > 0 && ', '}
          {name ? `${name} ` : ''}
          <Anchor component={Link} to={addressPath(email)} inherit title={fill(words.allAbout, { email })}>
            {email}
          </Anchor>
        </Fragment>
      ))}
      {more > 0 && (
        <Text span c="dimmed">
          {' '}
          {fill(words.andMore, { count: more })}
        </Text>
      )}
    </>
  )
}
