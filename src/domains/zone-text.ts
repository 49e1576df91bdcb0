// Formats the DNS records of a domain as a zone file (RFC 1035 §5.1).

import { type RecordKind, recordKind } from '../model/domain.ts'
import type { Domain, DomainRecord } from '../store/domains/domain-rows.ts'

const TTL = 3600
/** Maximum number of bytes of one string in a TXT record (RFC 1035 §3.3). */
const MAX_STRING = 255

const MEANS: Record<RecordKind, string> = {
  dkim_rsa: 'DKIM, required',
  return_path: 'Return-Path, required',
  dkim_ed25519: 'DKIM with Ed25519',
  dmarc: 'DMARC; keep your own policy if you have one',
  tracking: 'tracking of opens and clicks; needed only where they are tracked',
  dkim_rsa_next: 'DKIM, the new key',
  dkim_ed25519_next: 'DKIM with Ed25519, the new key',
  dkim_rsa_old: 'DKIM, the old key; until it is retired',
  dkim_ed25519_old: 'DKIM with Ed25519, the old key; until it is retired',
  inbound_mx: 'optional: mail for inbound streams; replaces the existing MX records',
  mta_sts_host: 'optional: the host that serves the MTA-STS policy of inbound mail',
  mta_sts: 'optional: MTA-STS of inbound mail',
  tls_report: 'optional: reports of senders about TLS',
  claim: 'proof that the domain is yours; no longer needed after the domain is verified',
}

/** Returns the DNS records of a domain in zone-file format. Leaves out the DMARC record if one is already published. */
export function zoneText(domain: Pick<Domain, 'name'>, records: readonly DomainRecord[]): string {
  const lines = records
    .filter(({ purpose, status }) => purpose !== 'dmarc' || status !== 'found')
    .flatMap((record) => [
      `; ${MEANS[recordKind(record.purpose)]}`,
      // An MX record of the domain itself is commented out, because an import would redirect all mail of the domain.
      `${record.type === 'MX' && record.name === domain.name ? '; ' : ''}${record.name}.\t${TTL}\tIN\t${record.type}\t${record.type === 'TXT' ? quoted(record.value) : `${record.value}.`}`,
    ])
  return [`; DNS records of ${domain.name}`, ...lines, ''].join('\n')
}

function quoted(value: string): string {
  const parts = value.match(new RegExp(`.{1,${MAX_STRING}}`, 'g')) ?? ['']
  return parts.map((part) => `"${part.replace(/["\\]/g, '\\$&')}"`).join(' ')
}
