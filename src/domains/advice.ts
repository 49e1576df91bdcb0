// Advice to a user about a DNS record of a domain: the next step, in one or two sentences.

import { KEY_FOUND_MS, type RecordKind, recordKind } from '../model/domain.ts'
import type { Domain, DomainRecord } from '../store/domains/domain-rows.ts'
import { tags } from './tag-list.ts'

/** Properties of a DNS record on which the advice depends. */
type Shown = Pick<
  DomainRecord,
  'purpose' | 'type' | 'name' | 'value' | 'required' | 'status' | 'found' | 'note' | 'found_since'
>

/** Properties of a domain on which the advice depends. */
type Of = Pick<Domain, 'name' | 'checked_at' | 'rotate_at'>

/** Returns the next step for a DNS record. The text never contains values found in the DNS, which are untrusted. */
export function adviceFor(record: Shown, domain: Of): string {
  if (record.note === 'unanswered') {
    return `The name servers of ${domain.name} did not answer for this name; verify again in a moment, and if it fails again, ask your DNS provider.`
  }
  switch (record.status) {
    case 'found':
      return found(record, domain)
    case 'mismatch':
      return mismatch(record)
    case 'missing':
      return missing(record, domain.name)
    default:
      return publish(record, domain.name)
  }
}

function found({ purpose, note, found_since: since }: Shown, { rotate_at: rotateAt }: Of): string {
  if (note === 'inherited')
    return 'Found at the parent domain; its policy also applies to this domain. Nothing to do.'
  if (purpose.endsWith('_next') && rotateAt !== null && since !== null) {
    return `Found; keep it published. Signing switches to this key by itself when the record has been found for a day, after ${shownTime(since + KEY_FOUND_MS)}.`
  }
  if (purpose.endsWith('_old') && rotateAt !== null) {
    return 'Mail in transit carries signatures of this key. Keep the record; the key is retired by itself eight days after the switch, and the record can be removed then.'
  }
  if (purpose.endsWith('_next')) return 'Found; you can switch signing to this key now.'
  if (purpose.endsWith('_old')) {
    return 'Mail in transit carries signatures of this key. Keep the record for some days, then retire the key and remove the record.'
  }
  return 'Found; nothing to do.'
}

const shownTime = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** Returns the record name without the domain, as most DNS providers expect the name. */
const shortName = (name: string, domain: string): string =>
  name === domain ? '@' : name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : name

function publish({ type, name, purpose }: Shown, domain: string): string {
  const what = `Add ${type === 'MX' ? 'an' : 'a'} ${type} record with this value, named ${shortName(name, domain)} (most DNS providers add ${domain} by themselves).`
  if (type === 'MX') return `${what} All mail to ${name} then comes here.`
  if (purpose === 'claim')
    return `${what} The record proves that you own the domain, which another account has added.`
  return what
}

function missing(record: Shown, domain: string): string {
  const { type, name, note, purpose } = record
  if (note === 'misplaced') {
    return `The record is at ${name}.${domain}, because your DNS provider appends the domain. Enter only ${shortName(name, domain)} as its name.`
  }
  if (purpose.endsWith('_old')) return 'The record is no longer in the DNS; retire the key as well.'
  const add = `There is no ${type} record at ${name}. ${publish(record, domain)}`
  if (purpose === 'dmarc') {
    return `${add} Without it large receivers may refuse the mail, and broadcast streams stay closed.`
  }
  const kind = recordKind(purpose)
  if (kind === 'mta_sts' || kind === 'mta_sts_host')
    return `${add} Senders find the MTA-STS policy only with both records.`
  if (kind === 'tls_report') return `${add} Senders report failures of TLS to this address.`
  if (purpose === 'tracking') return `${add} The record is needed only where opens or clicks are tracked.`
  return `${add} A new record is usually seen within minutes.`
}

function mismatch(record: Shown): string {
  const values = JSON.parse(record.found) as string[]
  if (record.note === 'several') {
    const kind = record.type === 'CNAME' ? 'CNAME' : (TXT_KINDS[recordKind(record.purpose)] ?? 'DKIM')
    return `There are ${values.length} ${kind} records at ${record.name}, and receivers then ignore all of them; keep the right one and remove the others.`
  }
  if (record.type === 'MX') {
    return `Mail to ${record.name} goes elsewhere, because other MX records come first. Make ${record.value} the only MX record with the lowest number when all mail to this host should come to Postrider; until then, use a separate host such as in.${record.name}.`
  }
  switch (recordKind(record.purpose)) {
    case 'return_path':
    case 'tracking':
    case 'mta_sts_host':
      return `The record points elsewhere; change its target to ${record.value}.`
    case 'dmarc':
      return 'The DMARC record has no valid policy, so receivers ignore it; its p, sp and np may be none, quarantine or reject.'
    case 'mta_sts':
      return 'The record has the ID of another policy; change its value to the one shown here, so that senders fetch the policy.'
    case 'tls_report':
      return `The record lacks the address for reports of this domain; add ${tags(record.value).get('rua')} to its rua, after a comma.`
    case 'claim':
      return 'The record belongs to another account or another claim; change its value to the one shown here.'
    default:
      return dkimMismatch(record, values[0] ?? '')
  }
}

/** Names of TXT records of which a name may have one, by purpose; the others are DKIM records. */
const TXT_KINDS: Partial<Record<RecordKind, string>> = {
  dmarc: 'DMARC',
  mta_sts: 'MTA-STS',
  tls_report: 'TLSRPT',
}

function dkimMismatch(record: Shown, value: string): string {
  const wanted = tags(record.value).get('p') ?? ''
  const given = tags(value).get('p') ?? ''
  if (/["\\]/.test(value)) {
    return 'The value of the record contains quotation marks or backslashes; enter the value without these characters.'
  }
  if (given === '')
    return 'The record contains no key (an empty p= revokes a key); change its value to the one shown here.'
  if (given.length < wanted.length && wanted.startsWith(given)) {
    return 'The key is cut off. Enter the whole value; where a field takes 255 characters only, split it into several quoted strings of the same record.'
  }
  return 'The record contains another key; change its value to the one shown here.'
}
