// Shows a domain with its records and its history as the answer of an endpoint.

import type { FastifyRequest } from 'fastify'
import type { SharedLinks } from '../../access/shared-links.ts'
import type { DomainWork } from '../../domains/domain-work.ts'
import type { DomainWithRecords } from '../../domains/domains.ts'
import type { PublicUrl } from '../../lib/public-url.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { listDomainEvents } from '../../store/domains/domain-rows.ts'
import type { AccountVerification } from '../../verification/account-verification.ts'
import { callerOf } from '../caller.ts'
import type { DomainView } from '../contract/domain.ts'
import { domainView } from './view.ts'

const MAX_EVENTS = 20

/** Services that the endpoints of domains use. */
export interface DomainRouteServices {
  readonly read: Read
  readonly domains: DomainWork
  readonly verification: Pick<AccountVerification, 'isMailboxProvider'>
  /** Links to the records of a domain for people without a login. */
  readonly recordLinks: SharedLinks
  readonly publicUrl: PublicUrl
}

/** Returns a domain of the account of the caller with its records and its latest events. */
export async function shownWithRecords(
  { read, domains, verification }: DomainRouteServices,
  request: FastifyRequest,
  found: DomainWithRecords,
): Promise<DomainView> {
  const { account_id, id, name } = found.domain
  const events = await reading(listDomainEvents(read, account_id, id, MAX_EVENTS))
  return domainView(found, {
    events,
    accountStatus: callerOf(request).accountStatus,
    retention: domains.retention,
    mailboxProvider: verification.isMailboxProvider(name),
  })
}
