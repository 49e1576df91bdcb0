// Opens the store of the installation for a command, and finds the account and the domain that the command names.

import { setTimeout as sleep } from 'node:timers/promises'
import { auditedStore, describeAuditAction, runAuditAction } from '../access/audit.ts'
import { loadConfig } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import type { Clock } from '../lib/clock.ts'
import { createLog, silentLog } from '../lib/log.ts'
import { domainName } from '../model/domain.ts'
import { Problem } from '../model/problem.ts'
import { type Account, listAccounts } from '../store/access/accounts.ts'
import type { Read, Store } from '../store/database/store.ts'
import { type Domain, listDomains } from '../store/domains/domain-rows.ts'
import type { Owner } from '../store/messages/owner.ts'
import { openStoreInMode } from '../store/node/open-in-mode.ts'
import { VERSION_POLL_MS } from '../store/node/version-watch.ts'
import type { Context } from './command.ts'

/** Open store of an installation, with the settings and the clock. */
export interface Opened {
  readonly config: Config
  readonly store: Store
  readonly clock: Clock
}

/** Options of `withStore` that only a few commands need. */
interface Opening {
  /** Receives the names of the migrations that ran; if undefined, a store from an older version is refused. */
  readonly onMigrated?: (names: readonly string[]) => void
  /** True to create a store where there is none; a call with `onMigrated` always does so. */
  readonly creates?: boolean
  /** Data directory to open instead of the directory in the settings. */
  readonly dataDir?: string
  /** True to open a store with unsealed secrets even if a sealing key is configured. */
  readonly seals?: boolean
}

/**
 * Opens the store that the settings name, and closes the store after `work`; running nodes may use the store at the
 * same time. Throws `ConfigError` for invalid settings, `unavailable` if the store cannot be opened,
 * `UnfitSettingsError` if the store does not exist, or has another mode or another sealing key, and `conflict` if the
 * store is of an older version.
 */
export async function withStore<T>(
  context: Context,
  work: (opened: Opened) => Promise<T>,
  opening: Opening = {},
): Promise<T> {
  const loaded = loadConfig(context.env)
  const config = { ...loaded, dataDir: opening.dataDir ?? loaded.dataDir }
  const { mode, dataDir, databaseUrl, databaseTimeoutMs, sealingKeyFile } = config
  const store = auditedStore(
    await openStoreInMode({
      mode,
      dataDir,
      databaseUrl,
      databaseTimeoutMs,
      sealingKeyFile,
      seals: opening.seals === true,
      log: opening.onMigrated === undefined ? silentLog : createLog('info'),
      migrates: opening.onMigrated !== undefined,
      creates: opening.creates === true,
      ...(opening.onMigrated === undefined ? {} : { onMigrated: opening.onMigrated }),
    }),
  )
  // Only commands that write to the store appear in the audit log.
  const action = {
    action: context.command?.replaceAll(' ', '.') ?? 'command',
    at: context.clock.now(),
    accountId: null,
    actor: 'the command line',
    address: null,
  }
  try {
    return await runAuditAction(
      action,
      store,
      () => work({ config, store, clock: context.clock }),
      () => false,
    )
  } finally {
    await store.close()
  }
}

/** Runs `work` like `withStore`, with the account that `--account` names, or with the only account. */
export function withAccount<T>(
  context: Context,
  named: string | undefined,
  work: (opened: Opened & { readonly account: Account }) => Promise<T>,
): Promise<T> {
  return withStore(context, async (opened) =>
    work({ ...opened, account: await chooseAccount(opened.store.read, named) }),
  )
}

/**
 * Returns the account with this ID or name, or the only account if `named` is undefined. Throws `not_found` or
 * `validation_failed`.
 */
export async function chooseAccount(read: Read, named: string | undefined): Promise<Account> {
  const accounts = await listAccounts(read)
  if (accounts.length === 0) {
    throw new Problem(
      'not_found',
      'There is no account yet; create one with `postrider account create NAME`.',
    )
  }
  const fitting =
    named === undefined
      ? accounts
      : accounts.filter(
          (one) => one.id === named || (one.name === named && !accounts.some(({ id }) => id === named)),
        )
  const [only] = fitting
  if (only !== undefined && fitting.length === 1) {
    describeAuditAction({ accountId: only.id })
    return only
  }
  if (only === undefined) {
    throw new Problem(
      'not_found',
      `There is no account ${JSON.stringify(named)}; \`postrider account list\` shows all accounts.`,
    )
  }
  const some = fitting.slice(0, 5).map(({ id, name }) => `${id} (${name})`)
  const message = `There are ${fitting.length} accounts${named === undefined ? '' : ` named ${JSON.stringify(named)}`}; say which one with --account: ${some.join(', ')}${fitting.length > 5 ? ', …' : ''}.`
  throw new Problem('validation_failed', message, {
    errors: [{ path: 'account', code: named === undefined ? 'required' : 'ambiguous', message }],
  })
}

/**
 * Returns the account's domain with this name or ID. Throws `not_found`, or `validation_failed` for an invalid name.
 */
export async function chooseDomain(read: Read, account: Account, named: string): Promise<Domain> {
  const domains = await listDomains(read, account.id)
  const byId = domains.find((one) => one.id === named)
  if (byId !== undefined) return byId
  const name = domainName(named)
  const domain = domains.find((one) => one.name === name)
  if (domain !== undefined) return domain
  throw new Problem(
    'not_found',
    `The account ${account.name} has no domain ${name}; \`postrider domain list\` shows all, \`postrider domain add ${name}\` adds it.`,
  )
}

/** Runs `work` like `withAccount`, with the domain that `--domain` names, or with the only domain of the account. */
export function withDomain<T>(
  context: Context,
  named: { readonly account: string | undefined; readonly domain: string | undefined },
  work: (opened: Opened & { readonly owner: Owner }) => Promise<T>,
): Promise<T> {
  return withAccount(context, named.account, async (opened) => {
    const { account, store } = opened
    const domain =
      named.domain === undefined
        ? await onlyDomain(store.read, account)
        : await chooseDomain(store.read, account, named.domain)
    return work({ ...opened, owner: { accountId: account.id, domainId: domain.id } })
  })
}

async function onlyDomain(read: Read, account: Account): Promise<Domain> {
  const [first, second] = await listDomains(read, account.id)
  if (first !== undefined && second === undefined) return first
  const message =
    first === undefined
      ? 'There is no domain yet; add one with `postrider domain add DOMAIN`.'
      : 'There are several domains; say which one with --domain.'
  throw new Problem('validation_failed', message, { errors: [{ path: 'domain', code: 'required', message }] })
}

/** Waits until every running node has noticed a change of keys, accounts or domains. */
export const untilNoticed = (): Promise<void> => sleep(2 * VERSION_POLL_MS)
