// postrider test-inbox: creates, lists and deletes test inboxes, and shows their mail.

import type { Static } from 'typebox'
import type { InboxMade, InboxMail, InboxMailSummary, InboxView } from '../api/contract/inbox.ts'
import { pathOf } from './api.ts'
import type { Answer, Context } from './command.ts'
import { untilNoticed, withApi } from './open.ts'
import { fields, printable, table } from './text.ts'
import { shortTime } from './times.ts'

const MAX_LINES = 100

interface OfAccount {
  readonly account: string | undefined
}

export function create(
  context: Context,
  given: OfAccount & {
    readonly name: string
    readonly keepDays: number | undefined
    readonly keepMessages: number | undefined
  },
): Promise<Answer> {
  return withApi(context, given.account, async (api) => {
    const { name, keepDays: keep_days, keepMessages: keep_messages } = given
    const made = await api.post<Static<typeof InboxMade>>('/v1/inboxes', { name, keep_days, keep_messages })
    const text = [
      `The test inbox ${made.name} has been created. Its password is shown only once.`,
      '',
      fields([
        ['Inbox', made.inbox_id],
        ['Mailpit', made.base_url],
        ['Username', made.username],
        ['Password', made.password],
        ['Keeps', `${made.keep_messages} mails for ${made.keep_days} days`],
      ]),
      '',
      `A key for it: postrider key create --kind sending --domain DOMAIN --inbox ${made.inbox_id}`,
    ]
    return { document: made, text: text.join('\n') }
  })
}

export function list(context: Context, given: OfAccount): Promise<Answer> {
  return withApi(context, given.account, async (api) => {
    const data = await api.list<InboxView>('/v1/inboxes', {}, MAX_LINES)
    const rows = data.map(({ inbox_id, name, keep_days, keep_messages, created_at }) => [
      ...[inbox_id, name, String(keep_days), String(keep_messages), shortTime(Date.parse(created_at))],
    ])
    const none = 'There is no test inbox yet; create one with: postrider test-inbox create NAME'
    return {
      document: { data },
      text: table(['inbox', 'name', 'days', 'mails', 'created'], rows, none),
    }
  })
}

export function remove(context: Context, given: OfAccount & { readonly inbox: string }): Promise<Answer> {
  return withApi(context, given.account, async (api) => {
    const path = pathOf`/v1/inboxes/${given.inbox}`
    const inbox = await api.get<InboxView>(path)
    await api.delete(path)
    await untilNoticed()
    return {
      document: inbox,
      text: `The test inbox ${inbox.inbox_id} (${inbox.name}) is deleted with its mail, and its credentials are revoked.`,
    }
  })
}

export function mails(
  context: Context,
  given: OfAccount & { readonly inbox: string; readonly limit: number | undefined },
): Promise<Answer> {
  return withApi(context, given.account, async (api) => {
    const path = pathOf`/v1/inboxes/${given.inbox}/messages`
    const data = await api.list<InboxMailSummary>(path, {}, given.limit ?? MAX_LINES)
    const rows = data.map(({ mail_id, received_at, from, recipients, subject }) => [
      mail_id,
      shortTime(Date.parse(received_at)),
      from?.email ?? '<>',
      recipients.join(', ').slice(0, 60),
      subject.slice(0, 60),
    ])
    return {
      document: { data },
      text: table(['mail', 'received', 'from', 'to', 'subject'], rows, 'The inbox is empty.'),
    }
  })
}

export function show(
  context: Context,
  given: OfAccount & { readonly inbox: string; readonly mail: string },
): Promise<Answer> {
  return withApi(context, given.account, async (api) => {
    const path = pathOf`/v1/inboxes/${given.inbox}/messages/${given.mail}`
    const document = await api.get<InboxMail>(path)
    if (context.json) return { document, text: '' }
    const raw = await api.text(`${path}/raw`, 'message/rfc822')
    return { document, text: printable(raw.replaceAll('\r\n', '\n'), true) }
  })
}
