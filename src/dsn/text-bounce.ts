// Reads bounces that follow no RFC, recognised by their wording.

import { legalText } from '../mime/legal-text.ts'
import { quotedInReport } from '../model/quoted-reply.ts'
import { readRecipients } from './delivery-status.ts'
import type { DeliveryReport, RecipientReport } from './report.ts'
import { headerSection, type ReturnedMail } from './returned-mail.ts'
import { BOUNCE_FORMS, COPY_FOLLOWS, REASONS, STILL_TRYING, SUCCESS } from './text-bounce-forms.ts'

/** Maximum number of characters read from the text; `MAX_DIAGNOSTIC` limits the explanation that is kept. */
const MAX_TEXT = 8_000
const MAX_DIAGNOSTIC = 1_000
/**
 * Minimum number of characters after the address that count as an explanation; with fewer characters, the opening of
 * the mail is the explanation.
 */
const SHORTEST = 10

/** Returns the bounce in a mail written for people; undefined if the mail is no bounce. */
export function readTextBounce(mail: ReturnedMail): DeliveryReport | undefined {
  const { text } = mail
  const copyAt = text.search(COPY_FOLLOWS)
  const lines = linesBefore(copyAt, text)
  const words = onOneLine(lines)
  const found = findForm(words, mail)
  if (found === undefined || !mayHaveWritten(found.name, mail)) return undefined
  const original = mail.original || (copyAt < 0 ? '' : headerSection(afterMarker(text.slice(copyAt))))
  const embedded = text.search(REPORT_WITHIN)
  const reported = embedded < 0 ? [] : readRecipients(text.slice(embedded))
  const ofSystem =
    isOfMailSystem(mail) || (reported.length > 0 && found.name !== 'general' && isFromProgram(mail))
  const recipients = reported.length > 0 ? reported : explained(lines, words, found, mail)
  return { kind: 'delivery', form: found.name, isOfMailSystem: ofSystem, recipients, original }
}

/** Returns the lines of a text before the copy of the message, without quotations of other mails. */
const linesBefore = (copyAt: number, text: string): string =>
  (copyAt < 0 ? text : text.slice(0, copyAt)).slice(0, MAX_TEXT).replace(ANSWERED, '').replace(QUOTED, '')

const onOneLine = (text: string): string => text.replace(/\s+/g, ' ')

/**
 * Quoted lines of the mail to which a person replies. An address alone does not count, because MDaemon marks the
 * recipient by `>`, nor does `>>>`, which precedes a command in a transcript.
 */
const QUOTED = /^[ \t]*>{1,2}(?!>|[ \t]*[^\s<>@]{1,64}@[^\s<>@]{1,255}[ \t\r]*$).*$/gm
/** Line by which mail clients introduce a quotation ("On … wrote:"), and the rest of the text. */
const ANSWERED =
  /^(?:On .{5,120} wrote|Am .{5,120} schrieb.{0,80}|Le .{5,120} a écrit ?|El .{5,120} escribió|Il .{5,120} ha scritto|Op .{5,120} schreef.{0,80}|Em .{5,120} escreveu) ?:[ \t\r]*\n[\s\S]*/m

/**
 * Fields of a delivery report within the text of a mail, without a separate MIME part or in a part that could not be
 * separated.
 */
const REPORT_WITHIN = /^(?:Reporting-MTA|Final-Recipient)[ \t]*:/im

/**
 * Adds explanations from the text of the mail for recipients with neither a Diagnostic-Code nor a specific status, as
 * OpenSMTPD and CommuniGate Pro write them.
 */
export function withExplanations(report: DeliveryReport, { text }: ReturnedMail): DeliveryReport {
  const { recipients } = report
  if (!recipients.some(lacksExplanation)) return report
  // The words are computed once for all recipients, because a report may have a hundred recipients.
  const words = onOneLine(linesBefore(text.search(COPY_FOLLOWS), text))
  const lower = words.toLowerCase()
  if (lower.length !== words.length) return report
  const names = recipients.map(({ finalRecipient }) => finalRecipient?.toLowerCase())
  const explained = recipients.map((one, at) => {
    const others = names.toSpliced(at, 1).filter((name) => name !== undefined)
    return withExplanation(one, { words, lower, others })
  })
  return { ...report, recipients: explained }
}

