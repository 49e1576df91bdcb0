// Findings about a message as a whole: sender, recipients, subject, sizes, and the rules for broadcasts.

import { getDomain } from 'tldts'
import { isAddress, parseAddress } from '../model/address.ts'
import type { CheckedMail, CheckFacts } from './checked-mail.ts'
import { hasMixedScripts } from './links.ts'
import type { Body } from './place.ts'
import type { Report } from './report.ts'

/** Size of the HTML from which Gmail shows the beginning only, in bytes, and the size from which the check warns. */
const CLIPPED = 102_400
const NEARLY_CLIPPED = 90 * 1_024
/** Size of a composed message that large mailbox providers refuse, in bytes. */
const TOO_LARGE = 20 * 1_024 * 1_024
const SUBJECT_LENGTH = 78
/** Sizes of one attached image and of all attached images, in bytes. */
const IMAGE_BYTES = 200 * 1_024
const IMAGES_BYTES = 1_024 * 1_024

/** Reports the findings of a message as a whole. */
export function findInMessage(
  report: Report,
  mail: CheckedMail,
  facts: CheckFacts,
  html: Body | undefined,
): void {
  findSubject(report, mail)
  findSender(report, mail, facts)
  findRecipients(report, mail, facts)
  if (html !== undefined) findClipped(report, html)
  const size = sizeOf(mail)
  if (size > TOO_LARGE) {
    report.add('message_large', 'attachments', `The composed message has ${megabytes(size)} MB.`)
  }
  findImages(report, mail)
  if (facts.stream?.kind === 'broadcast') findBroadcast(report, mail, facts.stream.unsubscribe)
}

/** Returns the size of the composed message, or an estimate of the size before composing, in bytes. */
function sizeOf({ size, html = '', text = '', attachments = [] }: CheckedMail): number {
  if (size !== undefined) return size
  // Base64 with line breaks takes 78 bytes for 57.
  const files = attachments.reduce((sum, one) => sum + Math.ceil((one.size / 57) * 78), 0)
  return Buffer.byteLength(html) + Buffer.byteLength(text) + files
}

const megabytes = (bytes: number): string => (bytes / 1_048_576).toFixed(1)

function findSubject(report: Report, { subject }: CheckedMail): void {
  if (subject === undefined) return
  if (subject.trim() === '') report.add('subject_empty', 'subject', 'The subject is empty.')
  const { length } = [...subject.slice(0, 2_000)]
  if (length > SUBJECT_LENGTH) {
    report.add('subject_long', 'subject', `The subject has ${length} characters.`, {
      excerpt: subject.slice(0, 80),
    })
  }
}

function findSender(report: Report, { from, fromName = '' }: CheckedMail, facts: CheckFacts): void {
  if (from === undefined) return
  const domain = from.slice(from.lastIndexOf('@') + 1).toLowerCase()
  const shown = /[^\s<>()"',;:@]{1,64}@((?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24})/u.exec(
    fromName.slice(0, 1_000),
  )?.[1]
  if (shown !== undefined && getDomain(shown) !== getDomain(domain)) {
    report.add('from_disguised', 'from_name', `The name shows an address at ${shown.slice(0, 80)}.`)
  } else if (hasMixedScripts(fromName.slice(0, 1_000))) {
    report.add('from_disguised', 'from_name', 'A word of the name mixes letters of several scripts.')
  }
  if (facts.domain === undefined) return
  const { name, isVerified, hasDmarc } = facts.domain
  if (domain !== name) {
    report.add('not_aligned', 'from', `The address is not at ${name}, whose key signs the message.`)
  } else if (!isVerified) {
    report.add('not_aligned', 'from', `${name} is not verified.`)
  }
  if (!hasDmarc) report.add('dmarc_missing', 'from', `${name} has no DMARC record.`)
}

