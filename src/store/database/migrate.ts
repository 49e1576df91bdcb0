// Brings the tables to the newest numbered migration.

import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { DialectName, Read } from './dialect.ts'
import { up as foundation } from './migrations/0001-foundation.ts'
import { up as lanes } from './migrations/0002-lanes.ts'
import { up as tlsAndRoutes } from './migrations/0003-tls-and-routes.ts'
import { up as suppressions } from './migrations/0004-suppressions.ts'
import { up as sendAt } from './migrations/0005-send-at.ts'
import { up as verification } from './migrations/0006-verification.ts'
import { up as templatesStreams } from './migrations/0007-templates-streams.ts'
import { up as people } from './migrations/0008-people.ts'
import { up as domainsAndFigures } from './migrations/0009-domains-and-figures.ts'
import { up as replacedSuppressions } from './migrations/0010-replaced-suppressions.ts'
import { up as updateTimes } from './migrations/0011-update-times.ts'
import { up as eventLog } from './migrations/0012-event-log.ts'
import { up as searchWords } from './migrations/0013-search-words.ts'
import { up as storedBytes } from './migrations/0014-stored-bytes.ts'
import { up as queue } from './migrations/0015-queue.ts'
import { up as problemNotices } from './migrations/0020-problem-notices.ts'
import { up as retention } from './migrations/0021-retention.ts'
import { up as erasure } from './migrations/0022-erasure.ts'
import { up as sealing } from './migrations/0024-sealing.ts'
import { up as eventFeed } from './migrations/0026-event-feed.ts'
import { up as messageParts } from './migrations/0027-message-parts.ts'
import { up as requestLog } from './migrations/0027-request-log.ts'
import { up as webhooks } from './migrations/0028-webhooks.ts'
import { up as inbound } from './migrations/0030-inbound.ts'
import { up as tracking } from './migrations/0032-tracking.ts'
import { up as anyCase } from './migrations/0036-any-case.ts'
import { up as ownColumns } from './migrations/0037-own-columns.ts'
import { up as storeHeartbeat } from './migrations/0038-store-heartbeat.ts'
import { up as bulk } from './migrations/0042-bulk.ts'
import { up as wordsWithoutAccents } from './migrations/0044-words-without-accents.ts'
import { up as resends } from './migrations/0045-resends.ts'
import { up as sampleModels } from './migrations/0046-sample-models.ts'
import { up as brandsAndLoad } from './migrations/0047-brands-and-load.ts'
import { up as byAddress } from './migrations/0050-by-address.ts'
import { up as linkRevocations } from './migrations/0053-link-revocations.ts'
import { up as verificationChecks } from './migrations/0054-verification-checks.ts'
import { up as vacuumWhatIsRemoved } from './migrations/0055-vacuum-what-is-removed.ts'
import { up as sharedRates } from './migrations/0056-shared-rates.ts'
import { up as contentPartitions } from './migrations/0057-content-partitions.ts'
import { up as inboundLeases } from './migrations/0059-inbound-leases.ts'
import { up as deliveryNotes } from './migrations/0060-delivery-notes.ts'
import { up as undelivered } from './migrations/0061-undelivered.ts'
import { up as checksByLength } from './migrations/0062-checks-by-length.ts'
import { up as suppressionsInAnyCase } from './migrations/0063-suppressions-in-any-case.ts'
import { up as operatingAccount } from './migrations/0064-operating-account.ts'
import { up as lateEvents } from './migrations/0065-late-events.ts'
import { up as keyedRequests } from './migrations/0066-keyed-requests.ts'
import { up as attemptedPositions } from './migrations/0067-attempted-positions.ts'

type Step = (db: Kysely<unknown>, dialect: DialectName) => Promise<void>

