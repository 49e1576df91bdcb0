// Turns a body of SendGrid's `mail/send` into send requests: one for each personalization, and for each 50 recipients of
// a large personalization.

import { formatTime } from '../../lib/rfc3339.ts'
import { type FieldProblem, invalidFields } from '../../model/problem.ts'
import { LIMITS, type MailboxInput, type SendRequest } from '../../model/send-request.ts'
import { type LiteralText, Substitutions } from '../../template-language/literal.ts'
import { RenderBudget, RenderRefusal } from '../../template-language/render.ts'
import { readGivenHeaders } from '../given-headers.ts'
import type { TranslatedMessage } from '../send.ts'
import type { Footer, Mail, Personalization } from './mail-in.ts'

/** Key of the metadata with the ID of the batch, by which scheduled mail of a batch is found. */
export const BATCH_KEY = 'batch_id'

/** Properties of the domain that a mail needs. */
export interface MailContext {
  /** Fields that name the template of the mail; undefined for a mail with its own content. */
  readonly template: Partial<Pick<SendRequest, 'template_id' | 'template_alias'>> | undefined
  /** Alias of the stream of the unsubscribe group. */
  readonly stream: string | undefined
}

/** The place of the recipients of a send request in the body. */
export interface Place {
  readonly personalization: number
  /** Numbers of the recipients before the first recipient of each kind. */
  readonly before: Readonly<Record<Role, number>>
  /** Names of the fields that the personalization has itself. */
  readonly own: ReadonlySet<string>
}

const ROLES = ['to', 'cc', 'bcc'] as const
type Role = (typeof ROLES)[number]

/** Limits of filling the texts of one message. */
const FILL_LIMITS = { steps: 400_000, bytes: 25 * 1024 * 1024 }

/**
 * The send requests of a body. Each send request is made when it is read, because the texts of a thousand send requests
 * may be a thousand times as long as the body.
 */
export class PersonalMessages {
  readonly places: readonly Place[]
  readonly #parts: readonly Recipients[]
  readonly #mail: Mail
  readonly #context: MailContext
  readonly #texts: ReturnType<typeof personalTexts>

  /** @throws Problem for substitutions that exceed their limits */
  constructor(mail: Mail, context: MailContext) {
    this.#mail = mail
    this.#context = context
    this.#texts = personalTexts(mail)
    const parts = mail.personalizations.flatMap((one, personalization) => {
      const own = new Set(OWN.filter((name) => one[name] !== undefined).map(String))
      return partsOf(one).map(({ recipients, before }) => ({
        recipients,
        place: { personalization, before, own },
      }))
    })
    this.places = parts.map(({ place }) => place)
    this.#parts = parts.map(({ recipients }) => recipients)
  }

  get length(): number {
    return this.places.length
  }

