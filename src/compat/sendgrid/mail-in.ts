// Reads the body of SendGrid's `POST /v3/mail/send`.

import type { AttachmentInput, MailboxInput } from '../../model/send-request.ts'
import { readMailboxes } from '../mailboxes.ts'
import { FieldNames, type Fields, type Reading } from '../reading.ts'
import { MAX_UNIX_SECONDS, readUnixSeconds } from './unix-seconds.ts'

const MAIL = new FieldNames(
  ...[
    'personalizations',
    'from',
    'reply_to',
    'reply_to_list',
    'subject',
    'content',
    'attachments',
    'template_id',
  ],
  ...['sections', 'headers', 'categories', 'custom_args', 'send_at', 'batch_id', 'asm', 'ip_pool_name'],
  ...['mail_settings', 'tracking_settings'],
)
const PERSONALIZATION = new FieldNames(
  ...[
    'to',
    'cc',
    'bcc',
    'from',
    'subject',
    'headers',
    'substitutions',
    'dynamic_template_data',
    'custom_args',
  ],
  'send_at',
)
const MAILBOX = new FieldNames('email', 'name')
const CONTENT = new FieldNames('type', 'value')
const ATTACHMENT = new FieldNames('content', 'type', 'filename', 'disposition', 'content_id')
const ASM = new FieldNames('group_id', 'groups_to_display')

/** Limits of a request. */
const MAIL_LIMITS = {
  personalizations: 1_000,
  recipients: 1_000,
  /** Bytes of `custom_args`, and of `substitutions`, of one personalization. */
  argsBytes: 10_000,
  categories: 10,
} as const

/** A personalization: one message. */
export interface Personalization {
  readonly to: readonly MailboxInput[]
  readonly cc: readonly MailboxInput[]
  readonly bcc: readonly MailboxInput[]
  readonly from: MailboxInput | undefined
  readonly subject: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly substitutions: Readonly<Record<string, string>>
  readonly model: object | undefined
  readonly customArgs: Readonly<Record<string, string>>
  /** Time in milliseconds since the epoch. */
  readonly sendAt: number | undefined
}

/** Text to add at the end of the bodies. */
export interface Footer {
  readonly text: string
  readonly html: string
}

/** A body of `mail/send`, as far as it can be fulfilled. */
export interface Mail
  extends Pick<Personalization, 'from' | 'subject' | 'headers' | 'customArgs' | 'sendAt'> {
  readonly personalizations: readonly Personalization[]
  readonly replyTo: readonly MailboxInput[]
  readonly html: string | undefined
  readonly text: string | undefined
  /** Files, and forms of the content other than text and HTML. */
  readonly attachments: readonly AttachmentInput[]
  readonly templateId: string | undefined
  readonly sections: Readonly<Record<string, string>>
  readonly categories: readonly string[]
  readonly batchId: string | undefined
  /** Number of the unsubscribe group. */
  readonly groupId: number | undefined
  readonly footer: Footer | undefined
  readonly isSandbox: boolean
  readonly trackOpens: boolean | undefined
  readonly trackLinks: boolean | undefined
}

/** Reads a body; problems have paths such as `personalizations[0].to[1].email`. */
export function readMail(reading: Reading, body: unknown): Mail {
  const fields = reading.fields(body, MAIL)
  if (fields.has('ip_pool_name')) {
    reading.refuse('ip_pool_name', 'Pools of addresses are chosen by the operator; leave ip_pool_name out.')
  }
  const personalizations = personalizationsIn(reading, fields)
  const { html, text, others } = contentIn(reading, fields)
  const { footer, isSandbox } = settingsIn(reading, fields)
  return {
    personalizations,
    from: mailboxIn(reading, fields, 'from'),
    replyTo: replyToIn(reading, fields),
    subject: fields.text('subject'),
    ...{ html, text },
    attachments: [...others, ...attachmentsIn(reading, fields)],
    templateId: fields.text('template_id'),
    sections: fields.texts('sections') ?? {},
    headers: fields.texts('headers') ?? {},
    categories: categoriesIn(reading, fields),
    customArgs: argsIn(reading, fields),
    sendAt: timeIn(reading, fields),
    batchId: fields.text('batch_id'),
    groupId: groupIn(reading, fields),
    ...{ footer, isSandbox },
    ...trackingIn(reading, fields),
  }
}

function personalizationsIn(reading: Reading, fields: Fields): Personalization[] {
  const list = fields.list('personalizations')
  const { personalizations: most, recipients: mostRecipients } = MAIL_LIMITS
  if (list.length === 0) {
    reading.wrong('personalizations', 'required', 'Give at least one personalization.')
  }
  if (list.length > most) {
    reading.wrong('personalizations', 'too_many', `A request has at most ${most} personalizations.`)
    return []
  }
  const found = fields
    .objects('personalizations', PERSONALIZATION)
    .map((one) => personalizationOf(reading, one))
  const count = found.reduce((sum, { to, cc, bcc }) => sum + to.length + cc.length + bcc.length, 0)
  if (count > mostRecipients) {
    const message = `A request has at most ${mostRecipients} recipients in all personalizations together, not ${count}.`
    reading.wrong('personalizations', 'too_many_recipients', message)
  }
  return found
}

