// Classifies a delivery report for the recipient to whose return path the report came, as a pure function.

import type { Action, DeliveryReport, RecipientReport } from '../dsn/report.ts'
import { type QuotedReply, quotedInReport } from '../model/quoted-reply.ts'
import type { Reply } from '../model/reply.ts'
import { meaningOf, type ReplyMeaning } from '../smtp/reply-meaning.ts'
import type { AsynchronousBounce } from '../store/queue/bounces.ts'

/**
 * `delayed`: the host keeps trying; `arrived`: the message was delivered or relayed to a host that sends no reports.
 */
export type Classified = AsynchronousBounce | { readonly type: 'delayed' | 'arrived' }

/**
 * Classifies a report for the recipient with this address. The return path has already proved that the report is about
 * this recipient.
 */
export function classify(report: DeliveryReport, email: string): Classified {
  const said = reportOn(report.recipients, email)
  switch (said?.action) {
    case 'failed': {
      const bounce = asynchronousBounce(said)
      // Anybody who writes to the return path can write or quote the words of a bounce.
      return { ...bounce, hard: bounce.hard && report.isOfMailSystem }
    }
    case 'delayed':
      return { type: 'delayed' }
    default:
      return { type: 'arrived' }
  }
}

/**
 * Returns the part of a report that decides the result, regardless of the order of the parts: an alias causes one part
 * for each of its addresses (RFC 3464 §2.3). A failure takes precedence among the parts with this address as the final
 * recipient. An arrival takes precedence among the parts with this address as the original recipient. A failure takes
 * precedence if no part names the address.
 */
function reportOn(recipients: readonly RecipientReport[], email: string): RecipientReport | undefined {
  const wanted = email.toLowerCase()
  const about = (name: 'finalRecipient' | 'originalRecipient') =>
    recipients.filter((one) => one[name]?.toLowerCase() === wanted)
  const first = (of: readonly RecipientReport[], ...kinds: readonly ('failed' | 'arrived')[]) =>
    kinds.map((kind) => of.find(({ action }) => kindOf(action) === kind)).find((one) => one !== undefined) ??
    of[0]
  return (
    first(about('finalRecipient'), 'failed', 'arrived') ??
    first(about('originalRecipient'), 'arrived', 'failed') ??
    first(recipients, 'failed')
  )
}

const kindOf = (action: Action): 'failed' | 'delayed' | 'arrived' =>
  action === 'failed' || action === 'delayed' ? action : 'arrived'

function asynchronousBounce(said: RecipientReport): AsynchronousBounce {
  const quoted = quotedInReport(said.diagnostic ?? '')
  const { category, hard } = meaningOfReport(said, quoted)
  return {
    type: 'bounced',
    category,
    hard,
    reason: 'The receiving side took the message, and reported later that it could not be delivered.',
    smtpCode: quoted?.reply.code,
    diagnostic: said.diagnostic ?? said.status,
    mx: said.remoteMta?.split(/[\s(]/, 1)[0]?.replace(/\.$/, '') || undefined,
    finalRecipient: said.finalRecipient,
  }
}

type Meaning = Pick<ReplyMeaning, 'category' | 'hard'>

/**
 * Returns the meaning of the reply that a report quotes, otherwise the meaning of its status. A status that the
 * reporter derived from a reply without an enhanced code is a guess and makes no bounce hard. The status of a missing
 * domain is an exception, because the reporter knows the status from its own DNS lookup.
 */
function meaningOfReport(said: RecipientReport, quoted: QuotedReply | undefined): Meaning {
  // A reporter that does not know the cause writes the status 5.0.0 (RFC 3463 §3.1).
  const status = said.status === undefined || said.status.endsWith('.0.0') ? {} : { enhanced: said.status }
  if (quoted === undefined) {
    const code = said.status?.startsWith('4') ? 450 : 550
    return meaningOfQuoted({ code, ...status, text: said.diagnostic ?? '' }, said.answered)
  }
  const { reply } = quoted
  const answered = quoted.answered ?? said.answered
  const read = meaningOfQuoted({ ...status, ...reply }, answered)
  if (!read.hard || read.category === 'domain_invalid' || reply.enhanced !== undefined) return read
  return { ...read, hard: meaningOfQuoted(reply, answered).hard }
}

/**
 * Returns the meaning of a quoted reply. Few reports name the command that the reply answered. A reply to an unnamed
 * command may be about the content, so the bounce is hard only if the reply names the mailbox; a reply without a
 * meaning after DATA is read as a reply to RCPT, and the bounce is soft. A reply about the route to the domain (RFC
 * 3463 §3.5, X.4.4) means the same after any command.
 */
function meaningOfQuoted(reply: Reply, answered: RecipientReport['answered']): Meaning {
  if (answered !== undefined) return meaningOf({ stage: answered, reply })
  if (reply.enhanced?.endsWith('.4.4')) return meaningOf({ stage: 'rcpt', reply })
  const afterData = meaningOf({ stage: 'end-of-data', reply })
  if (afterData.category !== 'other') return afterData
  return { ...meaningOf({ stage: 'rcpt', reply }), hard: false }
}
