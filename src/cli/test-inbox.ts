// postrider test-inbox: creates, lists and deletes test inboxes, and shows their mail.

import { describeAuditAction } from '../access/audit.ts'
import { makeInbox } from '../access/test-inboxes.ts'
import { formatTime } from '../lib/rfc3339.ts'
import { Problem } from '../model/problem.ts'
import type { MailSummary } from '../model/test-inbox.ts'
import { deleteInbox, findInbox, listInboxes, type TestInbox } from '../store/inboxes/inboxes.ts'
import { findTestMail, listTestMails, type TestMailEntry } from '../store/inboxes/mails.ts'
import type { Answer, Context } from './command.ts'
import { type Opened, untilNoticed, withAccount } from './open.ts'
import { fields, printable, table } from './text.ts'
import { shortTime } from './times.ts'

const MAX_LINES = 100

interface OfAccount {
  readonly account: string | undefined
}

const inboxDocument = ({ id, name, keep_days, keep_messages, created_at }: TestInbox): object => ({
  ...{ inbox_id: id, name, keep_days: Number(keep_days), keep_messages: Number(keep_messages) },
  ...{ username: id, created_at: formatTime(Number(created_at)) },
})

export function create(
  context: Context,
  given: OfAccount & {
    readonly name: string
    readonly keepDays: number | undefined
    readonly keepMessages: number | undefined
  },
): Promise<Answer> {
  return withAccount(context, given.account, async ({ config, store, clock, account }) => {
    describeAuditAction({ detail: { name: given.name } })
    const { inbox, password } = await makeInbox({ store, clock }, { ...given, accountId: account.id })
    const path = `/inboxes/${inbox.id}`
    const text = [
      `The test inbox ${inbox.name} has been created. Its password is shown only once.`,
      '',
      fields([
        ['Inbox', inbox.id],
        ['Mailpit', `${config.publicUrl ?? ''}${path}`],
        ['Username', inbox.id],
        ['Password', password],
        ['Keeps', `${inbox.keep_messages} mails for ${inbox.keep_days} days`],
      ]),
      '',
      `A key for it: postrider key create --kind sending --domain DOMAIN --inbox ${inbox.id}`,
    ]
    return { document: { ...inboxDocument(inbox), base_path: path, password }, text: text.join('\n') }
  })
}

export function list(context: Context, given: OfAccount): Promise<Answer> {
  return withAccount(context, given.account, async ({ store, account }) => {
    const inboxes = await listInboxes(store.read, account.id, MAX_LINES)
    const rows = inboxes.map(({ id, name, keep_days, keep_messages, created_at }) => [
      ...[id, name, String(keep_days), String(keep_messages), shortTime(Number(created_at))],
    ])
    const none = 'There is no test inbox yet; create one with: postrider test-inbox create NAME'
    return {
      document: { data: inboxes.map(inboxDocument) },
      text: table(['inbox', 'name', 'days', 'mails', 'created'], rows, none),
    }
  })
}

export function remove(context: Context, given: OfAccount & { readonly inbox: string }): Promise<Answer> {
  return withAccount(context, given.account, async ({ store, clock, account }) => {
    const inbox = await findOf(store, account.id, given.inbox)
    await store.write(deleteInbox, { accountId: account.id, id: inbox.id, now: clock.now() })
    await untilNoticed()
    return {
      document: inboxDocument(inbox),
      text: `The test inbox ${inbox.id} (${inbox.name}) is deleted with its mail, and its credentials are revoked.`,
    }
  })
}

const summaryOf = (mail: TestMailEntry): MailSummary => JSON.parse(mail.summary)

const mailDocument = (mail: TestMailEntry): object => ({
  mail_id: mail.id,
  message_id: mail.message_id.startsWith('msg_') ? mail.message_id : null,
  received_at: formatTime(Number(mail.received_at)),
  from: summaryOf(mail).from?.address ?? null,
  recipients: JSON.parse(mail.recipients),
  subject: summaryOf(mail).subject,
  size: Number(mail.size),
})

export function mails(
  context: Context,
  given: OfAccount & { readonly inbox: string; readonly limit: number | undefined },
): Promise<Answer> {
  return withAccount(context, given.account, async ({ store, account }) => {
    const { id: inboxId } = await findOf(store, account.id, given.inbox)
    const owner = { accountId: account.id, inboxId }
    const found = await listTestMails(store.read, owner, given.limit ?? MAX_LINES)
    const rows = found.map((mail) => [
      mail.id,
      shortTime(Number(mail.received_at)),
      summaryOf(mail).from?.address ?? '<>',
      (JSON.parse(mail.recipients) as string[]).join(', ').slice(0, 60),
      summaryOf(mail).subject.slice(0, 60),
    ])
    return {
      document: { data: found.map(mailDocument) },
      text: table(['mail', 'received', 'from', 'to', 'subject'], rows, 'The inbox is empty.'),
    }
  })
}

export function show(
  context: Context,
  given: OfAccount & { readonly inbox: string; readonly mail: string },
): Promise<Answer> {
  return withAccount(context, given.account, async ({ store, account }) => {
    const { id: inboxId } = await findOf(store, account.id, given.inbox)
    const mail = await findTestMail(store.read, { accountId: account.id, inboxId }, given.mail)
    if (mail === undefined) {
      const detail = `The inbox has no mail ${JSON.stringify(given.mail)}; \`postrider test-inbox mails\` shows all mails.`
      throw new Problem('not_found', detail)
    }
    const raw = Buffer.from(mail.raw).toString('utf8')
    return {
      document: { ...mailDocument(mail), raw },
      text: printable(raw.replaceAll('\r\n', '\n'), true),
    }
  })
}

/** Returns an inbox of an account. Throws `not_found`. */
async function findOf({ read }: Opened['store'], accountId: string, id: string): Promise<TestInbox> {
  const inbox = await findInbox(read, { accountId, id })
  if (inbox !== undefined) return inbox
  const detail = `The account has no test inbox ${JSON.stringify(id)}; \`postrider test-inbox list\` shows all.`
  throw new Problem('not_found', detail)
}
