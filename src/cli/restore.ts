// postrider restore: creates a store from a backup, and ensures that no message is sent twice.

import { appendFile, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { loadConfig } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import { timeOfId } from '../lib/ids.ts'
import { giveToOwnerOf, makeDirectory } from '../lib/whole-file.ts'
import { Problem } from '../model/problem.ts'
import { type AfterRestore, type Holding, settleRestored } from '../operator/after-restore.ts'
import { requireRestorable, restoreDatabase } from '../store/database/restore.ts'
import type { Read } from '../store/database/store.ts'
import { lookAtStore, type StorePlace } from '../store/database/unopened.ts'
import { DELIVERED_JOURNAL } from '../store/queue/outcomes.ts'
import { newestMessage } from '../store/queue/restored.ts'
import type { Answer, Context } from './command.ts'
import { withStore } from './open.ts'
import { UsageError } from './parse.ts'
import { whileStopped } from './stopped.ts'
import { counted } from './text.ts'

/** Inputs of `restore`. */
export interface Restoring {
  readonly file: string | undefined
  readonly previous: string | undefined
  readonly 'hold-queue': boolean
  readonly resend: boolean
}

export async function restore(context: Context, given: Restoring): Promise<Answer> {
  const { file, previous, resend, 'hold-queue': holdQueue } = given
  if (resend && holdQueue) throw new UsageError('--resend and --hold-queue cannot be combined', 'restore')
  const holding: Holding = resend ? 'none' : holdQueue ? 'all' : 'unknown'
  const config = loadConfig(context.env)
  if (config.databaseUrl === undefined && file !== undefined) await requireRestorable(file, config.dataDir)
  if (config.databaseUrl !== undefined && file !== undefined) {
    throw new Problem(
      'conflict',
      'The store is PostgreSQL: restore the database with pg_restore, or to a point in time, then run `postrider restore` without a file.',
    )
  }
  const place = previous === undefined ? undefined : placeBefore(config, previous)
  const settle = (dataDir?: string): Promise<[AfterRestore, string | undefined]> =>
    withStore(
      context,
      ({ store, clock }) =>
        withStoreBefore(place, (before) => settleRestored({ store, clock }, before, holding)),
      { onMigrated: () => {}, ...(dataDir === undefined ? {} : { dataDir }) },
    )
  const [done, unreadable] = await whileStopped(config, context.clock.now(), async () => {
    if (file !== undefined) {
      return restoreDatabase(file, config.dataDir, async (dataDir) => {
        const settled = await settle(dataDir)
        await carryJournal(place, dataDir)
        return settled
      })
    }
    const settled = await settle()
    if (config.databaseUrl === undefined) await carryJournal(place, config.dataDir)
    return settled
  })
  return answerOf(given, config, done, unreadable)
}

/** Returns the location of the previous store: a data directory, or a PostgreSQL database. */
function placeBefore({ dataDir, databaseUrl }: Config, previous: string): StorePlace {
  if (/^postgres(ql)?:/.test(previous)) return { dataDir, databaseUrl: previous }
  if (databaseUrl === undefined && resolve(previous) === resolve(dataDir)) {
    throw new Problem(
      'conflict',
      '--previous is the data directory itself; move the old directory away first.',
    )
  }
  return { dataDir: previous, databaseUrl: undefined }
}

/** Runs `work` with the previous store if readable; otherwise without a store, and also returns the reason. */
async function withStoreBefore<T>(
  place: StorePlace | undefined,
  work: (before: Read | undefined) => Promise<T>,
): Promise<[T, string | undefined]> {
  if (place === undefined) return [await work(undefined), undefined]
  const unreadable = await whyUnreadable(place)
  if (unreadable !== undefined) return [await work(undefined), unreadable]
  const done = await lookAtStore(place, (before) =>
    // Errors of `work` are caught here, because `lookAtStore` would report them as errors of the previous store.
    work(before).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    ),
  )
  if (done === undefined || 'error' in done) throw done?.error
  return [done.result, undefined]
}

const NEWER = 'The backup is from a newer version than this program.'
const OLDER =
  'The backup is from an older version than this program. Run `postrider migrate` with its settings, then `postrider restore` with --previous and without a file before the first start.'

async function whyUnreadable(place: StorePlace): Promise<string | undefined> {
  try {
    const found = await lookAtStore(place, async (read, { pending, unknown }) => {
      if (unknown.length > 0) return NEWER
      if (pending.length > 0) return OLDER
      await newestMessage(read)
      return 'readable'
    })
    if (found === undefined) return `There is no store in ${place.dataDir}.`
    return found === 'readable' ? undefined : found
  } catch (error) {
    return (error as Error).message
  }
}

/**
 * Appends the delivery journal of the previous store to the new journal; the next start of a node writes these
 * deliveries to the new store.
 */
async function carryJournal(place: StorePlace | undefined, dataDir: string): Promise<void> {
  if (place === undefined || place.databaseUrl !== undefined) return
  const carried = await readJournal(place.dataDir)
  makeDirectory(dataDir)
  const kept = await readJournal(dataDir)
  if (carried === '' || kept.includes(carried)) return
  const journal = join(dataDir, DELIVERED_JOURNAL)
  await appendFile(journal, `\n${carried}`, { mode: 0o600 })
  await giveToOwnerOf(dataDir, [journal])
}

const readJournal = (dataDir: string): Promise<string> =>
  readFile(join(dataDir, DELIVERED_JOURNAL), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return ''
  })

function answerOf(
  { file, previous }: Restoring,
  { dataDir, databaseUrl }: Config,
  done: AfterRestore,
  unreadable: string | undefined,
): Answer {
  const { restored, held, carriedOver, waiting, suppressions, lostMessages } = done
  const newest =
    done.newestMessage === undefined ? null : new Date(timeOfId(done.newestMessage)).toISOString()
  const where = databaseUrl === undefined ? dataDir : 'the database'
  const lines = [
    file === undefined
      ? `The store in ${where} is ready to start.`
      : `${file} has been restored to ${where}.`,
    newest === null
      ? 'The backup contains no messages.'
      : `The newest message of the backup was accepted at ${newest}. Messages accepted later are lost: ${lostMessages ?? 'the number is unknown'}.`,
    ...(unreadable === undefined ? [] : [`The previous store cannot be read: ${unreadable}`]),
    ...(previous === undefined || unreadable !== undefined
      ? [
          'Later events, suppressions (unsubscribes, complaints, bounces), keys and settings of domains are lost too; import suppressions that you have elsewhere before anything is sent.',
        ]
      : [
          `Carried over from the previous store: the end of ${counted(carriedOver, 'recipient')}, ${counted(suppressions, 'suppression')}. Other events, keys and settings of domains from then on are lost.`,
        ]),
    'Addresses that were erased since the backup are in the store again: erase these addresses once more.',
    `In the queue: ${counted(waiting, 'recipient')} to be sent, ${counted(held, 'recipient')} held.`,
    ...(restored === null
      ? []
      : [
          'The held recipients may have been delivered after the backup. Check them, then send to or cancel all or some:',
          `  postrider queue list`,
          `  postrider queue resume --restored ${restored}`,
          `  postrider queue cancel --restored ${restored} [--destination …, --stream …, --domain …]`,
        ]),
  ]
  return {
    document: {
      data_dir: databaseUrl === undefined ? dataDir : null,
      newest_message_at: newest,
      restored,
      held,
      carried_over: carriedOver,
      waiting,
      suppressions_carried_over: suppressions,
      messages_lost: lostMessages,
      previous_unreadable: unreadable ?? null,
    },
    text: lines.join('\n'),
  }
}
