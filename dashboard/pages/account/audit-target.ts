// Page of what an entry of the audit log is about.

import type { AuditEntry } from './calls.ts'

/** Places in the workspace of a domain by the kind of an ID; those with a page of their own end with a slash. */
const IN_WORKSPACE: Readonly<Record<string, string>> = {
  msg: 'messages/',
  blk: 'bulk/',
  tpl: 'templates/',
  lay: 'layouts/',
  whk: 'webhooks/',
  key: 'keys',
  smtp: 'smtp',
}

/** Places beside the workspaces. */
const BESIDE: Readonly<Record<string, string>> = {
  ver: '/verification/lists/',
  usr: '/account/users',
  inv: '/account/users',
}

/**
 * Address of the page of what was changed; undefined where there is none, or no longer.
 *
 * @param domains IDs of the domains of the account, by their names
 */
export function targetAddress(
  { target, action, detail }: Pick<AuditEntry, 'target' | 'action' | 'detail'>,
  domains: ReadonlyMap<string, string>,
): string | undefined {
  const kind = /^([a-z]{3,4})_[0-9A-Z]{26}$/.exec(target ?? '')?.[1] ?? ''
  if (target === null || /\.(delete|remove)$/.test(action)) return undefined
  if (kind === 'dom') return [...domains.values()].includes(target) ? `/domains/${target}/dns` : undefined
  const beside = BESIDE[kind]
  if (beside !== undefined) return beside.endsWith('/') ? `${beside}${target}` : beside
  const part = IN_WORKSPACE[kind]
  const domain = domains.get(String(detail.domain))
  // The activity of a message leads on to it.
  if (kind === 'msg' && domain === undefined) return `/activity?search=${target}`
  if (part === undefined || domain === undefined) return undefined
  return `/domains/${domain}/${part}${part.endsWith('/') ? target : ''}`
}