function personalizationOf(reading: Reading, fields: Fields): Personalization {
  const seen = new Set<string>()
  const to = mailboxesIn(reading, fields, 'to', seen)
  if (to.length === 0) reading.wrong(fields.at('to'), 'required', 'Give at least one recipient in to.')
  const substitutions = fields.texts('substitutions') ?? {}
  boundArgs(reading, fields.at('substitutions'), substitutions)
  return {
    to,
    cc: mailboxesIn(reading, fields, 'cc', seen),
    bcc: mailboxesIn(reading, fields, 'bcc', seen),
    from: mailboxIn(reading, fields, 'from'),
    subject: fields.text('subject'),
    headers: fields.texts('headers') ?? {},
    substitutions,
    model: fields.model('dynamic_template_data'),
    customArgs: argsIn(reading, fields),
    sendAt: timeIn(reading, fields),
  }
}

/** Returns the mailboxes of a field, and reports an address that the personalization already has. */
function mailboxesIn(reading: Reading, fields: Fields, name: string, seen: Set<string>): MailboxInput[] {
  return fields.list(name).flatMap((one, index) => {
    const path = `${fields.at(name)}[${index}]`
    const mailbox = mailboxOf(reading, one, path)
    if (mailbox === undefined) return []
    const key = mailbox.email.toLowerCase()
    if (seen.has(key)) {
      const message = 'Each address of a personalization must be unique among to, cc and bcc.'
      reading.wrong(`${path}.email`, 'duplicate', message)
    }
    seen.add(key)
    return [mailbox]
  })
}

const mailboxIn = (reading: Reading, fields: Fields, name: string): MailboxInput | undefined =>
  fields.has(name) ? mailboxOf(reading, fields.value(name), fields.at(name)) : undefined

function mailboxOf(reading: Reading, value: unknown, path: string): MailboxInput | undefined {
  if (typeof value === 'string') return readMailboxes(value)[0]
  const fields = reading.fields(value, MAILBOX, path)
  const email = fields.text('email')
  const name = fields.text('name')
  if (email === undefined) {
    reading.wrong(`${path}.email`, 'required', 'Give the email address.')
    return undefined
  }
  return { email, ...(name === undefined ? {} : { name }) }
}

function replyToIn(reading: Reading, fields: Fields): MailboxInput[] {
  const list = fields.list('reply_to_list').flatMap((one, index) => {
    const mailbox = mailboxOf(reading, one, `reply_to_list[${index}]`)
    return mailbox === undefined ? [] : [mailbox]
  })
  const single = mailboxIn(reading, fields, 'reply_to')
  if (single !== undefined && list.length > 0) {
    reading.wrong('reply_to', 'not_together', 'Give either reply_to or reply_to_list.')
  }
  return single === undefined ? list : [single]
}

interface Content {
  readonly html: string | undefined
  readonly text: string | undefined
  readonly others: readonly AttachmentInput[]
}

/** Returns text and HTML; other forms, such as invitations and AMP, become attachments with their media type. */
function contentIn(reading: Reading, fields: Fields): Content {
  let html: string | undefined
  let text: string | undefined
  const others: AttachmentInput[] = []
  const parts = fields.objects('content', CONTENT)
  for (const [index, part] of parts.entries()) {
    const type = part.text('type')?.trim()
    const value = part.text('value')
    if (type === undefined || value === undefined) {
      const missing = type === undefined ? 'type' : 'value'
      reading.wrong(part.at(missing), 'required', `Give the ${missing} of the content; it cannot be empty.`)
    } else if (/^text\/plain\b/i.test(type)) text = value
    else if (/^text\/html\b/i.test(type)) html = value
    else others.push(formOf(type, value, index))
  }
  // Clients send a single space in place of a body that comes from a template.
  if (!fields.has('template_id')) return { html, text, others }
  const given = (body: string | undefined): string | undefined => (body?.trim() === '' ? undefined : body)
  return { html: given(html), text: given(text), others }
}

/** Returns another form of the content as a file; an invitation has its method in its media type (RFC 6047 §2.4). */
function formOf(type: string, value: string, index: number): AttachmentInput {
  const isInvitation = /^text\/calendar\b/i.test(type)
  const method =
    isInvitation && !/method=/i.test(type) ? /^METHOD:([A-Z-]{1,20})\s*$/im.exec(value)?.[1] : undefined
  return {
    filename: isInvitation ? 'invite.ics' : `content-${index + 1}`,
    content: Buffer.from(value).toString('base64'),
    content_type: method === undefined ? type : `${type}; method=${method}`,
  }
}

