// The search language of test inboxes, which is the language of Mailpit: words, "phrases" and filters such as
// `to:ann@example.net` or `has:attachment`; `-` or `!` in front negates.

import { withoutAccents } from '../model/subject-words.ts'
import type { MailSummary, SummaryMailbox } from '../model/test-inbox.ts'

/** Maximum length of a query in characters; a longer query is refused. */
export const MAX_QUERY = 10_240
/** Maximum number of terms; further terms are ignored. */
const MAX_TERMS = 200

/** A mail as searches see it. */
interface SearchedMail {
  readonly received_at: number
  readonly size: number
  readonly seen: number
  /** Envelope recipients as JSON. */
  readonly recipients: string
  readonly tags: string
  readonly summary: string
  readonly search: string
}

/** A mail with its parsed columns. */
interface Parsed {
  readonly mail: SearchedMail
  readonly summary: MailSummary
  readonly recipients: readonly string[]
  readonly tags: readonly string[]
}

type Test = (parsed: Parsed) => boolean

/** A parsed query. */
export interface MailQuery {
  /** True if every mail matches, so that a mail need not be looked at. */
  readonly matchesAll: boolean
  /**
   * Texts that every match contains in the column `search` or among its recipients, so that the store can select the
   * mails.
   */
  readonly contained: readonly string[]
  matches(mail: SearchedMail): boolean
}

const TERM = /([-!]?)(?:([a-z-]{2,12}):)?(?:"([^"]*)"|([^\s"]+))/gi

/**
 * Parses a query; an unknown filter counts as text, as in Mailpit.
 *
 * @param zone time zone of dates, such as `Europe/Berlin`; UTC by default and for an unknown zone
 */
export function parseQuery(query: string, zone = 'UTC'): MailQuery {
  const contained: string[] = []
  const tests: Test[] = []
  for (const [whole, sign, name = '', phrase, word = ''] of query
    .slice(0, MAX_QUERY)
    .replaceAll('\0', '')
    .matchAll(TERM)) {
    if (tests.length === MAX_TERMS) break
    const value = withoutAccents(phrase ?? word)
    const filter = filterOf(name.toLowerCase(), value, zone)
    const text = filter === undefined ? withoutAccents(textOf(whole)) : ''
    if (filter === undefined && sign === '' && text !== '') contained.push(text)
    const test: Test = filter ?? ((parsed) => parsed.mail.search.includes(text) || inRecipients(parsed, text))
    tests.push(sign === '' ? test : (parsed) => !test(parsed))
  }
  return {
    matchesAll: tests.length === 0,
    contained,
    matches(mail) {
      const parsed = {
        mail,
        summary: JSON.parse(mail.summary) as MailSummary,
        recipients: JSON.parse(mail.recipients) as string[],
        tags: JSON.parse(mail.tags) as string[],
      }
      return tests.every((test) => test(parsed))
    },
  }
}

const textOf = (whole: string): string => whole.replace(/^[-!]/, '').replaceAll('"', '')

const inRecipients = ({ recipients }: Parsed, text: string): boolean =>
  recipients.some((one) => withoutAccents(one).includes(text))

/** Returns the test of a filter; undefined for a name that is no filter. */
function filterOf(name: string, value: string, zone: string): Test | undefined {
  const inMailboxes = (all: readonly SummaryMailbox[]): boolean =>
    all.some(({ name, address }) => withoutAccents(`${name} ${address}`).includes(value))
  switch (name) {
    case 'from':
      return ({ summary }) => summary.from !== null && inMailboxes([summary.from])
    case 'to':
      return ({ summary }) => inMailboxes(summary.to)
    case 'cc':
      return ({ summary }) => inMailboxes(summary.cc)
    case 'bcc':
      return (parsed) => bccOf(parsed.summary, parsed.recipients).some((one) => one.includes(value))
    case 'reply-to':
      return ({ summary }) => inMailboxes(summary.replyTo)
    case 'addressed':
      return (parsed) => {
        const { from, to, cc, replyTo } = parsed.summary
        return (
          inMailboxes([...(from === null ? [] : [from]), ...to, ...cc, ...replyTo]) ||
          inRecipients(parsed, value)
        )
      }
    case 'subject':
      return ({ summary }) => withoutAccents(summary.subject).includes(value)
    case 'message-id':
      return ({ summary }) => summary.messageIdHeader.toLowerCase().includes(value.replace(/^<|>$/g, ''))
    case 'tag':
      return ({ tags }) => tags.some((tag) => withoutAccents(tag) === value)
    case 'is':
      return IS[value]
    case 'has':
      return HAS[value]
    case 'before':
    case 'after':
      return timeTest(name, value, zone)
    case 'larger':
    case 'smaller':
      return sizeTest(name, value)
    default:
      return undefined
  }
}

const IS: Readonly<Record<string, Test>> = {
  read: ({ mail }) => mail.seen === 1,
  unread: ({ mail }) => mail.seen === 0,
  tagged: ({ tags }) => tags.length > 0,
}

const HAS: Readonly<Record<string, Test>> = {
  attachment: ({ summary }) => summary.attachments > 0,
  attachments: ({ summary }) => summary.attachments > 0,
  inline: ({ summary }) => summary.inline > 0,
  inlines: ({ summary }) => summary.inline > 0,
}

/** Returns the envelope recipients that no field of the header names. */
export function bccOf({ to, cc }: Pick<MailSummary, 'to' | 'cc'>, recipients: readonly string[]): string[] {
  const named = new Set([...to, ...cc].map(({ address }) => address.toLowerCase()))
  return recipients.filter((one) => !named.has(one.toLowerCase()))
}

function timeTest(name: 'before' | 'after', value: string, zone: string): Test | undefined {
  const at = timeIn(value, zone)
  if (at === undefined) return undefined
  return ({ mail }) => (name === 'before' ? mail.received_at < at : mail.received_at >= at)
}

/** Returns the time of a date, or of a date with a time, in a time zone; undefined for any other text. */
export function timeIn(value: string, zone: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d)?(?:\.\d{1,9})?(?:z|[-+]\d\d:\d\d)?)?$/i.test(value))
    return undefined
  const text = value.toUpperCase().replace(' ', 'T')
  const hasZone = /(?:Z|[-+]\d\d:\d\d)$/.test(text) && text.includes('T')
  const at = Date.parse(hasZone ? text : text.includes('T') ? `${text}Z` : text)
  if (Number.isNaN(at)) return undefined
  return hasZone ? at : at - offsetOf(zone, at)
}

/** Returns the offset of a time zone from UTC at a time, in milliseconds; 0 for an unknown zone. */
function offsetOf(zone: string, at: number): number {
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      timeZoneName: 'longOffset',
    }).formatToParts(at)
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
    const [, sign, hours = '0', minutes = '0'] = /GMT([-+])(\d\d):(\d\d)/.exec(name) ?? []
    const ms = (Number(hours) * 60 + Number(minutes)) * 60_000
    return sign === '-' ? -ms : ms
  } catch {
    return 0
  }
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1_024, m: 1_024 ** 2, g: 1_024 ** 3 }

function sizeTest(name: 'larger' | 'smaller', value: string): Test | undefined {
  const [, digits, unit = ''] = /^(\d{1,12})([kmg]?)b?$/.exec(value) ?? []
  if (digits === undefined) return undefined
  const bytes = Number(digits) * (UNITS[unit] ?? 1)
  return ({ mail }) => (name === 'larger' ? mail.size > bytes : mail.size < bytes)
}