function findRecipients(report: Report, { recipients = [] }: CheckedMail, facts: CheckFacts): void {
  for (const { path, email } of recipients) {
    const address = parseAddress(email)
    if (!isAddress(address)) continue
    const known = facts.recipients?.[address.email]
    const about = { recipient: email }
    if (known?.suppressed !== undefined) {
      report.add('recipient_suppressed', path, `The address is suppressed (${known.suppressed}).`, about)
    }
    if (known?.dead === true) report.add('recipient_dead', path, 'Earlier mail found no mailbox.', about)
    if (known?.meant !== undefined) {
      const { meant } = known
      report.add('recipient_misspelt', path, `Did the recipient mean ${meant}?`, {
        ...about,
        what_to_do: `Correct the address to ${meant} if the recipient confirms it.`,
      })
    }
    if (known?.isRole === true) report.add('recipient_role', path, 'The address belongs to a role.', about)
  }
}

function findClipped(report: Report, html: Body): void {
  const bytes = Buffer.byteLength(html.source)
  if (bytes <= NEARLY_CLIPPED) return
  const cut = bytes > CLIPPED
  const offset = cut
    ? Buffer.from(html.source).subarray(0, CLIPPED).toString('utf8').length
    : html.source.length
  const message = cut
    ? `The HTML has ${bytes} bytes; Gmail shows the first 102,400 only.`
    : `The HTML has ${bytes} bytes; Gmail shows 102,400, and the service adds links and a footer.`
  report.at('clipped', html, offset, message, {
    clients: ['gmail.desktop-webmail', 'gmail.ios', 'gmail.android'],
  })
}

function findImages(report: Report, { attachments = [] }: CheckedMail): void {
  const images = attachments.filter(({ contentType }) => contentType.startsWith('image/'))
  const all = images.reduce((sum, one) => sum + one.size, 0)
  if (all > IMAGES_BYTES) {
    report.add('image_weight', 'attachments', `The attached images have ${megabytes(all)} MB together.`)
  }
  for (const { path, size } of images) {
    if (size > IMAGE_BYTES) report.add('image_weight', path, `The image has ${Math.ceil(size / 1_024)} KB.`)
  }
}

/** Words of a link that ends a subscription. */
const UNSUBSCRIBE =
  /unsubscri|opt.?out|abmeld|abbestell|désabonn|desabonn|désinscri|cancelar (?:la )?suscripci|darse de baja|descadastr|cancelar a inscri|disiscriv|annulla l.iscrizione|afmeld|wypis|配信停止|退订|unsubscribe_url/i

/** Words and forms of a postal address. */
const POSTAL =
  /\b\d{1,5}[a-z]?,?\s+(?:[\p{L}.'-]+\s+){0,4}(?:street|str|st|avenue|ave|road|rd|boulevard|blvd|lane|ln|drive|dr|way|square|sq|suite|plaza|court|ct)\b|(?:straße|strasse|str\.|platz|weg|allee|gasse)\s*\d|p\.?\s?o\.?\s?box\b|postfach\s*\d|\b\d{1,4},?\s+(?:rue|avenue|boulevard|place|quai)\b|\b(?:via|viale|piazza|corso|calle|avenida|rua|avenida|ul\.)\s+[\p{L}.\s]{2,40},?\s*\d|\b\d{4,5}\s+\p{Lu}\p{Ll}{2,}|\b[A-Z]{2}\s+\d{5}\b|\b[A-Z]{1,2}\d[A-Z\d]?\s+\d[A-Z]{2}\b|〒\s*\d{3}/iu

function findBroadcast(report: Report, mail: CheckedMail, by: 'service' | 'sender'): void {
  const { html = '', text = '', headers = [] } = mail
  const texts = `${html}\n${text}`
  if (by === 'sender') {
    const fields = new Set(headers.map(([name]) => name.toLowerCase()))
    const hasFields = fields.has('list-unsubscribe') && fields.has('list-unsubscribe-post')
    if (!hasFields || !UNSUBSCRIBE.test(texts)) {
      const message = hasFields
        ? 'The message has no visible link to unsubscribe.'
        : 'The message lacks the unsubscribe fields.'
      report.add('unsubscribe_missing', hasFields ? (html === '' ? 'text' : 'html') : 'headers', message)
    }
  }
  if (!hasPostalAddress(texts)) {
    report.add('address_missing', html === '' ? 'text' : 'html', 'The message has no postal address.')
  }
}

/** Length of the end of a message in which a postal address is looked for. */
const FOOTER = 40_000

const hasPostalAddress = (texts: string): boolean =>
  POSTAL.test(texts.slice(-FOOTER).replace(/<[^<>]{0,2000}>/g, ' '))
