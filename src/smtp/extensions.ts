// The extensions that a host offers in its EHLO reply.

/** The service extensions of a host that matter to a sender (RFC 5321 §4.1.1.1). */
export interface Extensions {
  /** RFC 2920 */
  readonly pipelining: boolean
  /**
   * Maximum size of a message in bytes (RFC 1870); absent if the host declares no size, or declares 0, which means no
   * fixed limit.
   */
  readonly size?: number
  /** True if SIZE was offered, with or without a limit. */
  readonly sizeOffered: boolean
  /** RFC 6152 */
  readonly eightBitMime: boolean
  /** RFC 6531 */
  readonly smtpUtf8: boolean
  /** RFC 3030 */
  readonly chunking: boolean
  /** RFC 3461 */
  readonly dsn: boolean
  /** RFC 2034 */
  readonly enhancedStatusCodes: boolean
  /** RFC 3207 */
  readonly startTls: boolean
  /** SASL mechanisms in upper case (RFC 4954). */
  readonly authMechanisms: readonly string[]
}

/** Extensions of a host that supports only HELO: none. */
export const noExtensions: Extensions = readExtensions([])

/** Reads the lines of an EHLO reply; the first line is the name and greeting of the host. */
export function readExtensions(lines: readonly string[]): Extensions {
  const offered = new Map<string, string[]>()
  for (const line of lines.slice(1)) {
    // Some old hosts send `AUTH=LOGIN PLAIN` instead of `AUTH LOGIN PLAIN`.
    const [keyword = '', ...parameters] = line
      .trim()
      .toUpperCase()
      .replace(/^AUTH=/, 'AUTH ')
      .split(/\s+/)
    const before = offered.get(keyword)
    if (before === undefined) offered.set(keyword, parameters)
    else for (const one of parameters) before.push(one)
  }
  const size = readSize(offered.get('SIZE')?.[0])
  return {
    pipelining: offered.has('PIPELINING'),
    ...(size === undefined ? {} : { size }),
    sizeOffered: offered.has('SIZE'),
    eightBitMime: offered.has('8BITMIME'),
    smtpUtf8: offered.has('SMTPUTF8'),
    chunking: offered.has('CHUNKING'),
    dsn: offered.has('DSN'),
    enhancedStatusCodes: offered.has('ENHANCEDSTATUSCODES'),
    startTls: offered.has('STARTTLS'),
    authMechanisms: [...new Set(offered.get('AUTH') ?? [])],
  }
}

function readSize(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,15}$/.test(text)) return undefined
  return Number(text) || undefined
}
