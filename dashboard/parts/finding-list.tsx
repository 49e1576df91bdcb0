// The findings of the check of a message: severity, place, meaning and the mail programs that they concern.

import { Text } from '@mantine/core'
import { queryOptions } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { CheckView } from '../../src/api/contract/guard.ts'
import { path, post } from '../client.ts'
import { findings as words } from '../texts/en/findings.ts'
import { fill } from '../texts/texts.ts'
import { StatusBadge, type Tone } from './status-badge.tsx'

export type Finding = Static<typeof CheckView>['findings'][number]

/** Parts of a message to check. */
export interface CheckedParts {
  readonly subject?: string | undefined
  readonly html?: string | undefined
  readonly text?: string | undefined
  readonly stream?: string | undefined
  /** True for the source of a template. */
  readonly unrendered?: boolean
}

/** Returns the query for the findings of a message; undefined parts are not checked. */
export const findingsQuery = (domainId: string, parts: CheckedParts | undefined) =>
  queryOptions({
    queryKey: ['domains', domainId, 'check', parts],
    queryFn: async () =>
      (await post<Static<typeof CheckView>>(path`/api/domains/${domainId}/check`, parts)).findings,
    enabled: parts !== undefined && Boolean(parts.html || parts.text),
    gcTime: 10_000,
  })

const TONES: Readonly<Record<Finding['severity'], Tone>> = {
  error: 'bad',
  warning: 'waiting',
  hint: 'quiet',
}

const PARTS: Readonly<Record<string, string>> = {
  html: words.html,
  text: words.text,
  subject: words.subject,
}

export function FindingList({ findings }: { readonly findings: readonly Finding[] }) {
  if (findings.length === 0) return <Text c="dimmed">{words.none}</Text>
  return (
    <ul className="findings">
      {findings.map((one) => (
        <li key={`${one.code} ${one.path} ${one.line} ${one.column} ${one.message}`}>
          <StatusBadge status={one.severity} label={words[one.severity]} tone={TONES[one.severity]} />
          <div>
            {words.codes[one.code]} {placeOf(one)}
            {one.clients !== undefined && ` ${fill(words.clients, { clients: one.clients.join(', ') })}`}
            {one.excerpt !== undefined && one.excerpt !== '' && (
              <code className="finding-excerpt">{one.excerpt}</code>
            )}
          </div>
        </li>
      ))}
    </ul>
  )
}

function placeOf({ path: place, line, column }: Finding): string {
  const part = PARTS[place]
  if (line === undefined || part === undefined) return ''
  return `${fill(words.place, { line, column: column ?? 1, part })}.`
}
