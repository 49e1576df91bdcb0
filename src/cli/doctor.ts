// postrider doctor: checks whether this installation works, and prints a remedy for each problem.

import { ConfigError, loadConfig } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import { createResolver } from '../dns/resolver.ts'
import { checkBlockLists } from '../health/block-lists.ts'
import { type Check, fail, ok, warn } from '../health/check.ts'
import { checkNetwork, PORT_25_HOST } from '../health/health.ts'
import {
  checkAdminListener,
  checkCertificate,
  checkClock,
  checkDisk,
  checkDomains,
  checkDurability,
  checkNode,
  checkOrders,
  checkPublicUrl,
} from '../health/installation.ts'
import { Problem } from '../model/problem.ts'
import { UnfitSettingsError } from '../model/unfit-settings.ts'
import { readVerificationSettings } from '../node/verification.ts'
import type { Read } from '../store/database/store.ts'
import { NoStoreError } from '../store/node/open-in-mode.ts'
import { readSealing } from '../store/node/sealing.ts'
import type { Answer, Context } from './command.ts'
import { withStore } from './open.ts'
import { counted, printable } from './text.ts'

/** Inputs of `doctor`. */
export interface DoctorOptions {
  readonly 'port25-host': string | undefined
}

export async function doctor(context: Context, given: DoctorOptions): Promise<Answer> {
  const checks = await allChecks(context, given['port25-host'] ?? PORT_25_HOST)
  const failed = checks.filter((check) => check.status === 'fail').length
  const warned = checks.filter((check) => check.status === 'warn').length
  const summary =
    failed > 0
      ? `${counted(failed, 'check')} failed${warned > 0 ? `, ${counted(warned, 'warning')}` : ''}.`
      : warned > 0
        ? `Nothing failed; ${counted(warned, 'warning')}.`
        : 'All checks passed.'
  return {
    document: { checks },
    text: [...checks.map(line), '', summary].join('\n'),
    failed: failed > 0,
  }
}

function line({ name, status, detail, remedy }: Check): string {
  const first = `${status.padEnd(8)} ${name}: ${printable(detail)}`
  return remedy === null ? first : `${first}\n         -> ${printable(remedy)}`
}

async function allChecks(context: Context, port25Host: string): Promise<Check[]> {
  const node = checkNode(process.versions.node)
  let config: Config
  try {
    config = loadConfig(context.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [node, ...wrongSettings(error)]
  }
  const [store, network] = await Promise.all([
    checkStore(context, config),
    checkNetwork(config, createResolver({ servers: config.dnsServers, cache: false }), port25Host),
  ])
  // The first start creates the data directory; until then, no disk can be checked.
  const disk = store.isMissing ? [] : [await checkDisk(config)]
  const certificate = await checkCertificate(config, Date.now())
  return [
    ...checkSettings(config),
    node,
    ...store.checks,
    ...disk,
    checkPublicUrl(config),
    checkAdminListener(config),
    certificate,
    ...network,
    ...store.domains,
  ]
}

const wrongSettings = ({ problems }: ConfigError): Check[] =>
  problems.map((problem) => fail('settings', problem, 'Change or remove this setting.'))

/** Checks the settings that are read only at the start of a node; no other check depends on these settings. */
function checkSettings(config: Config): Check[] {
  try {
    readVerificationSettings(config)
    return [ok('settings', `loaded; mode ${config.mode}, data in ${config.dataDir}`)]
  } catch (error) {
    if (error instanceof ConfigError) return wrongSettings(error)
    throw error
  }
}

/** Reports the key that seals the secrets in the store. */
async function checkSealing(read: Read): Promise<Check> {
  const sealing = await readSealing(read)
  return ok(
    'sealing',
    sealing === undefined
      ? 'off: the database and its backups contain the secrets in plain form (see `postrider help seal store`)'
      : `on: the secrets in the database are encrypted with the key ${sealing.fingerprint}`,
  )
}

/** Checks of the store and of its domains; `isMissing` is true if there is no store yet. */
interface StoreChecks {
  readonly checks: readonly Check[]
  readonly domains: readonly Check[]
  readonly isMissing: boolean
}

async function checkStore(context: Context, config: Config): Promise<StoreChecks> {
  try {
    const [domains, lists, clock, orders, sealing, durability] = await withStore(context, ({ store }) =>
      Promise.all([
        checkDomains(store.read),
        checkBlockLists(config, store.read),
        checkClock(config, store.read),
        checkOrders(config, store.read),
        checkSealing(store.read),
        checkDurability(store.read),
      ]),
    )
    const kind = config.databaseUrl === undefined ? 'SQLite' : 'PostgreSQL'
    return {
      checks: [ok('store', `${kind} opens`), ok('migrations', 'all have run'), durability, sealing, clock],
      domains: [...orders, ...lists, ...domains],
      isMissing: false,
    }
  } catch (error) {
    if (error instanceof NoStoreError) {
      const missing = warn('store', 'there is none yet', error.message)
      return { checks: [missing], domains: [], isMissing: true }
    }
    if (!(error instanceof Problem) || error instanceof UnfitSettingsError) throw error
    const remedy =
      error.code === 'conflict'
        ? 'Start the service, or run `postrider migrate`.'
        : config.databaseUrl === undefined
          ? `Check that ${config.dataDir} exists, belongs to the user that runs Postrider and is not full.`
          : 'Check that POSTRIDER_DATABASE_URL is right and the database can be reached from here.'
    return { checks: [fail('store', error.message, remedy)], domains: [], isMissing: false }
  }
}