  /** Addresses of all recipients. */
  get recipients(): string[] {
    return this.#parts.flatMap(({ to = [], cc = [], bcc = [] }) =>
      [...to, ...cc, ...bcc].map(({ email }) => email),
    )
  }

  /**
   * Returns a send request, as far as it can be made; undefined beyond the last one. A refusal of its substitutions is
   * among its problems.
   */
  at(index: number): TranslatedMessage | undefined {
    const [place, recipients] = [this.places[index], this.#parts[index]]
    const one = place && this.#mail.personalizations[place.personalization]
    if (place === undefined || one === undefined) return undefined
    const shared = { ...sharedFields(this.#mail, one, this.#context), ...recipients }
    try {
      return { request: { ...shared, ...this.#texts(one) } as SendRequest, problems: [] }
    } catch (error) {
      if (!(error instanceof RenderRefusal)) throw error
      const { code, message } = error
      return { request: shared as SendRequest, problems: [{ path: 'substitutions', code, message }] }
    }
  }
}

const OWN = ['from', 'subject', 'sendAt'] as const

/** Returns the fields of a personalization, except for recipients and texts. */
function sharedFields(mail: Mail, one: Personalization, { template, stream }: MailContext): object {
  const from = one.from ?? mail.from
  const sendAt = one.sendAt ?? mail.sendAt
  const own = readGivenHeaders({ ...mail.headers, ...one.headers })
  const metadata = {
    ...(mail.batchId === undefined ? {} : { [BATCH_KEY]: mail.batchId }),
    ...own.metadata,
    ...mail.customArgs,
    ...one.customArgs,
  }
  const replyTo = mail.replyTo.length === 0 ? own.replyTo : mail.replyTo
  const tags = [...own.tags, ...mail.categories]
  return {
    ...(from === undefined ? {} : { from: from.email }),
    ...(from?.name === undefined ? {} : { from_name: from.name }),
    ...(replyTo.length === 0 ? {} : { reply_to: replyTo }),
    ...(Object.keys(own.headers).length === 0 ? {} : { headers: own.headers }),
    ...(mail.attachments.length === 0 ? {} : { attachments: mail.attachments }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(sendAt === undefined ? {} : { send_at: formatTime(sendAt) }),
    ...(stream === undefined ? {} : { stream }),
    ...(mail.trackOpens === undefined ? {} : { track_opens: mail.trackOpens }),
    ...(mail.trackLinks === undefined ? {} : { track_links: mail.trackLinks }),
    ...(template === undefined ? {} : { ...template, template_model: modelOf(one) }),
  }
}

/**
 * Returns the model of a template. The substitutions of an old template become variables with the names inside of their
 * marks: `-name-`, `%name%` and `{{name}}` become `name`.
 */
function modelOf({ model, substitutions }: Personalization): object {
  if (model !== undefined) return model
  const entries = Object.entries(substitutions).map(([key, value]) => [key.replace(MARKS, ''), value])
  return Object.fromEntries(entries)
}

const MARKS = /^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu

type Texts = Partial<Pick<SendRequest, 'subject' | 'html' | 'text' | 'reply_to'>>

/** Returns the function that makes the subject and the bodies of a personalization. */
function personalTexts(mail: Mail): (one: Personalization) => Texts {
  const html = mail.html === undefined ? undefined : withFooter(mail.html, mail.footer, 'html')
  const text = mail.text === undefined ? undefined : withFooter(mail.text, mail.footer, 'text')
  const texts = (subject: string | undefined): Texts => ({
    ...(subject === undefined ? {} : { subject }),
    ...(html === undefined ? {} : { html }),
    ...(text === undefined ? {} : { text }),
  })
  const keys = mail.personalizations.flatMap(({ substitutions }) => Object.keys(substitutions))
  if (keys.length === 0 && Object.keys(mail.sections).length === 0) {
    return (one) => texts(one.subject ?? mail.subject)
  }
  const substitutions = substitutionsOf(keys, mail.sections)
  const cutAll = (whole: string | undefined): LiteralText | undefined =>
    whole === undefined ? undefined : substitutions.cut(whole)
  const cut = { html: cutAll(html), text: cutAll(text) }
  const subject = cutAll(mail.subject)
  const replyTo = mail.replyTo.map(({ email, name }) => ({
    email: substitutions.cut(email),
    name: cutAll(name),
  }))
  return (one) => {
    const budget = new RenderBudget(FILL_LIMITS)
    const fill = (cutText: LiteralText): string => substitutions.fill(cutText, one.substitutions, budget)
    const own = one.subject === undefined ? subject : substitutions.cut(one.subject)
    const mailboxes = replyTo.map(({ email, name }) => ({
      email: fill(email),
      ...(name === undefined ? {} : { name: fill(name) }),
    }))
    return {
      ...(own === undefined ? {} : { subject: fill(own) }),
      ...(cut.html === undefined ? {} : { html: fill(cut.html) }),
      ...(cut.text === undefined ? {} : { text: fill(cut.text) }),
      ...(mailboxes.length === 0 ? {} : { reply_to: mailboxes }),
    }
  }
}

function substitutionsOf(keys: readonly string[], sections: Mail['sections']): Substitutions {
  try {
    return new Substitutions(keys, sections)
  } catch (error) {
    if (!(error instanceof RenderRefusal)) throw error
    throw invalidFields([{ path: 'personalizations', code: error.code, message: error.message }])
  }
}

/** Returns a body with the footer at its end: before `</body>` in HTML. */
function withFooter(body: string, footer: Footer | undefined, part: 'html' | 'text'): string {
  const added = footer?.[part] ?? ''
  if (added === '') return body
  if (part === 'text') return `${body}\n${added}`
  let end = body.length
  for (const { index } of body.matchAll(/<\/body\s{0,9}>/gi)) end = index
  return body.slice(0, end) + added + body.slice(end)
}

type Recipients = Partial<Record<Role, readonly MailboxInput[]>>

/** Returns the recipients of a personalization in parts of at most 50; each part has a recipient in `to`. */
function partsOf(
  one: Personalization,
): { readonly recipients: Recipients; readonly before: Place['before'] }[] {
  const { recipients: most } = LIMITS
  const rest = { to: [...one.to], cc: [...one.cc], bcc: [...one.bcc] }
  const before = { to: 0, cc: 0, bcc: 0 }
  const parts: { recipients: Recipients; before: Place['before'] }[] = []
  do {
    const recipients: Record<Role, MailboxInput[]> = { to: [], cc: [], bcc: [] }
    const part = { recipients, before: { ...before } }
    let free: number = most
    for (const role of ROLES) {
      recipients[role] = rest[role].splice(0, free)
      free -= recipients[role].length
      before[role] += recipients[role].length
    }
    parts.push({ ...part, recipients: withoutEmpty(recipients) })
  } while (ROLES.some((role) => rest[role].length > 0))
  return parts
}

const withoutEmpty = (recipients: Record<Role, MailboxInput[]>): Recipients => ({
  to: recipients.to,
  ...(recipients.cc.length === 0 ? {} : { cc: recipients.cc }),
  ...(recipients.bcc.length === 0 ? {} : { bcc: recipients.bcc }),
})

/** Names of a field in the body of `mail/send`. */
const FIELDS: readonly (readonly [ours: RegExp, theirs: string])[] = [
  [/^from_name$/, 'from.name'],
  [/^from$/, 'from.email'],
  [/^(?:html|text)$/, 'content'],
  [/^metadata$/, 'custom_args'],
  [/^metadata\.(.*)$/, 'custom_args.$1'],
  [/^tags?\b/, 'categories'],
  [/^template_(?:id|alias)$/, 'template_id'],
  [/^stream$/, 'asm.group_id'],
  [/^(attachments\[\d+\])\.content_type$/, '$1.type'],
  [/^reply_to\[/, 'reply_to_list['],
]

/**
 * Returns the problems of send requests as problems of the body, each problem once.
 *
 * @param errors problems whose paths begin with the index of the request, unless there is only one request
 */
export function problemsOfMail(errors: readonly FieldProblem[], places: readonly Place[]): FieldProblem[] {
  const found = new Map<string, FieldProblem>()
  for (const error of errors) {
    const [prefix = '', index = '0'] = /^\[(\d+)\]\.?/.exec(error.path) ?? []
    const place = places[Number(index)]
    const path = pathInMail(error.path.slice(prefix.length), place)
    found.set(`${path} ${error.code}`, { ...error, path })
  }
  return [...found.values()]
}

function pathInMail(path: string, place: Place | undefined): string {
  if (place === undefined) return path
  const personal = `personalizations[${place.personalization}]`
  const [, role, at, rest = ''] = /^(to|cc|bcc)(?:\[(\d+)\](.*))?$/.exec(path) ?? []
  if (role !== undefined) {
    const index = at === undefined ? '' : `[${Number(at) + place.before[role as Role]}]`
    return `${personal}.${role}${index}${rest}`
  }
  if (path === 'substitutions') return `${personal}.substitutions`
  if (/^template_model\b/.test(path)) {
    return `${personal}.${path.replace('template_model', 'dynamic_template_data')}`
  }
  const [ours, theirs] = FIELDS.find(([pattern]) => pattern.test(path)) ?? []
  const name = ours === undefined || theirs === undefined ? path : path.replace(ours, theirs)
  const isOwn =
    (place.own.has('from') && name.startsWith('from.')) ||
    (place.own.has('subject') && name === 'subject') ||
    (place.own.has('sendAt') && name === 'send_at')
  return isOwn ? `${personal}.${name}` : name
}
