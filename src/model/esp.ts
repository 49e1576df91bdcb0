// Finds the provider of a mail host by the longest known suffix of the host name.

import { ESP_SUFFIXES, type EspKind } from './esp-suffixes.ts'

export interface Esp {
  /** Common name of the provider, such as `Google Workspace`, `Outlook.com` or `Mimecast`. */
  readonly name: string
  readonly kind: EspKind
}

const BY_SUFFIX: ReadonlyMap<string, Esp> = new Map(
  Object.entries(ESP_SUFFIXES).flatMap(([kind, providers]) =>
    Object.entries(providers).flatMap(([name, suffixes]) =>
      suffixes
        .trim()
        .split(/\s+/)
        .map((suffix): [string, Esp] => [suffix, { name, kind: kind as EspKind }]),
    ),
  ),
)

/** Patterns for the suffixes with a wildcard label. */
const BY_PATTERN = [...BY_SUFFIX]
  .filter(([suffix]) => suffix.includes('*'))
  .map(([suffix, esp]) => ({
    pattern: new RegExp(`^${suffix.replaceAll('.', '\\.').replace('*', '[^.]+')}$`),
    esp,
  }))

/**
 * Returns the provider of a mail host, case-insensitive and with or without a trailing dot; undefined for an unknown
 * host.
 */
export function espOf(host: string): Esp | undefined {
  let ending = host.toLowerCase().replace(/\.$/, '')
  for (;;) {
    const found = BY_SUFFIX.get(ending) ?? BY_PATTERN.find(({ pattern }) => pattern.test(ending))?.esp
    const dot = ending.indexOf('.')
    if (found !== undefined || dot < 0) return found
    ending = ending.slice(dot + 1)
  }
}

/** Consumer providers whose hosts refuse unknown mailboxes, so that no catch-all probe is needed. */
const NEVER_CATCH_ALL = new Set(['Gmail', 'Outlook.com', 'GMX', 'WEB.DE'])

/** True if this provider is known not to accept mail for every local part. */
export const isNeverCatchAll = (esp: Esp | undefined): boolean =>
  esp !== undefined && NEVER_CATCH_ALL.has(esp.name)

/** Providers by the name that their reports give as organization, in lower case. */
const BY_REPORTER: ReadonlyMap<string, string> = new Map([
  ['google.com', 'Gmail'],
  ['google inc.', 'Gmail'],
  ['yahoo', 'Yahoo'],
  ['yahoo!', 'Yahoo'],
  ['yahoo inc.', 'Yahoo'],
  ['yahoo! inc.', 'Yahoo'],
  ['aol', 'Yahoo'],
  ['outlook.com', 'Outlook.com'],
  ['microsoft corp.', 'Outlook.com'],
  ['enterprise outlook', 'Microsoft 365'],
])

/**
 * Returns the provider of a reporting organization, named as in `esp`; undefined for an unknown organization. Google
 * reports about Gmail and Google Workspace together, as `Gmail`.
 */
export const providerOfReporter = (organization: string): string | undefined => {
  const name = organization.trim().toLowerCase()
  return BY_REPORTER.get(name) ?? (name.includes('.') ? espOf(name)?.name : undefined)
}
