// Parses the URL of a PostgreSQL database, which may name several hosts, as in libpq.

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s
/** Accepted values of `target_session_attrs`; a read-only host would be useless, because every node writes. */
const WRITABLE = /^(read-write|primary)$/

/**
 * Returns one URL for each host of `postgres://user:password@one:5432,two:5433/name?target_session_attrs=read-write`,
 * in the order of the hosts. Throws an `Error` for an invalid URL; the message is a phrase without the password.
 * @see PostgreSQL, libpq, 32.1.1.3 "Specifying Multiple Hosts"
 */
export function hostUrls(url: string): string[] {
  const [, before, hosts, after] = PARTS.exec(url) ?? []
  if (before === undefined || hosts === undefined)
    throw new Error('must be a URL that begins with postgres:// or postgresql://')
  const urls = hosts.split(',').map((host) => `${before}${host}${after}`)
  const [first] = urls
  if (
    first === undefined ||
    !urls.every((one) => URL.canParse(one)) ||
    (urls.length > 1 && /(^|,)(,|$)/.test(hosts))
  )
    throw new Error('must name its hosts as one:5432 or one:5432,two:5432')
  const wanted = new URL(first).searchParams.get('target_session_attrs') ?? 'read-write'
  if (!WRITABLE.test(wanted))
    throw new Error('must have target_session_attrs=read-write, or none: every node writes')
  return urls
}

/** Returns the host and port of a URL with a single host, for display. */
export function hostOf(url: string): string {
  const { host, searchParams } = new URL(url)
  return host || searchParams.get('host') || 'localhost'
}
