// The URL of a PostgreSQL database, which may name several hosts in the way of libpq.

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s
/** A node writes, so that no other host is of use to it. */
const WRITABLE = /^(read-write|primary)$/

/**
 * One URL for each host of `postgres://user:password@one:5432,two:5433/name?target_session_attrs=read-write`, in their
 * order. Throws an `Error` with a sentence, without the password, for what is not such a URL.
 *
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

/** Host and port of a URL with one host, for people. */
export function hostOf(url: string): string {
  const { host, searchParams } = new URL(url)
  return host || searchParams.get('host') || 'localhost'
}
