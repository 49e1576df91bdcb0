// Received mail in the form of Resend.

import type { Static } from 'typebox'
import type { InboundList, InboundView } from '../../api/contract/inbound.ts'
import { idOfUuid, uuidOfId } from '../../lib/ids.ts'
import { Problem } from '../../model/problem.ts'
import { attachmentUuid } from '../../webhooks/formats/resend.ts'
import type { VendorCall } from '../declaration.ts'
import type { Translation } from '../translation.ts'
import { mailboxText } from './email-out.ts'
import { pageOf } from './pages.ts'

type View = Static<typeof InboundView>
type Entry = Static<typeof InboundList>['data'][number]

const noun = 'Receiving'
const scope = 'inbound:read'

const fieldsOf = (mail: Entry) => ({
  id: uuidOfId(mail.inbound_id),
  from: mail.from === null ? mail.mail_from : mailboxText(mail.from),
  created_at: mail.received_at,
  subject: mail.subject,
  message_id: mail.message_id === null ? '' : `<${mail.message_id}>`,
  received_for: mail.rcpt_to,
})

const entryOf = (mail: Entry): object => ({
  ...fieldsOf(mail),
  to: mail.rcpt_to,
  ...{ bcc: [], cc: [], reply_to: [], attachments: [] },
})

type Attachment = View['attachments'][number]

const attachmentOf = (attachment: Attachment, index: number) => ({
  id: attachmentUuid(index),
  filename: attachment.filename,
  size: attachment.size,
  content_type: attachment.content_type,
  content_disposition: attachment.inline ? 'inline' : 'attachment',
  content_id: attachment.content_id,
})

const withLink = ({ links_expire_at }: View, attachment: Attachment, index: number): object => ({
  ...attachmentOf(attachment, index),
  download_url: attachment.url,
  expires_at: links_expire_at,
})

const viewOf = (mail: View): object => ({
  object: 'email',
  ...fieldsOf(mail),
  to: mail.to.map(mailboxText),
  bcc: [],
  cc: mail.cc.map(mailboxText),
  reply_to: mail.reply_to.map(mailboxText),
  html: mail.html,
  text: mail.text,
  headers: Object.fromEntries(mail.headers.map(({ name, value }) => [name.toLowerCase(), value])),
  raw: mail.raw_url === null ? null : { download_url: mail.raw_url, expires_at: mail.links_expire_at },
  attachments: mail.attachments.map(attachmentOf),
})

async function find(translation: Translation): Promise<View> {
  const id = translation.param('id')
  const params = { inbound_id: idOfUuid('inb', id) ?? id }
  return (await translation.v1<View>('inbound.get', { params })).body
}

export const receivingCalls: readonly VendorCall[] = [
  {
    method: 'GET',
    path: '/emails/receiving',
    noun,
    summary: 'List received emails',
    scope,
    state: 'differs',
    differences: 'Entries name the envelope recipients, and neither Cc, Reply-To nor attachments.',
    handler: (translation) =>
      pageOf<Entry>(translation, {
        operation: 'inbound.list',
        prefix: 'inb',
        idOf: ({ inbound_id }) => inbound_id,
        view: entryOf,
      }),
  },
  {
    method: 'GET',
    path: '/emails/receiving/:id',
    noun,
    summary: 'Retrieve a received email',
    scope,
    state: 'differs',
    differences: 'HTML refers to inline images by `cid:`, as with `html_format=cid`.',
    handler: async (translation) => viewOf(await find(translation)),
  },
  {
    method: 'GET',
    path: '/emails/receiving/:id/attachments',
    noun,
    summary: 'List the attachments of a received email',
    scope,
    state: 'served',
    async handler(translation) {
      const mail = await find(translation)
      const data = mail.attachments.map((one, index) => withLink(mail, one, index))
      return { object: 'list', has_more: false, data }
    },
  },
  {
    method: 'GET',
    path: '/emails/receiving/:id/attachments/:attachment_id',
    noun,
    summary: 'Retrieve an attachment of a received email',
    scope,
    state: 'served',
    async handler(translation) {
      const mail = await find(translation)
      const wanted = translation.param('attachment_id')
      const index = mail.attachments.findIndex((_, place) => attachmentUuid(place) === wanted)
      const attachment = mail.attachments[index]
      if (attachment === undefined) throw new Problem('not_found', 'There is no attachment with this ID.')
      return { object: 'attachment', ...withLink(mail, attachment, index) }
    },
  },
]
