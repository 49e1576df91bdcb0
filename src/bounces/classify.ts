// What a delivery report means for the recipient whose return path it came to: one pure policy.

import type { DeliveryReport, RecipientReport } from '../dsn/report.ts'
import type { Reply } from '../model/reply.ts'
import { meaningOf } from '../smtp/reply-meaning.ts'
import type { LateBounce } from '../store/bounces.ts'

/** `delayed`: it is still being tried; `arrived`: it was delivered, or passed on to where no reports come from. */
export type Classified = LateBounce | { readonly type: 'delayed' | 'arrived' }

/** What follows for the recipient with this address. The return path has said already that it is about him. */
export function classify(report: DeliveryReport, email: string): Classified {
  const said = reportOn(report.recipients, email)
  switch (said?.action) {
    case 'failed':
      return lateBounce(said)
    case 'delayed':
      return { type: 'delayed' }
    default:
      return { type: 'arrived' }
  }
}

/** The one that names the address; else, of those that an alias or a forwarding led to, one that failed. */
function reportOn(recipients: readonly RecipientReport[], email: string): RecipientReport | undefined {
  const wanted = email.toLowerCase()
  return (
    recipients.find(({ finalRecipient, originalRecipient }) =>
      [finalRecipient, originalRecipient].some((one) => one?.toLowerCase() === wanted),
    ) ??
    recipients.find(({ action }) => action === 'failed') ??
    recipients[0]
  )
}

function lateBounce(said: RecipientReport): LateBounce {
  const diagnostic = said.diagnostic ?? ''
  const spoken = SPOKEN.exec(diagnostic)
  const reply = replyOf(said.status, spoken, diagnostic)
  // What a DSN says of RCPT it says by quoting the command; everything else may be about the content.
  const stage = /\bRCPT\b/i.test(diagnostic) ? 'rcpt' : 'end-of-data'
  const { category, hard } = meaningOf({ stage, reply })
  return {
    type: 'bounced',
    category,
    hard,
    reason: 'The receiving side took the message, and reported later that it could not be delivered.',
    smtpCode: spoken === null ? undefined : reply.code,
    diagnostic: said.diagnostic ?? said.status,
    mx: said.remoteMta?.split(/[\s(]/, 1)[0]?.replace(/\.$/, '') || undefined,
    finalRecipient: said.finalRecipient,
  }
}

/** A reply that is quoted at the beginning, or behind `said:` and the like. */
const SPOKEN = /(?:^|[:"'(]\s?|said\s)([45]\d\d)(?:[ -]#?([45]\.\d{1,3}\.\d{1,3}))?(?=[\s-]|$)/

/** The reply that the report amounts to: what was quoted, else what the status says (RFC 3463 §3.1). */
function replyOf(status: string | undefined, spoken: RegExpExecArray | null, text: string): Reply {
  const code = spoken === null ? (status?.startsWith('4') ? 450 : 550) : Number(spoken[1])
  // 5.0.0 is what a reporter writes who does not know.
  const enhanced = spoken?.[2] ?? (status?.endsWith('.0.0') ? undefined : status)
  return { code, ...(enhanced === undefined ? {} : { enhanced }), text }
}
