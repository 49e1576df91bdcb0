// An event of a recipient, in one sentence.

import { Anchor, Group, Text } from '@mantine/core'
import { Link } from 'react-router'
import { inWords } from '../../parts/in-words.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { messages as words } from '../../texts/en/messages.ts'
import { useDomainId } from '../domains/workspace.ts'
import type { MessageEvent } from './calls.ts'
import { eventInWords, replyInWords } from './event-words.ts'

export function EventLine({ event }: { readonly event: MessageEvent }) {
  const domainId = useDomainId()
  return (
    <div className="timeline-entry">
      <Group justify="space-between" gap="xs">
        <StatusBadge status={event.type} label={inWords(event.type)} />
        <Text fz="sm" c="dimmed">
          <Time at={event.at} exact />
        </Text>
      </Group>
      <Text fz="sm" c="dimmed" mt={2}>
        {eventInWords(event)}
      </Text>
      <Reply detail={event.detail} />
      <Hit detail={event.detail} />
      {event.type === 'suppressed' && (
        <Anchor
          component={Link}
          to={`/domains/${domainId}/suppressions?email=${encodeURIComponent(event.email)}`}
          fz="sm"
        >
          {words.showOnList}
        </Anchor>
      )}
    </div>
  )
}

/** Target URL of a click, and the program that followed the link. */
function Hit({ detail }: { readonly detail: object }) {
  const { url, user_agent: userAgent } = detail as Record<string, unknown>
  return (
    <>
      {typeof url === 'string' && <div className="code-line">{url}</div>}
      {typeof userAgent === 'string' && userAgent !== '' && (
        <Text fz="xs" c="dimmed" mt={2}>
          {userAgent}
        </Text>
      )}
    </>
  )
}

/** Reply of the mail host to an attempt. */
function Reply({ detail }: { readonly detail: object }) {
  const { smtp_code, smtp_response, diagnostic } = detail as Record<string, unknown>
  const words = replyInWords(smtp_code, smtp_response ?? diagnostic)
  return words === '' ? null : <div className="code-line">{words}</div>
}
