// postrider domain retention: sets how long the messages of a domain are kept.

import { changeDomain } from '../domains/changes.ts'
import { Problem } from '../model/problem.ts'
import {
  inWords,
  type Retention,
  type RetentionDays,
  type RetentionKind,
  retentionProblems,
  retentionSource,
  shortened,
} from '../model/retention.ts'
import type { Answer, Context } from './command.ts'
import { chooseDomain, withAccount } from './open.ts'
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

/** Refuses the same changes as `changeDomain`, with errors that name the options of this command. */
function requireShorter(changes: Partial<RetentionDays>, installation: Retention): void {
  const errors = retentionProblems(changes, installation, 'installation', 'inherit').map((problem) => {
    const option = WORDS[problem.path.replace('_retention_days', '') as RetentionKind]
    return { ...problem, path: option, message: `--${option}: ${problem.message}` }
  })
  if (errors.length === 0) return
  throw new Problem('validation_failed', errors.map(({ message }) => message).join(' '), { errors })
}

export function retention(context: Context, given: RetentionChoice): Promise<Answer> {
  return withAccount(context, given.account, async ({ config, store, clock, account }) => {
    const found = await chooseDomain(store.read, account, given.domain)
    const installation = {
      content: config.contentRetentionMs,
      transcript: config.transcriptRetentionMs,
      record: config.recordRetentionMs,
    }
    const { contents, transcripts, records } = given
    const changes = {
      ...(contents === undefined ? {} : { content_retention_days: contents }),
      ...(transcripts === undefined ? {} : { transcript_retention_days: transcripts }),
      ...(records === undefined ? {} : { record_retention_days: records }),
    }
    requireShorter(changes, installation)
    const isChange = Object.keys(changes).length > 0
    const domain = isChange
      ? (await changeDomain({ store, clock }, found, changes, installation)).domain
      : found
    const kept = shortened(installation, domain)
    const rows = (Object.keys(WORDS) as RetentionKind[]).map((kind) => {
      const source = SOURCES[retentionSource(kind, installation, domain)]
      return [WORDS[kind], inWords(kept[kind]), source]
    })
    const { content_retention_days, transcript_retention_days, record_retention_days } = domain
    return {
      document: {
        ...{ domain_id: domain.id, domain: domain.name },
        ...{ content_retention_days, transcript_retention_days, record_retention_days },
      },
      text: table([domain.name, 'kept for', 'set by'], rows, ''),
    }
  })
}