function attachmentsIn(reading: Reading, fields: Fields): AttachmentInput[] {
  return fields.objects('attachments', ATTACHMENT).map((one) => {
    const [filename, content] = [one.text('filename'), one.text('content')]
    if (content === undefined) reading.wrong(one.at('content'), 'required', 'Give the content in base64.')
    const isInline = one.word('disposition', ['inline', 'attachment']) === 'inline'
    const [type, id] = [one.text('type'), one.text('content_id')?.replace(/^<(.+)>$/, '$1')]
    return {
      filename: filename ?? 'attachment',
      content: content ?? '',
      ...(type === undefined ? {} : { content_type: type }),
      ...(isInline && id !== undefined ? { content_id: id } : {}),
    }
  })
}

function categoriesIn(reading: Reading, fields: Fields): string[] {
  const all = fields.list('categories').map(String)
  if (all.length > MAIL_LIMITS.categories) {
    reading.wrong('categories', 'too_many', `A mail has at most ${MAIL_LIMITS.categories} categories.`)
  }
  if (new Set(all).size < all.length) {
    reading.wrong('categories', 'duplicate', 'Each category must be unique.')
  }
  return all
}

function argsIn(reading: Reading, fields: Fields): Readonly<Record<string, string>> {
  const args = fields.texts('custom_args') ?? {}
  boundArgs(reading, fields.at('custom_args'), args)
  return args
}

function boundArgs(reading: Reading, path: string, args: Readonly<Record<string, string>>): void {
  const bytes = Object.entries(args).reduce((sum, [key, value]) => sum + Buffer.byteLength(key + value), 0)
  const { argsBytes } = MAIL_LIMITS
  if (bytes > argsBytes) reading.wrong(path, 'too_long', `The values have at most ${argsBytes} bytes.`)
}

function timeIn(reading: Reading, fields: Fields): number | undefined {
  const seconds = readUnixSeconds(fields.value('send_at'))
  if (seconds !== undefined && Number.isNaN(seconds)) {
    const message = `send_at is a Unix time in seconds, up to ${MAX_UNIX_SECONDS}.`
    reading.wrong(fields.at('send_at'), 'invalid_time', message)
    return undefined
  }
  return seconds === undefined ? undefined : seconds * 1_000
}

function groupIn(reading: Reading, fields: Fields): number | undefined {
  const asm = fields.object('asm', ASM)
  if (asm === undefined) return undefined
  if (asm.has('groups_to_display')) reading.ignore('asm.groups_to_display')
  const id = asm.value('group_id') === undefined ? undefined : asm.integer('group_id')
  // The Node client sends an empty object for no group.
  return id
}

const SETTINGS = new FieldNames(
  ...['sandbox_mode', 'footer', 'bypass_list_management', 'bypass_spam_management'],
  ...['bypass_bounce_management', 'bypass_unsubscribe_management', 'spam_check', 'bcc'],
)
const SETTING = new FieldNames('enable', 'text', 'html', 'enable_text', 'substitution_tag')

function settingsIn(reading: Reading, fields: Fields): Pick<Mail, 'footer' | 'isSandbox'> {
  const settings = fields.object('mail_settings', SETTINGS)
  if (settings === undefined) return { footer: undefined, isSandbox: false }
  const enabled = (name: string): boolean => settings.object(name, SETTING)?.flag('enable') === true
  for (const name of ['bypass_list_management', 'bypass_spam_management', 'spam_check', 'bcc']) {
    if (enabled(name)) reading.ignore(settings.at(name))
  }
  for (const name of ['bypass_bounce_management', 'bypass_unsubscribe_management']) {
    if (enabled(name)) reading.ignore(settings.at(name))
  }
  const footer = enabled('footer') ? settings.object('footer', SETTING) : undefined
  return {
    isSandbox: enabled('sandbox_mode'),
    footer: footer && { text: footer.text('text') ?? '', html: footer.text('html') ?? '' },
  }
}

const TRACKING = new FieldNames('click_tracking', 'open_tracking', 'subscription_tracking', 'ganalytics')
const ANALYTICS = new FieldNames(
  ...['enable', 'utm_source', 'utm_medium', 'utm_term', 'utm_content', 'utm_campaign'],
)

function trackingIn(reading: Reading, fields: Fields): Pick<Mail, 'trackOpens' | 'trackLinks'> {
  const tracking = fields.object('tracking_settings', TRACKING)
  if (tracking === undefined) return { trackOpens: undefined, trackLinks: undefined }
  const opens = tracking.object('open_tracking', SETTING)
  if (opens?.has('substitution_tag')) reading.ignore(opens.at('substitution_tag'))
  if (tracking.object('subscription_tracking', SETTING)?.flag('enable') === true) {
    reading.ignore(tracking.at('subscription_tracking'))
  }
  if (tracking.object('ganalytics', ANALYTICS)?.flag('enable') === true) {
    reading.ignore(tracking.at('ganalytics'))
  }
  return {
    trackOpens: opens?.flag('enable'),
    trackLinks: tracking.object('click_tracking', SETTING)?.flag('enable'),
  }
}