const MIGRATIONS: Record<string, Step> = {
  '0001-foundation': foundation,
  '0002-lanes': lanes,
  '0006-verification': verification,
  '0003-tls-and-routes': tlsAndRoutes,
  '0004-suppressions': suppressions,
  '0005-send-at': sendAt,
  '0007-templates-streams': templatesStreams,
  '0008-people': people,
  '0009-domains-and-figures': domainsAndFigures,
  '0010-replaced-suppressions': replacedSuppressions,
  '0011-update-times': updateTimes,
  '0012-event-log': eventLog,
  '0013-search-words': searchWords,
  '0014-stored-bytes': storedBytes,
  '0015-queue': queue,
  '0020-problem-notices': problemNotices,
  '0021-retention': retention,
  '0022-erasure': erasure,
  '0024-sealing': sealing,
  '0026-event-feed': eventFeed,
  '0027-message-parts': messageParts,
  '0027-request-log': requestLog,
  '0028-webhooks': webhooks,
  '0030-inbound': inbound,
  '0032-tracking': tracking,
  '0036-any-case': anyCase,
  '0037-own-columns': ownColumns,
  '0038-store-heartbeat': storeHeartbeat,
  '0042-bulk': bulk,
  '0044-words-without-accents': wordsWithoutAccents,
  '0045-resends': resends,
  '0050-by-address': byAddress,
  '0053-link-revocations': linkRevocations,
  '0054-verification-checks': verificationChecks,
  '0055-vacuum-what-is-removed': vacuumWhatIsRemoved,
  '0046-sample-models': sampleModels,
  '0047-brands-and-load': brandsAndLoad,
  '0056-shared-rates': sharedRates,
  '0057-content-partitions': contentPartitions,
  '0059-inbound-leases': inboundLeases,
  '0060-delivery-notes': deliveryNotes,
  '0061-undelivered': undelivered,
  '0062-checks-by-length': checksByLength,
  '0063-suppressions-in-any-case': suppressionsInAnyCase,
  '0064-operating-account': operatingAccount,
  '0065-late-events': lateEvents,
  '0066-keyed-requests': keyedRequests,
  '0067-attempted-positions': attemptedPositions,
}

/** Names of all migrations of this program. */
export const knownMigrations = (): readonly string[] => Object.keys(MIGRATIONS)

/**
 * Runs the migrations that have not run yet, in one transaction, and answers their names.
 * Throws when one fails, or the store has run some that this program does not know; then nothing has changed.
 */
export async function migrate(db: Kysely<never>, dialect: DialectName): Promise<string[]> {
  const run = new Set(await migrationsRun(db as unknown as Read))
  const known = Object.keys(MIGRATIONS)
  if (run.size === known.length && known.every((name) => run.has(name))) return []
  const migrations: Record<string, Migration> = {}
  for (const [name, step] of Object.entries(MIGRATIONS)) {
    migrations[name] = { up: (connection) => step(connection, dialect) }
  }
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
    // Two that were made side by side depend on neither's being first.
    allowUnorderedMigrations: true,
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  return (results ?? []).map((result) => result.migrationName)
}

/**
 * Answers the names of the migrations that a store has run; undefined when it has no tables yet. Whether there is the
 * table is seen by asking it: to look at all tables takes longer than all else of opening a store.
 */
export async function migrationsRun(db: Read): Promise<readonly string[] | undefined> {
  const rows = await unlessOlder(sql<{ name: string }>`select name from kysely_migration`.execute(db))
  return rows === undefined || rows.rows.length === 0 ? undefined : rows.rows.map(({ name }) => name)
}

/** SQLSTATE of a table, and of a column, that there is not; the words of SQLite for the same. */
const MISSING_CODE = /^(42P01|42703)$/
const MISSING_WORDS = /^no such (table|column)/

/** Answers what is read of a store that may be older; undefined where its tables do not have it yet. */
export async function unlessOlder<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string }
    // Any other failure tells nothing of what is there.
    if (MISSING_CODE.test(code) || MISSING_WORDS.test(message)) return undefined
    throw error
  }
}
