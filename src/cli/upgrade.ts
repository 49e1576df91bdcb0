// postrider upgrade --check: reports the changes that the start of a node of this version would make to the store.

import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { loadConfig } from '../config/load.ts'
import { type Check, fail, ok, warn } from '../health/check.ts'
import { freeBytes } from '../lib/disk.ts'
import { packageVersion } from '../lib/package-version.ts'
import { readVerificationSettings } from '../node/verification.ts'
import { databaseFile } from '../store/database/store.ts'
import { lookAtStore, type MigrationState } from '../store/database/unopened.ts'
import { listRunningNodes, type NodeRow } from '../store/node/nodes.ts'
import type { Answer, Context } from './command.ts'
import { counted } from './text.ts'

interface Found extends MigrationState {
  readonly nodes: readonly NodeRow[]
}

export async function upgrade(context: Context): Promise<Answer> {
  const config = loadConfig(context.env)
  // A node of the new version would refuse to start with settings that fail this check.
  readVerificationSettings(config)
  const found = await lookAtStore(config, async (read, migrations) => ({
    ...migrations,
    nodes: await listRunningNodes(read, context.clock.now()),
  }))
  if (found === undefined) {
    const place = config.databaseUrl === undefined ? `in ${resolve(config.dataDir)}` : 'in the database'
    const text = `There is no store ${place} yet; the first start creates one.`
    return { document: { version: packageVersion(), checks: [ok('store', text)] }, text }
  }
  const checks = [
    migrationCheck(found),
    nodeCheck(found),
    ...(config.databaseUrl === undefined ? [await roomCheck(config.dataDir, found)] : []),
  ]
  const lines = checks.map(
    ({ status, name, detail, remedy }) =>
      `${status.padEnd(5)} ${name}: ${detail}${remedy === null ? '' : `\n      ${remedy}`}`,
  )
  return {
    document: { version: packageVersion(), pending: found.pending, checks },
    text: [`Postrider ${packageVersion()}`, ...lines].join('\n'),
    failed: checks.some(({ status }) => status === 'fail'),
  }
}

function migrationCheck({ pending, unknown }: Found): Check {
  if (unknown.length > 0) {
    return fail(
      'store',
      `it is from a newer version, with the migrations ${unknown.join(', ')}`,
      'Run the newer version, or restore a backup from this version.',
    )
  }
  if (pending.length === 0) return ok('store', 'it is from this version; no change is needed')
  return warn(
    'store',
    `${counted(pending.length, 'migration')} to run at the start: ${pending.join(', ')}`,
    'Make a backup first: an older version does not open the store afterwards.',
  )
}

function nodeCheck({ nodes, pending }: Found): Check {
  const others = nodes.filter(({ version }) => version !== packageVersion())
  if (others.length === 0)
    return ok('nodes', nodes.length === 0 ? 'none runs' : `${counted(nodes.length, 'node')} of this version`)
  const names = others.map(({ host_name, version }) => `${host_name} (${version})`).join(', ')
  return pending.length === 0
    ? ok('nodes', `of another version, which may run together with this version: ${names}`)
    : warn('nodes', `of another version: ${names}`, 'Stop these nodes before a node of this version starts.')
}

/**
 * Requires free space for a copy of the database, because a migration may write every page into the write-ahead log.
 */
async function roomCheck(dataDir: string, { pending }: Found): Promise<Check> {
  const [{ size }, free] = await Promise.all([stat(databaseFile(dataDir)), freeBytes(dataDir)])
  const detail = `${megabytes(free)} free, the database takes ${megabytes(size)}`
  if (pending.length === 0 || free > size) return ok('disk', detail)
  return fail('disk', detail, 'Free at least the size of the database before you upgrade.')
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6).toLocaleString('en')} MB`
