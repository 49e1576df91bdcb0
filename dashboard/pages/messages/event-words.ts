// Descriptions of message events in words: the meaning of an event, and the reply of the mail host.

import { inWords } from '../../parts/in-words.ts'
import { momentOf } from '../../parts/time.tsx'
import { messages as words } from '../../texts/en/messages.ts'
import { fill } from '../../texts/texts.ts'
import type { MessageEvent } from './calls.ts'
import { skipsInWords } from './skips.ts'

/** Returns the meaning of an event in a sentence; empty if the event type is clear by itself. */
export function eventInWords({ type, detail }: Pick<MessageEvent, 'type' | 'detail'>): string {
  const { reason, suppression, send_at, kind, machine_reason } = detail as Record<string, unknown>
  const machines: Readonly<Record<string, string>> = words.machines
  if (type === 'opened' || type === 'clicked') {
    if (kind === 'machine')
      return fill(words.byMachine, { reason: machines[String(machine_reason)] ?? words.machines.other })
    const isOpen = type === 'opened'
    if (kind === 'first') return isOpen ? words.firstOpen : words.firstClick
    return isOpen ? words.furtherOpen : words.furtherClick
  }
  if (typeof reason === 'string' && reason !== '') return reason
  if (type === 'scheduled' && typeof send_at === 'string') {
    return fill(words.sentences.scheduled, { who: momentOf(send_at) })
  }
  if (type === 'suppressed' && typeof suppression === 'string') {
    return fill(words.suppressedFor, { reason: inWords(suppression).toLowerCase() })
  }
  const meaning = (words.meanings as Readonly<Record<string, string>>)[type] ?? ''
  return type === 'accepted' ? [meaning, ...skipsInWords(detail)].join(' ') : meaning
}

/** Returns the code and text of a reply in one line; empty if there was no reply. */
export const replyInWords = (code: unknown, text: unknown): string =>
  [code, text].filter((part) => part !== undefined && part !== null).join(' ')
