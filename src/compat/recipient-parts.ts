// Divides the recipients of a message of another service into messages with as many recipients as a message may have.

import { LIMITS, type MailboxInput } from '../model/send-request.ts'

/** Recipients of a message by their role. */
export interface Recipients {
  readonly to: readonly MailboxInput[]
  readonly cc: readonly MailboxInput[]
  readonly bcc: readonly MailboxInput[]
}

const ROLES = ['to', 'cc', 'bcc'] as const

/** Returns the recipients in parts; the recipients of one part see each other. At least one part is returned. */
export function recipientParts(recipients: Recipients): Partial<Recipients>[] {
  const { to, cc, bcc } = recipients
  if (to.length + cc.length + bcc.length <= LIMITS.recipients) {
    return [{ to, ...(cc.length === 0 ? {} : { cc }), ...(bcc.length === 0 ? {} : { bcc }) }]
  }
  const all = ROLES.flatMap((role) => recipients[role].map((mailbox) => [role, mailbox] as const))
  const count = Math.ceil(all.length / LIMITS.recipients)
  return Array.from({ length: count }, (_, index) => {
    const some = all.slice(index * LIMITS.recipients, (index + 1) * LIMITS.recipients)
    const byRole = Map.groupBy(some, ([role]) => role)
    const lists = [...byRole].map(([role, entries]) => [role, entries.map(([, mailbox]) => mailbox)])
    return { to: [], ...Object.fromEntries(lists) }
  })
}
