// postrider message: finds, shows and explains messages, and follows new messages.

import type { Static } from 'typebox'
import type { ExplanationView } from '../api/contract/explain.ts'
import type { MessageSummary, MessageView } from '../api/contract/message.ts'
import { pathOf } from './api.ts'
import type { Answer, Context } from './command.ts'
import { withApi } from './open.ts'
import { fields, printable, table } from './text.ts'
import { shortDate } from './times.ts'

type Summary = Static<typeof MessageSummary>

/** Inputs of `message list`; conditions are combined with "and". */
interface Filter {
  readonly domain: string | undefined
  readonly recipient: string | undefined
  readonly status: string | undefined
  readonly subject: string | undefined
  readonly stream: string | undefined
  readonly tag: string | undefined
  readonly limit: number | undefined
  readonly account: string | undefined
}

const MAX_LINES = 50

/** Lists messages, newest first. */
export function list(context: Context, { account, limit = MAX_LINES, ...filter }: Filter): Promise<Answer> {
  return withApi(context, account, async (api) => {
    const messages = await api.list<Summary>('/v1/messages', filter, limit)
    const rows = messages.map((one) => [
      one.message_id,
      shortDate(one.created_at),
      one.status,
      recipientsOf(one).join(', '),
      one.subject.slice(0, 60),
    ])
    return {
      document: { data: messages },
      text: table(['message', 'accepted', 'status', 'to', 'subject'], rows, 'No message fits.'),
    }
  })
}

/** Maximum number of recipients in a line of the list. */
const SHOWN_RECIPIENTS = 3

function recipientsOf({ to, cc, bcc }: Summary): string[] {
  const all = [...to, ...cc, ...bcc].map(({ email }) => email)
  const more = all.length - SHOWN_RECIPIENTS
  return more <= 0 ? all : [...all.slice(0, SHOWN_RECIPIENTS), `${more} more`]
}

/** Shows a message with its recipients and its events. */
export function show(
  context: Context,
  { message: id, account }: { readonly message: string; readonly account: string | undefined },
): Promise<Answer> {
  return withApi(context, account, async (api) => {
    const message = await api.get<Static<typeof MessageView>>(pathOf`/v1/messages/${id}`)
    const recipients = [...message.to, ...message.cc, ...message.bcc].map((one) => [
      one.email,
      one.status,
      shortDate(one.last_event_at),
      one.smtp_code === undefined ? '-' : `${one.smtp_code} ${one.smtp_response ?? ''}`.trim(),
    ])
    const events = message.events.map(({ at, type, email, detail }) => {
      const { reason = '' }: { readonly reason?: string } = detail
      return [shortDate(at), type, email, reason]
    })
    const text = [
      fields([
        ['Message', message.message_id],
        ['Status', message.status],
        ['From', message.from],
        ['Subject', message.subject],
        ['Stream', message.stream],
        ['Accepted', shortDate(message.created_at)],
      ]),
      table(['recipient', 'status', 'since', 'last answer'], recipients, 'The message has no recipients.'),
      table(['at', 'event', 'recipient', 'reason'], events, 'The message has no events.'),
    ]
    return { document: message, text: text.join('\n\n') }
  })
}

/** Explains why mail to an address did not arrive. */
export function explain(
  context: Context,
  {
    address: email,
    message: message_id,
    account,
    ...more
  }: {
    readonly address: string
    readonly message: string | undefined
    readonly subject: string | undefined
    readonly domain: string | undefined
    readonly account: string | undefined
  },
): Promise<Answer> {
  return withApi(context, account, async (api) => {
    const found = await api.get<ExplanationView>('/v1/explain', { email, message_id, ...more })
    const facts = found.because.map(
      ({ at, text }) => `  ${at === null ? '-' : shortDate(at)}  ${printable(text)}`,
    )
    const next = found.next_step === null ? [] : ['', `Next: ${printable(found.next_step.text)}`]
    return { document: found, text: [printable(found.summary), ...facts, ...next].join('\n') }
  })
}
