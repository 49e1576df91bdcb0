// Test inboxes: the destination of mail by test credentials, which never leaves the installation, their mail, and the local
// parts that select the outcome of mail, there and in the playground.

/**
 * Destination of a recipient whose message goes to a test inbox: the ID of the inbox, in place of the domain of the
 * address. The underscore is in no domain of an address (RFC 5321 §4.1.2), so no lookup finds a host for the ID.
 */
export const isInbox = (destination: string): boolean => destination.startsWith('inb_')

/** Returns the test inbox of a destination; null for a domain. */
export const inboxOf = (destination: string): string | null => (isInbox(destination) ? destination : null)

/** Returns the destination of a recipient: the test inbox of the sender, or the domain of the address. */
export const destinationOf = (inboxId: string | null, domain: string): string => inboxId ?? domain

/** ID of the inbox of the playground, which gets all mail that the mail host of the playground accepts. */
export const PLAYGROUND_INBOX = `inb_${'0'.repeat(26)}`

/**
 * Returns the ID of the inbox of an account for messages of live credentials that a request marks as tests: the ID of
 * the account with another prefix, so that each account has one such inbox.
 */
export const testModeInbox = (accountId: string): string => accountId.replace(/^acc_/, 'inb_')

/** Default and maximum number of days for which an inbox keeps a mail. */
export const KEEP_DAYS = { usual: 7, most: 30 } as const

/** Default and maximum number of mails that an inbox keeps. */
export const KEEP_MESSAGES = { usual: 1_000, most: 10_000 } as const

/** Maximum number of inboxes of an account. */
export const MAX_INBOXES = 100

/** A mailbox in a header field; `name` is empty without a display name. */
export interface SummaryMailbox {
  readonly name: string
  readonly address: string
}

/** Fields of a mail that lists show. */
export interface MailSummary {
  /** Message-ID without angle brackets; empty without the field. */
  readonly messageIdHeader: string
  readonly from: SummaryMailbox | null
  readonly to: readonly SummaryMailbox[]
  readonly cc: readonly SummaryMailbox[]
  readonly replyTo: readonly SummaryMailbox[]
  readonly subject: string
  /** Numbers of files, and of files that the HTML shows. */
  readonly attachments: number
  readonly inline: number
  /** Beginning of the text, on one line; at most 250 characters. */
  readonly snippet: string
}

/** A mail that is about to be stored in an inbox: its summary, and the text that searches look at. */
export interface SummarizedMail {
  readonly summary: MailSummary
  /** Subject, addresses and the beginning of the text, in lower case and without accents, one item a line. */
  readonly search: string
}

/** Reply to RCPT TO: a refusal, or an acceptance after a delay. */
export interface Steering {
  readonly refusal?: { readonly code: number; readonly text: string }
  readonly delayMs?: number
}

const SLOW_MS = 5_000
/** Delay that outlasts the patience of every client. */
export const NEVER_MS = 3_600_000

const NOT_FOUND: Steering = { refusal: { code: 550, text: '5.1.1 There is no such mailbox here' } }
const NOT_NOW: Steering = { refusal: { code: 451, text: '4.3.0 Not now, please try again later' } }
const FULL: Steering = { refusal: { code: 552, text: '5.2.2 The mailbox is full' } }
const GREYLISTING: Steering = {
  refusal: { code: 451, text: '4.7.1 Greylisted, please try again in a minute' },
}

/** Replies by local part; a verification derives its result from the reply. */
const ANSWERS: Readonly<Record<string, Steering>> = {
  bounce: NOT_FOUND,
  bounced: NOT_FOUND,
  mailbox_not_found: NOT_FOUND,
  mailbox_disabled: { refusal: { code: 550, text: '5.2.1 The mailbox is disabled' } },
  full: FULL,
  mailbox_full: FULL,
  defer: NOT_NOW,
  smtp_error: NOT_NOW,
  blocked: { refusal: { code: 554, text: '5.7.1 Your host is blocked here' } },
  slow: { delayMs: SLOW_MS },
  timeout: { delayMs: NEVER_MS },
}

/** Replies to a catch-all probe address, by the local part of the previous recipient on the connection. */
const MADE_UP: ReadonlyMap<string, Steering> = new Map([
  ['catch_all', {}],
  ['catch_all_unknown', NOT_NOW],
])

const GREYLISTED: ReadonlySet<string> = new Set(['greylist', 'greylisted'])

/** Words of a recipient that accepts the message and then complains about the message. */
const COMPLAINTS: ReadonlySet<string> = new Set(['complaint', 'complained'])

/** Returns the steering word of an address: the local part without a `+` tag, in lower case, with `_` for `-`. */
export const steeringWord = (recipient: string): string =>
  (recipient.slice(0, recipient.lastIndexOf('@')).split('+', 1)[0] ?? '').toLowerCase().replaceAll('-', '_')

/** True if there is a special reply for this steering word. */
export const steersServer = (word: string): boolean => GREYLISTED.has(word) || Object.hasOwn(ANSWERS, word)

/**
 * Returns the reply that a steering word selects; an empty object accepts the recipient.
 *
 * @param isPutOff returns true if a greylisted recipient has to come again
 */
export function steeringOf(word: string, isPutOff: () => boolean): Steering {
  if (GREYLISTED.has(word)) return isPutOff() ? GREYLISTING : {}
  return Object.hasOwn(ANSWERS, word) ? (ANSWERS[word] as Steering) : {}
}

/** Returns the reply to the made-up address of a catch-all probe, after a recipient with this steering word. */
export const steeringOfProbe = (wordBefore: string): Steering => MADE_UP.get(wordBefore) ?? NOT_FOUND

/** True if the recipient of a test message complains after the delivery. */
export const complains = (recipient: string): boolean => COMPLAINTS.has(steeringWord(recipient))
