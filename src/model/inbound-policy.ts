// MTA-STS of inbound hosts (RFC 8461): the mode that a domain chooses, the policy that is served, and the DNS records.

import { createHash } from 'node:crypto'

/**
 * Modes of MTA-STS for the inbound hosts of a domain. `off`: no policy is served; `testing`: senders deliver in any case
 * and report failures; `enforce`: senders deliver only over verified TLS to the named host; `none`: senders forget an
 * earlier policy, which has to precede `off` (RFC 8461 §8.3).
 */
export const MTA_STS_MODES = ['off', 'testing', 'enforce', 'none'] as const
export type InboundMtaSts = (typeof MTA_STS_MODES)[number]

/** Time in seconds for which senders keep a policy. Only a policy in force is kept for longer than a day. */
const MAX_AGE = { testing: 86_400, enforce: 7 * 86_400, none: 86_400 } as const

/**
 * Returns the policy of an inbound host, whose only mail host is `mx`; undefined for a host without a policy (RFC 8461
 * §3.2).
 */
export function inboundPolicy(mode: InboundMtaSts, mx: string): string | undefined {
  if (mode === 'off') return undefined
  const hosts = mode === 'none' ? [] : [`mx: ${mx}`]
  return ['version: STSv1', `mode: ${mode}`, ...hosts, `max_age: ${MAX_AGE[mode]}`, ''].join('\n')
}

/** Host that serves the policy of an inbound host (RFC 8461 §3.3). */
const policyHostOf = (inboundHost: string): string => `mta-sts.${inboundHost}`

/** Returns the inbound host of a policy host; undefined for any other host. */
export const inboundHostOf = (policyHost: string): string | undefined =>
  /^mta-sts\.(.+)$/i.exec(policyHost)?.[1]?.toLowerCase()

/** Hosts and addresses in the DNS records of inbound hosts. */
export interface InboundMx {
  /** The host that receives inbound mail. */
  readonly host: string
  /** True if the DNS answers with this host for every domain, as the DNS of the playground does. */
  readonly isPublished: boolean
  /** The host that serves policies: the target of the CNAME records of policy hosts. */
  readonly policyTarget: string
  /** Address for TLS reports about the domain. */
  readonly reportAddress: string
}

/** A DNS record that belongs to an inbound host. */
export interface InboundRecord {
  readonly kind: 'inbound_mx' | 'mta_sts' | 'mta_sts_host' | 'tls_report'
  readonly type: 'MX' | 'TXT' | 'CNAME'
  readonly name: string
  readonly value: string
}

/** Returns the DNS records of an inbound host: its MX record, and the records of its policy. */
export function inboundRecords(host: string, mode: InboundMtaSts, mx: InboundMx): InboundRecord[] {
  const exchange: InboundRecord = { kind: 'inbound_mx', type: 'MX', name: host, value: `10 ${mx.host}` }
  const policy = inboundPolicy(mode, mx.host)
  if (policy === undefined) return [exchange]
  // Senders fetch the policy again when the ID changes (RFC 8461 §3.1), so the ID depends on the policy.
  const id = createHash('sha256').update(policy).digest('hex').slice(0, 20)
  return [
    exchange,
    { kind: 'mta_sts_host', type: 'CNAME', name: policyHostOf(host), value: mx.policyTarget },
    { kind: 'mta_sts', type: 'TXT', name: `_mta-sts.${host}`, value: `v=STSv1; id=${id};` },
    {
      ...{ kind: 'tls_report', type: 'TXT', name: `_smtp._tls.${host}` },
      value: `v=TLSRPTv1; rua=mailto:${mx.reportAddress}`,
    },
  ]
}
