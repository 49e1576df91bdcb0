// Finds another host's SMTP reply that is quoted in a reply or a report.

import type { Reply } from './reply.ts'

/** SMTP command that the quoted reply answered, if the quotation names the command. */
export type AnsweredCommand = 'greeting' | 'mail' | 'rcpt' | 'end-of-data'

/** A quoted reply, without the host names and addresses before the reply. */
export interface QuotedReply {
  readonly reply: Reply
  readonly answered: AnsweredCommand | undefined
  /**
   * Position of the reply code (or of the reply text, if there is no code) in the text, in which each run of white
   * space counts as one space.
   */
  readonly at: number
}

/** Maximum number of characters that are searched; `MAX_DEPTH` limits quotations within quotations. */
const MAX_READ = 4_000
const MAX_DEPTH = 4
/** Number of characters before a quoted reply that are searched for the name of the command. */
const MAX_PREFIX = 400
/** Number of characters after a quoted reply that are searched for the name of the command. */
const MAX_BEHIND = 600

const ENHANCED = String.raw`(?:[ -]{1,2}["'(]?#?(?<enhanced>[45]\.\d{1,3}\.\d{1,3}))?`
/** Matches a reply code, but not a size, a count or a duration. */
const CODE = String.raw`(?<code>[45]\d\d)(?=[ \-"]|$)(?![ -]{1,2}(?:[kmg]i?b|bytes|octets|characters|hours?|days?|minutes?|seconds?|messages|recipients|attempts|times|per)\b)${ENHANCED}`
/** Matches words that introduce a quotation of another host's reply. */
const SAYS = String.raw`\b(?:(?:said|says|replied|responded(?: with)?|answered(?: with)?) ?:?|(?:reason|response|reply|answer|returned|was|error|(?:recipient|callout) verification failed|to me) ?:)`
/** Matches a host name, or the end of an address in brackets, before a quotation of the host. */
const HOST = String.raw`\bhost [^\s:]{1,255}|[\])]|@[\w.-]{1,255}`

/** Matches the beginning of a reply that is quoted within another reply. */
const WITHIN = new RegExp(`(?:(?:${SAYS}) ?|(?:${HOST}) ?: ?)(?:smtp; ?)?["'(<]?${CODE}`, 'dgi')
/** Matches the beginning of a reply anywhere in a report, which also contains other text. */
const ANYWHERE = new RegExp(`(?:^|[ :;("'<>#-])${CODE}`, 'dgi')
/**
 * Matches introductions of reasons without a reply code: words of a host, or the reason why a mail system could not
 * verify an address.
 */
