// Insights about the delivery of a message: authentication of its domain, and checks of its content.

import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { FindingList, findingsQuery } from '../../parts/finding-list.tsx'
import { checkMail, htmlFacts, type MailCheck } from '../../parts/mail-checks.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useMay, useSession } from '../../session.ts'
import { findings } from '../../texts/en/findings.ts'
import { messages as words } from '../../texts/en/messages.ts'
import { fill } from '../../texts/texts.ts'
import { type Domain, domainQuery } from '../domains/calls.ts'
import { streamsQuery } from '../streams/calls.ts'
import { contentQuery, type Message } from './calls.ts'
import { Fetched } from './content.tsx'

interface InsightsProps {
  readonly domainId: string
  readonly message: Message
}

export function Insights({ domainId, message }: InsightsProps) {
  const query = useQuery(contentQuery(domainId, message.message_id))
  const domain = useQuery(domainQuery(domainId)).data
  const { mode } = useSession()
  const streams = useQuery(streamsQuery(domainId)).data?.data ?? []
  const isBroadcast = streams.some(({ alias, kind }) => alias === message.stream && kind === 'broadcast')
  return (
    <Fetched query={query}>
      {({ html = null, text = null, headers = [], content_incomplete: cut }) => {
        const playground = mode === 'playground' ? window.location.host : undefined
        const mail = { html, text, headers, subject: message.subject, isBroadcast, playground }
        const checks = [
          ...(domain === undefined ? [] : alignmentOf(domain)),
          ...checkMail(
            { ...mail, domain: domain?.domain ?? '' },
            html === null ? undefined : htmlFacts(html),
          ),
        ]
        const worst = (status: MailCheck['status']) => ['error', 'warning', 'ok'].indexOf(status)
        return (
          <>
            {cut && (
              <Text fz="sm" c="dimmed" mb="sm">
                {words.partlyChecked}
              </Text>
            )}
            <ul className="checks">
              {checks
                .toSorted((one, other) => worst(one.status) - worst(other.status))
                .map(({ title, status, detail }) => (
                  <li key={title} className="check">
                    <StatusBadge status={status} label={title} />
                    <Text fz="sm" c="dimmed">
                      {detail}
                    </Text>
                  </li>
                ))}
            </ul>
            <ContentFindings domainId={domainId} message={message} html={html} text={text} />
            <Text fz="sm" mt="md">
              <Anchor component={Link} to={`/domains/${domainId}/dns`} inherit underline="always">
                {words.recordsOfDomain}
              </Anchor>
            </Text>
          </>
        )
      }}
    </Fetched>
  )
}

/** Findings of the check of the content, as the message was sent; for users who may send messages. */
function ContentFindings({
  domainId,
  message: { subject, stream },
  html,
  text,
}: InsightsProps & { readonly html: string | null; readonly text: string | null }) {
  const may = useMay('developer')
  const parts = { subject, stream, ...(html ? { html } : {}), ...(text ? { text } : {}) }
  const { data } = useQuery(findingsQuery(domainId, may ? parts : undefined))
  if (data === undefined) return null
  return (
    <>
      <Text component="h2" fw={600} mt="md" mb="xs">
        {findings.sent}
      </Text>
      <FindingList findings={data} />
    </>
  )
}

/**
 * Checks the present DNS records: DKIM signs for the From domain, the return path is below this domain, and DMARC
 * evaluates both (RFC 9989).
 */
function alignmentOf({ domain, records }: Domain): readonly MailCheck[] {
  const found = (purpose: string) =>
    records.some((record) => record.purpose === purpose && record.status === 'found')
  const check = (
    said: (typeof words.alignment)['dkim' | 'spf' | 'dmarc'],
    isFound: boolean,
    otherwise: 'error' | 'warning',
  ): MailCheck => ({
    title: isFound ? said.title : fill(words.alignment.notFound, { title: said.title }),
    status: isFound ? 'ok' : otherwise,
    detail: isFound ? fill(said.found as string, { domain } as never) : said.missing,
  })
  const { dkim, spf, dmarc } = words.alignment
  return [
    check(dkim, found('dkim_rsa'), 'error'),
    check(spf, found('return_path'), 'error'),
    check(dmarc, found('dmarc'), 'warning'),
  ]
}
