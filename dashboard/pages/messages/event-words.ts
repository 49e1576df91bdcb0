// Words for an event of a message: its meaning, and the reply of the other host.

import { inWords } from '../../parts/status-badge.tsx'
import type { MessageEvent } from './calls.ts'

/** Every type of event, in the order in which they happen. */
export const EVENT_TYPES = Object.keys({
  accepted: true,
  scheduled: true,
  sending: true,
  delivered: true,
  deferred: true,
  bounced: true,
  failed: true,
  suppressed: true,
  cancelled: true,
  opened: true,
  clicked: true,
  complained: true,
  unsubscribed: true,
  received: true,
} satisfies Record<MessageEvent['type'], true>) as readonly MessageEvent['type'][]

/** Meaning of an event, where its name does not say it. */
const MEANINGS: Partial<Record<MessageEvent['type'], string>> = {
  accepted: 'Accepted, stored and queued for delivery.',
  suppressed: 'The address is on the suppression list of the stream. Nothing was sent.',
  cancelled: 'Cancelled before it was delivered.',
  complained: 'The recipient reported the message as spam.',
  unsubscribed: 'The recipient unsubscribed from the stream.',
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

/** Meaning of an event in a sentence; empty where its type says it. */
export function eventInWords({ type, detail }: Pick<MessageEvent, 'type' | 'detail'>): string {
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

/** Code and text of a reply in one line; empty where there was none. */
export const replyInWords = (code: unknown, text: unknown): string =>
  [code, text].filter((part) => part !== undefined && part !== null).join(' ')
