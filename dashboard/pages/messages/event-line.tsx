// One event of a recipient, in a sentence.

import { Anchor, Group, Text } from '@mantine/core'
import { Link } from 'react-router'
import { inWords, StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { useDomainId } from '../domains/workspace.ts'
import type { MessageEvent } from './calls.ts'

/** Meaning of an event, where its name does not say it. */
const MEANINGS: Partial<Record<MessageEvent['type'], string>> = {
  accepted: 'Accepted, stored and queued for delivery.',
  suppressed: 'The address is on the suppression list of the stream. Nothing was sent.',
  cancelled: 'Cancelled before it was delivered.',
  complained: 'The recipient reported the message as spam.',
  unsubscribed: 'The recipient unsubscribed from the stream.',
}

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
        {sentence(event)}
      </Text>
      <Reply detail={event.detail} />
      <Hit detail={event.detail} />
      {event.type === 'suppressed' && (
        <Anchor
          component={Link}
          to={`/domains/${domainId}/suppressions?email=${encodeURIComponent(event.email)}`}
          fz="sm"
        >
          Show on the suppression list
        </Anchor>
      )}
    </div>
  )
}

/** Target of a click, and the program that followed it. */
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

/** Reply of the other host. */
function Reply({ detail }: { readonly detail: object }) {
  const { smtp_code, smtp_response, diagnostic } = detail as Record<string, unknown>
  const words = [smtp_code, smtp_response ?? diagnostic].filter((part) => part !== undefined).join(' ')
  return words === '' ? null : <div className="code-line">{words}</div>
}

/** Why a hit was taken for one of a machine. */
const MACHINES: Readonly<Record<string, string>> = {
  head: 'it asked for the header alone',
  prefetch: 'a program fetched it ahead',
  user_agent: 'no browser or mail program',
  scanner_network: 'from a network of mail filters',
  privacy_proxy: 'Apple Mail loads every image',
  too_soon: 'before or right after the delivery',
}

function sentence({ type, detail }: MessageEvent): string {
  const { reason, suppression, send_at, kind, machine_reason } = detail as Record<string, unknown>
  if (type === 'opened' || type === 'clicked') {
    if (kind === 'machine')
      return `By a machine: ${MACHINES[String(machine_reason)] ?? 'not a person'}. Not counted.`
    const what = type === 'opened' ? 'open' : 'click'
    return kind === 'first' ? `The first ${what} of the recipient.` : `A further ${what}. Not counted.`
  }
  if (typeof reason === 'string' && reason !== '') return reason
  if (type === 'scheduled' && typeof send_at === 'string') {
    return `Scheduled for ${new Date(send_at).toLocaleString()}.`
  }
  if (type === 'suppressed' && typeof suppression === 'string') {
    return `The address is on the suppression list of the stream (${inWords(suppression).toLowerCase()}); nothing was sent.`
  }
  return MEANINGS[type] ?? ''
}
