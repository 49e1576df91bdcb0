// Finds the provider that a reporting organization of DMARC reports stands for.

import { espOf } from './esp.ts'

/** Providers by the name that their reports give as organization, in lower case. */
const BY_NAME: ReadonlyMap<string, string> = new Map([
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
  return BY_NAME.get(name) ?? (name.includes('.') ? espOf(name)?.name : undefined)
}
