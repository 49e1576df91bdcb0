// Status of a domain, in a word.

import { StatusBadge } from '../../parts/status-badge.tsx'
import type { Domain } from './calls.ts'

export function DomainStatus({ domain }: { readonly domain: Pick<Domain, 'status' | 'flagged_at'> }) {
  if (domain.status === 'verified' && domain.flagged_at !== null) {
    return <StatusBadge status="flagged" label="Records missing" tone="bad" />
  }
  return <StatusBadge status={domain.status} label={LABELS[domain.status]} />
}

const LABELS = { pending: 'Pending', verified: 'Verified', paused: 'Paused' }
