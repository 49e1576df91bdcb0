// Sends the service's own mail by the same way as everybody's, from a domain of the account that operates it.

import { listAccounts } from '../store/accounts.ts'
import { listDomains } from '../store/domains.ts'
import { type Read, reading } from '../store/store.ts'
import type { Submission } from './submit.ts'

/** The account that its rows name: no account's, so that nobody reads a link that is meant for one person. */
const NOBODY = 'installation'

/** Makes the function that sends; it answers false while there is no verified domain, and throws what submitting does. */
export const ownMail =
  (read: Read, submission: Submission) =>
  async ({ to, subject, text }: { to: string; subject: string; text: string }): Promise<boolean> => {
    const [operating] = await reading(listAccounts(read))
    if (operating === undefined || operating.status !== 'active') return false
    const domains = await reading(listDomains(read, operating.id))
    const domain = domains.find(({ status }) => status === 'verified')
    if (domain === undefined) return false
    const request = {
      from: `postrider@${domain.name}`,
      from_name: 'Postrider',
      to: [{ email: to }],
      subject,
      text,
    }
    const sender = {
      keyId: NOBODY,
      accountId: operating.id,
      domainId: domain.id,
      domainName: domain.name,
      domainStatus: domain.status,
      accountStatus: operating.status,
      counted: false,
      keptAs: NOBODY,
    }
    const raw = JSON.stringify(request)
    await submission.submitRequest(sender, { request, raw, shapeProblems: [], idempotencyKey: undefined })
    return true
  }
