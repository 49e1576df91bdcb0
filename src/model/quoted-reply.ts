// Reads a reply of another host that is quoted in a reply or a report.

import type { Reply } from './reply.ts'

/** Command that the quoted reply answers, if the quotation names one. */
export type AnsweredCommand = 'greeting' | 'mail' | 'rcpt' | 'end-of-data'

/** A quoted reply, without the names and addresses of hosts in front of it. */
export interface QuotedReply {
  readonly reply: Reply
  readonly answered: AnsweredCommand | undefined
  /** Position of its code, or of its words if it has no code, in the text with single spaces. */
  readonly at: number
}

/** Maximum characters read of a text, and maximum depth of quotations. */
const MAX_READ = 4_000
const MAX_DEPTH = 4
/** Characters before a reply in which its command may be named. */
const MAX_PREFIX = 400
/** Characters after a reply in which its command may be named. */
const MAX_BEHIND = 600

const ENHANCED = String.raw`(?:[ -]{1,2}["'(]?#?(?<enhanced>[45]\.\d{1,3}\.\d{1,3}))?`
/** A reply code, not a size, a number or a time. */
const CODE = String.raw`(?<code>[45]\d\d)(?=[ \-"]|$)(?![ -]{1,2}(?:[kmg]i?b|bytes|octets|characters|hours?|days?|minutes?|seconds?|messages|recipients|attempts|times|per)\b)${ENHANCED}`
/** Words after which a host quotes another host. */
const SAYS = String.raw`\b(?:(?:said|says|replied|responded(?: with)?|answered(?: with)?) ?:?|(?:reason|response|reply|answer|returned|was|error|(?:recipient|callout) verification failed|to me) ?:)`
/** A host in front of its words: by name, or by address in brackets. */
const HOST = String.raw`\bhost [^\s:]{1,255}|[\])]|@[\w.-]{1,255}`

/** The beginning of a reply within another one. */
const WITHIN = new RegExp(`(?:(?:${SAYS}) ?|(?:${HOST}) ?: ?)(?:smtp; ?)?["'(<]?${CODE}`, 'dgi')
/** The beginning of a reply within a report, where other words surround it. */
const ANYWHERE = new RegExp(`(?:^|[ :;("'<>#-])${CODE}`, 'dgi')
/** Reasons without a code: the words of a host, or the reason why a mail system could not verify an address. */
const WITHOUT_CODE = /\b(?:undeliverable address ?: ?|said ?: ?)(?=[\p{L}<"'])/giu

/** Commands by the words around a quotation, the last one of a dialog first. */
const COMMANDS: readonly (readonly [AnsweredCommand, RegExp])[] = [
  // Commands were pipelined, and DATA was refused because no recipient was accepted.
  ['rcpt', /<<< 503 /i],
  ['end-of-data', /\bend of data\b|\bdata command\b|[>:] ?data\b|after (?:i|we) sent the message/i],
  ['rcpt', /\brcpt\b|does not like recipient/i],
  ['mail', /\bmail from\b|\b(?:he|eh)lo\b|does not like sender/i],
  ['greeting', /\btalk to me\b|\binitial (?:greeting|connection)\b/i],
]

/** Words of a host that verified the sender: the quotation is about the mailbox of the sender, not of the recipient. */
const OF_THE_SENDER =
  /\bsenders?\b|\bverification failed for\b|\bcalled ?:|\b(?:return|reverse|reply|bounce)[- ](?:path|address)\b|\bcall-?back\b/i

/**
 * Returns the innermost reply quoted by a reply, such as that of a relay that verified the recipient. Undefined if
 * nothing is quoted, or only a reply about the sender. Linear in the length of the text.
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

/** Returns the innermost reply that a report quotes. Linear in the length of the text. */
export function quotedInReport(text: string): QuotedReply | undefined {
  const read = oneLine(text)
  const found = nextReply(ANYWHERE, read, 0)
  return found === undefined ? undefined : innermost(read, found)
}

/** Fast check that avoids the search in the many replies that quote nothing. */
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

/** Follows quotations within the found one, up to its end. */
function innermost(text: string, outer: Found): QuotedReply {
  let found = outer
  for (let depth = 1; depth < MAX_DEPTH; depth++) {
    const within = nextReply(WITHIN, text, found.at + 3)
    // The code that ends one quotation may begin the quotation within it.
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

/** Further codes of a multiline reply that a report puts on one line. */
const CONTINUED = /(?<= )([45]\d\d)[ -](?:[45]\.\d{1,3}\.\d{1,3} )?/g
/** Words that end a quotation: Postfix names the command, qmail and Sendmail continue with the next step. */
const AFTERWARDS = /\(in reply to | -{5,40} | >>> | <<< | giving up on /i
/**
 * A line in which Sendmail writes its interpretation of the reply. A line that quotes the reply begins with a code,
 * too.
 */
const SENDMAIL = / [45]\d\d [45]\.\d{1,3}\.\d{1,3} <[^<> ]{1,320}>\.\.\. /
const SHORTEST = 12

/** Returns the end of the quotation that begins at a position. */
function endOf(text: string, at: number): number {
  const ends = [text.slice(at).search(AFTERWARDS), text.slice(at + SHORTEST).search(SENDMAIL)]
  const [length = -1, shown = -1] = ends
  return Math.min(length < 0 ? text.length : at + length, shown < 0 ? text.length : at + SHORTEST + shown)
}

/** True if the words before a quotation say that the sender was verified. Names of hosts and addresses are ignored. */
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
