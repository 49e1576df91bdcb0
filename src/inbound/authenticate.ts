// Checks SPF, DKIM, DMARC and ARC of a message with mailauth, from the DNS answers that are known so far.

import type { DnsAnswer } from '../dns/resolver.ts'
import type { Authentication } from '../model/inbound-message.ts'

export interface DnsQuestion {
  readonly type: 'TXT' | 'A' | 'AAAA' | 'MX' | 'PTR' | 'CNAME'
  /** Queried name; the name for a PTR record is below `arpa`. */
  readonly name: string
}

/** A DNS question with its answer: records in the form of `node:dns`, or an error code of `node:dns`. */
export interface AnsweredQuestion extends DnsQuestion {
  readonly answer: { readonly records: readonly unknown[] } | { readonly code: string }
}

/** A message to authenticate, with data of the SMTP client. */
export interface AuthenticateJob {
  readonly raw: Uint8Array
  readonly ip: string
  readonly helo: string
  /** Address of MAIL FROM; empty for the null sender. */
  readonly sender: string
  /** Name of this installation, for the Authentication-Results field. */
  readonly host: string
  readonly known: readonly AnsweredQuestion[]
}

/** Results, and the DNS questions without a known answer; the job is repeated with answers to these questions. */
export interface AuthenticateResult {
  readonly authentication: Authentication
  readonly missing: readonly DnsQuestion[]
}

export const questionKey = ({ type, name }: DnsQuestion): string => `${type} ${name.toLowerCase()}`

const TYPES: ReadonlySet<string> = new Set(['TXT', 'A', 'AAAA', 'MX', 'PTR', 'CNAME'])

class DnsError extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/** Authenticates a message in a thread. The first message loads mailauth, which takes about 45 MB of memory. */
export async function authenticateMail({
  raw,
  ip,
  helo,
  sender,
  host,
  known,
}: AuthenticateJob): Promise<AuthenticateResult> {
  const { authenticate } = await import('mailauth')
  const answers = new Map(known.map((one) => [questionKey(one), one.answer]))
  const missing = new Map<string, DnsQuestion>()
  const resolver = async (name: string, type: string): Promise<never> => {
    if (!TYPES.has(type)) throw new DnsError('EBADQUERY')
    const question = { type, name } as DnsQuestion
    const answer = answers.get(questionKey(question))
    if (answer === undefined) missing.set(questionKey(question), question)
    if (answer === undefined || 'code' in answer) throw new DnsError(answer?.code ?? 'ETIMEOUT')
    return answer.records as never
  }
  const found = await authenticate(Buffer.from(raw.buffer, raw.byteOffset, raw.length), {
    ...{ ip, helo, sender, resolver, mta: host, disableBimi: true },
  })
  return { authentication: resultsOf(found), missing: [...missing.values()] }
}

type Found = Awaited<ReturnType<typeof import('mailauth')['authenticate']>>

/** Converts the results of mailauth to the results of this service. */
export function resultsOf({ dkim, headers, ...found }: Found): Authentication {
  const spf = found.spf || undefined
  const dmarc = found.dmarc || undefined
  const arc = found.arc || undefined
  const field = /^Authentication-Results:\s*([\s\S]*?)\r\n(?![ \t])/im.exec(headers)?.[1] ?? ''
  return {
    spf: { result: spf?.status.result || 'none', domain: spf?.domain || null },
    dkim: dkim.results
      .filter(({ signingDomain }) => signingDomain !== undefined)
      .map(({ status, signingDomain, selector, canonBodyLengthLimited }) => ({
        result: status.result,
        domain: signingDomain ?? '',
        selector: selector ?? '',
        aligned: Boolean(status.aligned),
        ...(canonBodyLengthLimited ? { partial: true as const } : {}),
      })),
    dmarc: {
      result: dmarc?.status.result || 'none',
      domain: dmarc?.domain || null,
      policy: dmarc?.policy || null,
    },
    arc: { result: arc?.status.result || 'none' },
    header: field.replace(/\r?\n\s*/g, ' '),
  }
}

/** Returns the authentication results as JSON, in the form that is stored and shown with the message. */
export const storedAuthentication = ({ dkim, ...rest }: Authentication): string =>
  JSON.stringify({
    spf: rest.spf,
    dkim: dkim.map(({ partial: _, ...result }) => result),
    dmarc: rest.dmarc,
    arc: rest.arc,
    header: rest.header,
  } satisfies Authentication)

/** Converts an answer of the resolver to the form of `node:dns`. */
export function answerOf<T>(
  answer: DnsAnswer<readonly T[]>,
  form: (record: T) => unknown,
): AnsweredQuestion['answer'] {
  switch (answer.kind) {
    case 'found':
      return { records: answer.records.map(form) }
    case 'nodata':
      return { code: 'ENODATA' }
    case 'nxdomain':
      return { code: 'ENOTFOUND' }
    case 'failure':
      return { code: answer.code }
  }
}
