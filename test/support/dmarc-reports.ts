// Makes DMARC aggregate reports for tests, in both schemas.

/** A record of a report; the results are those of the aligned checks. */
export interface MadeRow {
  readonly address: string
  readonly messages: number
  readonly dkim: string
  readonly spf: string
  /** Signature of the messages; without one there is no DKIM result. */
  readonly signature?: { readonly domain: string; readonly selector: string }
  /** Result of the signature; default: the aligned result. */
  readonly dkimResult?: string
  /** Domain of the SPF check, whose result is the aligned result unless `spfResult` is given. */
  readonly path?: string
  readonly spfResult?: string
  readonly headerFrom?: string
  readonly disposition?: string
  readonly reason?: string
}

export interface MadeReport {
  readonly domain: string
  readonly rows: readonly MadeRow[]
  readonly submitter?: string
  readonly contact?: string
  readonly id?: string
  /** Day of the report, such as `2026-11-01`. */
  readonly day?: string
  /** End of the period in seconds. */
  readonly end?: number
  readonly schema?: 'rfc7489' | 'rfc9990'
}

/** Returns a report about yesterday with one row of an unknown sender; `mark` is the ID and part of the submitter. */
export const sampleReport = (domain: string, mark: string): string =>
  dmarcXml({
    ...{ domain, id: mark, submitter: `${mark}.example` },
    day: new Date(Date.now() - 86_400_000).toISOString().slice(0, 10),
    rows: [{ address: '192.0.2.99', messages: 2, dkim: 'fail', spf: 'fail' }],
  })

/** Returns a report as XML. */
export function dmarcXml({
  domain,
  rows,
  submitter = 'receiver.test',
  contact = `dmarc@${submitter}`,
  id = '1',
  day = '2026-11-01',
  end,
  schema = 'rfc7489',
}: MadeReport): string {
  const begin = Date.parse(day) / 1000
  const isNew = schema === 'rfc9990'
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    isNew ? '<feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0">' : '<feedback><version>1.0</version>',
    `<report_metadata><org_name>${submitter}</org_name><email>${contact}</email><report_id>${id}</report_id>`,
    `<date_range><begin>${begin}</begin><end>${end ?? begin + 86_399}</end></date_range>`,
    isNew ? '<generator>made 1.0</generator></report_metadata>' : '</report_metadata>',
    `<policy_published><domain>${domain}</domain><p>none</p>`,
    isNew ? '<np>none</np><testing>n</testing></policy_published>' : '<pct>100</pct></policy_published>',
    ...rows.map((row) => record(row, domain)),
    '</feedback>',
    '',
  ].join('\n')
}

function record(row: MadeRow, domain: string): string {
  const { address, messages, dkim, spf, signature, path, headerFrom = domain, disposition = 'none' } = row
  const isSigned = signature !== undefined || row.dkimResult !== undefined
  const { domain: signer = domain, selector = 's' } = signature ?? {}
  return [
    `<record><row><source_ip>${address}</source_ip><count>${messages}</count><policy_evaluated>`,
    `<disposition>${disposition}</disposition><dkim>${dkim}</dkim><spf>${spf}</spf>`,
    row.reason === undefined ? '' : `<reason><type>${row.reason}</type><comment/></reason>`,
    `</policy_evaluated></row><identifiers><header_from>${headerFrom}</header_from></identifiers><auth_results>`,
    isSigned
      ? `<dkim><domain>${signer}</domain><selector>${selector}</selector><result>${row.dkimResult ?? dkim}</result></dkim>`
      : '',
    path === undefined
      ? ''
      : `<spf><domain>${path}</domain><scope>mfrom</scope><result>${row.spfResult ?? spf}</result></spf>`,
    '</auth_results></record>',
  ].join('')
}
