// Reads the record by which a domain asks for TLS reports (RFC 8460 §3), and the addresses of the record.

import { isAddress, parseAddress } from '../model/address.ts'

/** An address for reports: a mail address, or the URL of a web server. */
export type ReportAddress =
  | { readonly kind: 'mail'; readonly uri: string; readonly email: string }
  | { readonly kind: 'https'; readonly uri: string; readonly url: URL }

/** Number of addresses of one record that get the report. */
export const MAX_ADDRESSES = 5
/** Number of URIs of one record that are read; the rest of a longer list is ignored. */
const MAX_URIS = 100
const MAX_RECORD = 8_192
/** Maximum length of a URI, because the URI is the name of a row in the store. */
const MAX_URI = 500

/** Returns the name at which a domain publishes its record. */
export const tlsReportRecordName = (domain: string): string => `_smtp._tls.${domain}`

/**
 * Returns the addresses for reports of a domain from the TXT records of `_smtp._tls.<domain>`, each address once. The
 * list is empty if there is no record, more than one record, or no usable address.
 */
export function readReportRecord(texts: readonly string[]): readonly ReportAddress[] {
  const records = texts.filter((text) => /^v=TLSRPTv1[ \t]*;/.test(text))
  // A domain with several records wants no reports (RFC 8460 §3).
  if (records.length !== 1) return []
  const fields = records[0]!.slice(0, MAX_RECORD).split(';').slice(1)
  const rua = fields.flatMap((field) => /^[ \t]*rua[ \t]*=(.*)$/s.exec(field)?.[1] ?? [])[0] ?? ''
  const found = new Map<string, ReportAddress>()
  for (const uri of rua.split(',').slice(0, MAX_URIS)) {
    const address = readReportAddress(uri.trim())
    if (address !== undefined) found.set(address.uri, address)
    if (found.size === MAX_ADDRESSES) break
  }
  return [...found.values()]
}

/** Reads one URI; undefined for a URI that is neither a mail address nor an https URL. */
export function readReportAddress(uri: string): ReportAddress | undefined {
  if (uri === '' || uri.length > MAX_URI) return undefined
  if (/^mailto:/i.test(uri)) return mailAddress(uri.slice('mailto:'.length))
  if (!/^https:/i.test(uri) || !URL.canParse(uri)) return undefined
  const url = new URL(uri)
  url.hash = ''
  if (url.username !== '' || url.password !== '' || url.href.length > MAX_URI) return undefined
  return { kind: 'https', uri: url.href, url }
}

/** Reads the address of a mailto URI; header fields in the URI are ignored (RFC 6068 §2). */
function mailAddress(rest: string): ReportAddress | undefined {
  let text: string
  try {
    text = decodeURIComponent(rest.replace(/\?.*$/s, ''))
  } catch {
    return undefined
  }
  const address = parseAddress(text)
  if (!isAddress(address)) return undefined
  return { kind: 'mail', uri: `mailto:${address.email}`, email: address.email }
}
