// Builds the erasure of an address from a domain.

import type { Erase } from '../api/erasures/erase.ts'
import { erase } from '../operator/erasure.ts'
import type { NodeParts } from './parts.ts'

/** Returns the function that erases an address from a domain. */
export function erasureOf({ config, store, clock }: Pick<NodeParts, 'config' | 'store' | 'clock'>): Erase {
  const resources = { store, clock, webhooksMs: config.webhookRetentionMs, auditMs: config.auditRetentionMs }
  return ({ accountId, domainId }, email) => erase(resources, email, { accountId, domainId })
}
