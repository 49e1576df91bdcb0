// postrider domain retention: sets how long the messages of a domain are kept.

import type { DomainView } from '../api/contract/domain.ts'
import { Problem } from '../model/problem.ts'
import {
  inWords,
  type Retention,
  type RetentionKind,
  retentionSource,
  shortened,
} from '../model/retention.ts'
import { pathOf } from './api.ts'
import type { Answer, Context } from './command.ts'
import { withApi } from './open.ts'
import { table } from './text.ts'

/** Inputs of `domain retention`: number of days, null to inherit, undefined for no change. */
export interface RetentionChoice {
  readonly domain: string
  readonly contents: number | null | undefined
  readonly transcripts: number | null | undefined
  readonly records: number | null | undefined
  readonly account: string | undefined
}

const WORDS: Readonly<Record<RetentionKind, string>> = {
  content: 'contents',
  transcript: 'transcripts',
  record: 'records',
}

/** Sources of a retention, as the command prints them in its table. */
const SOURCES = { own: 'domain', above: 'installation', record: WORDS.record } as const

const DAY_MS = 86_400_000

/** Returns a refusal whose errors name the options of this command, in its words. */
function inOurWords(error: unknown): unknown {
  if (!(error instanceof Problem) || error.errors.length === 0) return error
  const errors = error.errors.map((problem) => {
    const option = WORDS[problem.path.replace('_retention_days', '') as RetentionKind]
    if (option === undefined) return problem
    const message = `--${option}: ${problem.message.replace('or null for', 'or inherit for')}`
    return { ...problem, path: option, message }
  })
  return new Problem(error.code, errors.map(({ message }) => message).join(' '), { errors })
}

export function retention(context: Context, given: RetentionChoice): Promise<Answer> {
  return withApi(context, given.account, async (api) => {
    const path = pathOf`/v1/domains/${given.domain}`
    const { contents, transcripts, records } = given
    const changes = {
      ...(contents === undefined ? {} : { content_retention_days: contents }),
      ...(transcripts === undefined ? {} : { transcript_retention_days: transcripts }),
      ...(records === undefined ? {} : { record_retention_days: records }),
    }
    const domain = await (Object.keys(changes).length === 0
      ? api.get<DomainView>(path)
      : api.patch<DomainView>(path, changes).catch((error: unknown) => {
          throw inOurWords(error)
        }))
    const installation = retentionOf(domain)
    const kept = shortened(installation, domain)
    const rows = (Object.keys(WORDS) as RetentionKind[]).map((kind) => {
      const source = SOURCES[retentionSource(kind, installation, domain)]
      return [WORDS[kind], inWords(kept[kind]), source]
    })
    return { document: domain, text: table([domain.domain, 'kept for', 'set by'], rows, '') }
  })
}

/** Returns the retention of the installation, in milliseconds. */
function retentionOf({ installation_retention_days: days }: DomainView): Retention {
  return {
    content: days.content_retention_days * DAY_MS,
    transcript: days.transcript_retention_days * DAY_MS,
    record: days.record_retention_days * DAY_MS,
  }
}
