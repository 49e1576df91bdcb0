// The provider behind a mail host, by the longest known ending of its name.

import { ESP_SUFFIXES, type EspKind } from './esp-suffixes.ts'

export interface Esp {
  /** As people call it: `Google Workspace`, `Outlook.com`, `Mimecast`. */
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

/** The provider of a mail host; undefined when it is nobody known. `host` in any case, with or without a final dot. */
export function espOf(host: string): Esp | undefined {
  const labels = host.toLowerCase().replace(/\.$/, '').split('.')
  for (let from = 0; from < labels.length; from++) {
    const [first, , ...rest] = labels.slice(from)
    const found =
      BY_SUFFIX.get(labels.slice(from).join('.')) ?? BY_SUFFIX.get([first, '*', ...rest].join('.'))
    if (found !== undefined) return found
  }
  return undefined
}

/** Consumer hosts that refuse unknown mailboxes, so that a random one need not be tried there. */
const NEVER_CATCH_ALL = new Set(['Gmail', 'Outlook.com', 'GMX', 'WEB.DE'])

/** Whether this provider is known not to take mail for any name. */
export const isNeverCatchAll = (esp: Esp | undefined): boolean =>
  esp !== undefined && NEVER_CATCH_ALL.has(esp.name)
