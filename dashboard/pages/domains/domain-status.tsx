// Badge with the status of a domain.

import { StatusBadge } from '../../parts/status-badge.tsx'
import { domains as words } from '../../texts/en/domains.ts'
import type { Domain } from './calls.ts'

export function DomainStatus({ domain }: { readonly domain: Pick<Domain, 'status' | 'flagged_at'> }) {
  if (domain.status === 'verified' && domain.flagged_at !== null) {
    return <StatusBadge status="flagged" label={words.recordsMissing} tone="bad" />
  }
  return <StatusBadge status={domain.status} />
}
