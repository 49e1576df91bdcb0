// Finds the domain that a call of another service means, because such a call names no domain.

import type { Static } from 'typebox'
import type { DomainListView } from '../api/contract/domain.ts'
import type { CurrentKey } from '../api/contract/key.ts'
import { Problem } from '../model/problem.ts'
import type { Translation } from './translation.ts'

/** Returns the name of the only domain that the calling key works on; undefined if there are several or none. */
export async function onlyDomain(translation: Translation): Promise<string | undefined> {
  const { body } = await translation.v1<Static<typeof CurrentKey>>('key.get')
  const names = body.domains ?? (await domainsOfAccount(translation))
  return names.length === 1 ? names[0] : undefined
}

/** Returns up to two domains of the account; none if the key may not list domains. */
async function domainsOfAccount(translation: Translation): Promise<readonly string[]> {
  try {
    const { body } = await translation.v1<DomainListView>('domains.list', { query: { limit: 2 } })
    return body.data.map(({ domain }) => domain)
  } catch (error) {
    if (error instanceof Problem && error.code === 'scope_not_permitted') return []
    throw error
  }
}
