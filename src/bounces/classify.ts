// Decides what a delivery report means for the recipient whose return path it came to: one pure policy.

import type { Action, DeliveryReport, RecipientReport } from '../dsn/report.ts'
import { type QuotedReply, quotedInReport } from '../model/quoted-reply.ts'
import type { Reply } from '../model/reply.ts'
import { meaningOf, type ReplyMeaning } from '../smtp/reply-meaning.ts'
import type { AsynchronousBounce } from '../store/inbound/bounces.ts'

/** `delayed`: it is still being tried; `arrived`: it was delivered, or passed on to where no reports come from. */
export type Classified = AsynchronousBounce | { readonly type: 'delayed' | 'arrived' }

/**
 * Decides what a report means for the recipient with this address. The return path has shown already that it is about
 * them.
 */
export function classify(report: DeliveryReport, email: string): Classified {
  const said = reportOn(report.recipients, email)
  switch (said?.action) {
    case 'failed': {
      const bounce = asynchronousBounce(said)
      // Anybody who answers to the return path can write or quote the words of a bounce.
      return { ...bounce, hard: bounce.hard && report.isOfMailSystem }
    }
    case 'delayed':
      return { type: 'delayed' }
    default:
      return { type: 'arrived' }
  }
}

/**
 * The part that decides, whatever their order (RFC 3464 §2.3 has one for each address that an alias led to): of those about
 * the address itself one that failed; of those that it led to one that arrived; else, where none names it, one that failed.
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
 * Meaning of a report: of the reply that it quotes, without the host that is named before it, else of its status. The
 * status that a reporter made of a reply without one is its guess, and makes nothing certain but what it knows itself:
 * that there is no such domain.
 */
function meaningOfReport(said: RecipientReport, quoted: QuotedReply | undefined): Meaning {
  // RFC 3463 §3.1; 5.0.0 is what a reporter writes who does not know.
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
 * Meaning of a quoted reply. Few reports tell at which command it was given: it may then be about the content, so that
 * only a reply that names the mailbox is hard, and one that has no meaning after DATA is read as an answer to RCPT. A
 * reply about the way to the domain (RFC 3463 §3.5, X.4.4) is the same after any command.
 */
function meaningOfQuoted(reply: Reply, answered: RecipientReport['answered']): Meaning {
  if (answered !== undefined) return meaningOf({ stage: answered, reply })
  if (reply.enhanced?.endsWith('.4.4')) return meaningOf({ stage: 'rcpt', reply })
  const afterData = meaningOf({ stage: 'end-of-data', reply })
  if (afterData.category !== 'other') return afterData
  return { ...meaningOf({ stage: 'rcpt', reply }), hard: false }
}
