// Tag lists, the syntax of DKIM and DMARC records.

/** Parses a tag list (RFC 6376 §3.2), ignoring white space; a later tag replaces an earlier tag of the same name. */
export function tags(value: string): Map<string, string> {
  const pairs = value.replace(/\s/g, '').split(';')
  return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}