/**
 * Text around a report, the same text in lower case, and the names of the other recipients, at which an explanation
 * ends.
 */
interface Explanations {
  readonly words: string
  readonly lower: string
  readonly others: readonly string[]
}

const lacksExplanation = ({ status, diagnostic }: RecipientReport): boolean =>
  diagnostic === undefined && (status === undefined || status.endsWith('.0.0'))

function withExplanation(recipient: RecipientReport, explanations: Explanations): RecipientReport {
  if (!lacksExplanation(recipient)) return recipient
  for (const name of [recipient.finalRecipient, recipient.originalRecipient]) {
    const said = name === undefined ? {} : saidIn(explanationOf(name, explanations))
    if (said.diagnostic !== undefined) return { ...recipient, ...said }
  }
  return recipient
}

/**
 * Returns the explanation for a recipient, up to the next recipient's name; empty when the text does not name the
 * recipient.
 */
function explanationOf(name: string, { words, lower, others }: Explanations): string {
  const at = lower.indexOf(name.toLowerCase())
  if (at < 0) return ''
  const from = at + name.length
  const ends = others.map((other) => lower.indexOf(other, from)).filter((end) => end >= 0)
  return words.slice(from, Math.min(words.length, ...ends)).replace(/^[\s>)'":]+/, '')
}

interface FoundForm {
  readonly name: string
  /** Positions of the opening (`start`) and of the details (`end`). */
  readonly start: number
  readonly end: number
}

function findForm(words: string, mail: ReturnedMail): FoundForm | undefined {
  for (const { name, opening } of BOUNCE_FORMS) {
    const match = opening.exec(words)
    if (match === null) continue
    // General words may occur anywhere in the text, even after the address and the reason.
    if (name === 'general') return { name, start: 0, end: 0 }
    return { name, start: match.index, end: match.index + match[0].length }
  }
  return isFailureInOwnWords(words, mail) ? { name: 'general', start: 0, end: 0 } : undefined
}

/**
 * True for a failure in unknown wording, in any language, in one of three cases: the mail names the failed recipient in
 * a field; a mail system names an address together with a failure in the subject, a known reason or a further attempt;
 * or an automatic mail of another program names an address and a reply code.
 */
function isFailureInOwnWords(words: string, mail: ReturnedMail): boolean {
  if (mail.fields.has('x-failed-recipients')) return true
  if (!ADDRESS.test(words) || SUCCESS.test(words)) return false
  if (!isOfMailSystem(mail)) return isFromProgram(mail) && isAutomatic(mail.fields) && SPOKEN.test(words)
  return FAILURES.test(mail.fields.decoded('subject')) || REASONS.test(words) || STILL_TRYING.test(words)
}

/** Removes the line that announces the copy, unless this line already belongs to the copy. */
const afterMarker = (copy: string): string =>
  /^[ \t]*(?:Return-Path|Received|Reporting-MTA)/i.test(copy) ? copy : copy.slice(copy.indexOf('\n') + 1)

/** Author names of mail systems. People may quote any wording of a bounce, but do not write under these names. */
const MAIL_SYSTEMS =
  /mailer[-_.]?daemon|mail[-_.]?daemon|postmaster|mdaemon|\bdaemon\b|mail (?:delivery|administrator|system)|delivery (?:sub)?system|system administrator|Systemadministrator|microsoft outlook|internet mail (?:service|delivery)|non-?delivery|mailsystem|mail[ _]?server|mail[ _]?service|\brouter@/i
const BOUNCES = /bounce/i
const FAILURES =
  /undeliver|deliver(?:y|ed).{0,60}(?:fail|problem|error|notif|status|delay)|(?:fail|problem|error).{0,40}deliver|failure notice|returned mail|mail (?:returned|failure|fails)|mail system error|non[- ]?(?:remis|delivery)|unzustellbar|nicht zugestellt|não entregue|no se (?:ha )?(?:pudo|podido) entreg|mancato recapito|onbestelbaar|niet bezorgd|недостав|не доставлен|退信|退回|配信(?:エラー|不能)|mailbox (?:is )?full|over ?quota|(?:could not|couldn.t|cannot|can.t|not) be delivered|not delivered|unable to deliver|delivery.{0,20}warning|returning (?:message|mail)|failed mail|mail failed|processing error/i

/**
 * True if the author may have written a bounce of this form. The wording of a known program is accepted from any author
 * except in a reply of a person; general words are accepted only from a program.
 */
function mayHaveWritten(form: string, mail: ReturnedMail): boolean {
  if (isOfMailSystem(mail)) return true
  if (ANSWER.test(mail.fields.decoded('subject'))) return false
  return form !== 'general' || isFromProgram(mail)
}

/** Subject of a reply, with a prefix that mail clients write ("Re:", "AW:"). */
const ANSWER = /^\s*(?:re|aw|sv|vs|antw|odp|ynt|回复|答复|返信)\s?(?:\[\d+\])?\s?[:：]/i

/**
 * True if the header fields show that a mail system wrote the mail. People do not write under a bare host name or
 * without an author.
 */
const isOfMailSystem = ({ fields }: ReturnedMail): boolean =>
  MAIL_SYSTEMS.test(fields.decoded('from')) ||
  fields.has('x-failed-recipients') ||
  /^(?:(?:<>)?|[^\s@]{1,255}\.[a-z]{2,24})$/i.test(fields.get('from') ?? '')

function isFromProgram(mail: ReturnedMail): boolean {
  const { fields, text } = mail
  if (isOfMailSystem(mail) || BOUNCES.test(fields.decoded('from'))) return true
  // An automatic reply about a full mailbox, for example, names the user of the mailbox as the author.
  return (
    FAILURES.test(fields.decoded('subject')) && (isAutomatic(fields) || SPOKEN.test(text.slice(0, MAX_TEXT)))
  )
}

const isAutomatic = (fields: ReturnedMail['fields']): boolean =>
  /^auto-/i.test(fields.get('auto-submitted') ?? '') || /^<>$/.test(fields.get('return-path') ?? '')

const CHARACTER = '[^\\s<>()[\\]"\',;:@：；，。（）《》「」【】]'
const LOCAL_AND_DOMAIN = `${CHARACTER}{1,64}@${CHARACTER}{1,255}`
const ADDRESS = new RegExp(`<?(${LOCAL_AND_DOMAIN})>?[):]*`)
const ADDRESSES = new RegExp(ADDRESS, 'g')
/** An address at the beginning of a line, alone or before the reason. */
const HEADING = new RegExp(
  `^[ \\t*>]*(?:(?:unknown user|undeliverable|(?:intended )?recipient|failed address) ?: ?)?(?:<(${LOCAL_AND_DOMAIN})>|(${LOCAL_AND_DOMAIN}))(?:[ \\t]*:|[ \\t\\r]*$)`,
  'gim',
)
/** Words before the address of a help desk; `HELPERS` are the names of such addresses. */
const HELP_BEFORE =
  /(?:contact|assistance|help|mail to|write to|e-?mail|questions? to|report to|postmaster) ?:? ?$/i
const HELPERS = /^(?:postmaster|mailer-daemon|abuse|support|help|helpdesk|noc|admin|hostmaster)@/i
const STATUS = /(?:^|[\s(#[-])([45]\.\d{1,3}\.\d{1,3})(?=[\s);,:>\]-]|$)/
/** A reply code, as opposed to a size or a number of days. */
const SPOKEN =
  /(?:^|[\s:("'#<-])([45][0-5]\d)(?=[ -]+(?!(?:[kmg]i?b|bytes|octets|characters|hours?|days?|messages|recipients)\b)[\S])/i

/** Programs that give the reason before the address. */
const REASON_FIRST: ReadonlySet<string> = new Set(['mfilter', 'notes'])
const MAX_RECIPIENTS = 100

/** Returns the recipients in a bounce; each of several recipients has its own part of the explanation. */
function explained(lines: string, words: string, form: FoundForm, mail: ReturnedMail): RecipientReport[] {
  const headings = [...lines.matchAll(HEADING)].slice(0, MAX_RECIPIENTS)
  const named = headings.filter(([, bracketed, bare]) => !HELPERS.test(bracketed ?? bare ?? ''))
  if (new Set(named.map(([, bracketed, bare]) => bracketed ?? bare)).size < 2) {
    return [readExplanation(words, form, mail)]
  }
  const action = actionOf(words, mail)
  return named.map(({ 0: heading, 1: bracketed, 2: bare = '', index }, at) => {
    const part = onOneLine(lines.slice(index + heading.length, named[at + 1]?.index)).trim()
    return recipientOf(action, bracketed ?? bare, part.length < SHORTEST ? '' : part)
  })
}

function readExplanation(words: string, form: FoundForm, mail: ReturnedMail): RecipientReport {
  const details = words.slice(form.end)
  const found = [...details.matchAll(ADDRESSES)].slice(0, MAX_RECIPIENTS)
  const named = found.find((one) => !isOfHelp(details, one)) ?? found[0]
  const recipient = mail.fields.get('x-failed-recipients')?.split(',', 1)[0]?.trim() || named?.[1]
  // Text before the address is an introduction, and text before a reply describes the route to the replying host.
  const isBefore = named === undefined || REASON_FIRST.has(form.name)
  const rest = isBefore ? details : details.slice(named.index + named[0].length)
  const explanation = rest.trim().length < SHORTEST ? words.slice(form.start) : rest
  return recipientOf(actionOf(words, mail), recipient, explanation)
}

const isOfHelp = (words: string, { index, 1: address = '' }: RegExpExecArray): boolean =>
  HELPERS.test(address) || HELP_BEFORE.test(words.slice(Math.max(0, index - 30), index))

function recipientOf(
  action: RecipientReport['action'],
  recipient: string | undefined,
  explanation: string,
): RecipientReport {
  const quoted = quotedInReport(explanation)
  const status = quoted?.reply.enhanced ?? STATUS.exec(quoted?.reply.text ?? explanation)?.[1]
  return {
    action,
    ...(recipient === undefined
      ? {}
      : {
          finalRecipient: legalText(recipient)
            .replace(/^(?:smtp|rfc-?822)[=:]/i, '')
            .replace(/\.+$/, '')
            .slice(0, 320),
        }),
    ...(status === undefined ? {} : { status }),
    ...saidIn(explanation, quoted),
  }
}

/** The space before a label that looks like a field name; the label begins a new statement. */
const LABEL = / (?=[A-Z][a-z]{1,20}-[A-Z][a-z]{1,20}: )/g

/**
 * Returns the quoted reply in an explanation, from its code on, or the whole explanation without a quoted reply; also
 * returns the command that the reply answered.
 */
function saidIn(
  explanation: string,
  quoted = quotedInReport(explanation),
): Pick<RecipientReport, 'diagnostic' | 'answered'> {
  const said = explanation.slice(quoted?.at).replace(LABEL, '. ')
  const diagnostic = legalText(said).trim().slice(0, MAX_DIAGNOSTIC)
  return {
    ...(diagnostic === '' ? {} : { diagnostic }),
    ...(quoted?.answered === undefined ? {} : { answered: quoted.answered }),
  }
}

const actionOf = (words: string, { fields }: ReturnedMail): 'delayed' | 'failed' =>
  STILL_TRYING.test(words) ||
  /^(?:warning(?!.{0,200}(?:unknown|no such|undeliver|fail|full|quota))|delayed|delay)\b|\((?:delay|delayed)\)|\bdelayed\b/i.test(
    fields.decoded('subject'),
  )
    ? 'delayed'
    : 'failed'
