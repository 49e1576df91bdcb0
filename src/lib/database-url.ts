// The URL of a PostgreSQL database, which may name several hosts like libpq.

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s
/** Every node writes, so read-only hosts are of no use. */
const WRITABLE = /^(read-write|primary)$/

/**
 * Returns one URL per host of `postgres://user:password@one:5432,two:5433/name?target_session_attrs=read-write`, in
 * their order. Throws an `Error` with a sentence, without the password, for an invalid URL.
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

/** Returns host and port of a URL with one host, for people. */
export function hostOf(url: string): string {
  const { host, searchParams } = new URL(url)
  return host || searchParams.get('host') || 'localhost'
}
