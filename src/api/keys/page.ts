// A page of the keys or of the SMTP credentials of an account, which the store keeps together.

import type { FastifyRequest } from 'fastify'
import { idCursor, type PageRequest, page } from '../../http/page.ts'
import type { Clock } from '../../lib/clock.ts'
import { type KeyFilter, listKeyPage } from '../../store/access/key-reads.ts'
import { reading, type Store } from '../../store/database/store.ts'
import { callerOf } from '../caller.ts'
import { permittedDomain } from '../domain-of-request.ts'

/** Query of a list of keys; `domain` names a domain of the keys, by name or ID. */
interface KeyListQuery extends Pick<KeyFilter, 'name' | 'status'>, PageRequest {
  readonly domain?: string
}

/**
 * Returns the keys that a query selects and the caller may see, newest first. Throws `domain_not_permitted` and
 * `not_found` for the domain of the query.
 *
 * @param idPrefix prefix of the IDs of these kinds of keys
 */
export async function keyPage(
  { store: { read }, clock }: { readonly store: Store; readonly clock: Clock },
  request: FastifyRequest,
  { domain: named, name, status, ...paging }: KeyListQuery,
  kinds: KeyFilter['kinds'],
  idPrefix: 'key' | 'smtp',
) {
  const caller = callerOf(request)
  const { accountId, domains: within } = caller
  const domain = named === undefined ? undefined : await permittedDomain(read, caller, named)
  const filter = { kinds, domainId: domain?.id, name, status, now: clock.now(), within }
  return page(
    paging,
    idCursor(idPrefix),
    (limit, cursor) => reading(listKeyPage(read, accountId, filter, limit, cursor)),
    ({ id }) => id,
    (key) => key,
  )
}