const WITHOUT_CODE = /\b(?:undeliverable address ?: ?|said ?: ?)(?=[\p{L}<"'])/giu

/** SMTP commands, with words around a quotation that identify the command; later commands of a dialog come first. */
const COMMANDS: readonly (readonly [AnsweredCommand, RegExp])[] = [
  // 503 is the reply to a pipelined DATA command after every recipient was refused.
  ['rcpt', /<<< 503 /i],
  ['end-of-data', /\bend of data\b|\bdata command\b|[>:] ?data\b|after (?:i|we) sent the message/i],
  ['rcpt', /\brcpt\b|does not like recipient/i],
  ['mail', /\bmail from\b|\b(?:he|eh)lo\b|does not like sender/i],
  ['greeting', /\btalk to me\b|\binitial (?:greeting|connection)\b/i],
]

/**
 * Matches words of a host that verified the sender; the quoted reply is then about the sender's mailbox instead of the
 * recipient's mailbox.
 */
const OF_THE_SENDER =
  /\bsenders?\b|\bverification failed for\b|\bcalled ?:|\b(?:return|reverse|reply|bounce)[- ](?:path|address)\b|\bcall-?back\b/i

/**
 * Returns the innermost reply that is quoted in a reply, such as the reply of a relay that verified the recipient.
 * Returns undefined if there is no quotation, or if the quotation is about the sender. Takes linear time.
 */
export function quotedWithin({ code, text }: Reply): QuotedReply | undefined {
  if (!MAY_QUOTE.test(text)) return undefined
  const read = oneLine(text)
  const found = nextReply(WITHIN, read, 0)
  if (found !== undefined) return isOfTheSender(read.slice(0, found.at)) ? undefined : innermost(read, found)
  const [reason] = read.matchAll(WITHOUT_CODE)
  if (reason === undefined || isOfTheSender(read.slice(0, reason.index))) return undefined
  const at = reason.index + reason[0].length
  return { reply: { code, text: read.slice(at, endOf(read, at)) }, answered: commandOf(read, at), at }
}

/** Returns the innermost reply that is quoted in the text of a report. Takes linear time. */
export function quotedInReport(text: string): QuotedReply | undefined {
  const read = oneLine(text)
  const found = nextReply(ANYWHERE, read, 0)
  return found === undefined ? undefined : innermost(read, found)
}

/** Quick test, so that most replies without a quotation need no search. */
const MAY_QUOTE =
  /\b(?:said|says|reason|respon\w{2,5}|repl(?:y|ied)|answer(?:ed)?|returned|was|error|failed|address|to me|host)\b|\] ?:|@/i

const oneLine = (text: string): string => text.slice(0, MAX_READ).replace(/\s+/g, ' ')

interface Found {
  readonly at: number
  readonly code: number
  readonly enhanced: string | undefined
}

function nextReply(pattern: RegExp, text: string, from: number): Found | undefined {
  pattern.lastIndex = from
  const match = pattern.exec(text)
  const at = match?.indices?.groups?.code?.[0]
  if (at === undefined) return undefined
  return { at, code: Number(match?.groups?.code), enhanced: match?.groups?.enhanced }
}

/** Follows quotations within the found reply to the innermost quotation. */
function innermost(text: string, outer: Found): QuotedReply {
  let found = outer
  for (let depth = 1; depth < MAX_DEPTH; depth++) {
    const within = nextReply(WITHIN, text, found.at + 3)
    // The code at the end of an outer quotation may begin an inner quotation.
    if (within === undefined || within.at > endOf(text, found.at) + 1) break
    if (isOfTheSender(text.slice(found.at, within.at))) break
    found = within
  }
  const { at, code, enhanced } = found
  const said = text
    .slice(at + 3, endOf(text, at))
    .replace(CONTINUED, (whole, again) => (Number(again) === code ? '' : whole))
  return {
    reply: { code, ...(enhanced === undefined ? {} : { enhanced }), text: said.replace(/^[ -]+/, '').trim() },
    answered: commandOf(text, at),
    at,
  }
}

/** Matches the repeated codes of a multi-line reply that a report joined into one line. */
const CONTINUED = /(?<= )([45]\d\d)[ -](?:[45]\.\d{1,3}\.\d{1,3} )?/g
/**
 * Matches words after the end of a quotation: Postfix names the command; qmail and Sendmail continue with their own
 * text.
 */
const AFTERWARDS = /\(in reply to | -{5,40} | >>> | <<< | giving up on /i
/**
 * Matches a line with Sendmail's own interpretation of the reply. A line that quotes the reply begins with a code as
 * well.
 */
const SENDMAIL = / [45]\d\d [45]\.\d{1,3}\.\d{1,3} <[^<> ]{1,320}>\.\.\. /
const SHORTEST = 12

/** Returns the end of the quotation that begins at `at`. */
function endOf(text: string, at: number): number {
  const ends = [text.slice(at).search(AFTERWARDS), text.slice(at + SHORTEST).search(SENDMAIL)]
  const [length = -1, shown = -1] = ends
  return Math.min(length < 0 ? text.length : at + length, shown < 0 ? text.length : at + SHORTEST + shown)
}

/** True if the words before a quotation say that the sender was verified; host names and addresses do not count. */
const isOfTheSender = (before: string): boolean =>
  OF_THE_SENDER.test(
    before
      .split(' ')
      .filter((word) => !/[.@][\p{L}\p{N}]/u.test(word))
      .join(' '),
  )

function commandOf(text: string, at: number): AnsweredCommand | undefined {
  const end = endOf(text, at)
  for (const around of [text.slice(end, end + MAX_BEHIND), text.slice(Math.max(0, at - MAX_PREFIX), at)]) {
    const named = COMMANDS.find(([, words]) => words.test(around))
    if (named !== undefined) return named[0]
  }
  return undefined
}
