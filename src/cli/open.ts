// Opens the store of the installation for a command, and finds the account and the domain that the command names.

import { setTimeout as sleep } from 'node:timers/promises'
import { auditedStore, describeAuditAction, runAuditAction } from '../access/audit.ts'
import type { DomainSummary } from '../api/contract/domain.ts'
import type { CurrentKey } from '../api/contract/key.ts'
import { loadConfig } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import type { Clock } from '../lib/clock.ts'
import { createLog, silentLog } from '../lib/log.ts'
import { domainName } from '../model/domain.ts'
import { COMMAND_LINE } from '../model/key-kind.ts'
import { Problem } from '../model/problem.ts'
import { type Account, listAccounts } from '../store/access/accounts.ts'
import type { Read, Store } from '../store/database/store.ts'
import { type Domain, listDomains } from '../store/domains/domain-rows.ts'
import { openStoreInMode } from '../store/node/open-in-mode.ts'
import { VERSION_POLL_MS } from '../store/node/version-watch.ts'
import { Api } from './api.ts'
import type { Context } from './command.ts'
import type { Remote } from './remote.ts'

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
  return withOpened(context, opening, (opened) => {
    // Only commands that write to the store appear in the audit log.
    const action = {
      action: context.command?.replaceAll(' ', '.') ?? 'command',
      at: context.clock.now(),
      accountId: null,
      actor: COMMAND_LINE,
      address: null,
    }
    return runAuditAction(
      action,
      opened.store,
      () => work(opened),
      () => false,
    )
  })
}

/** Opens the store like `withStore`, outside of an audit action. */
async function withOpened<T>(
  context: Context,
  opening: Opening,
  work: (opened: Opened) => Promise<T>,
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
  try {
    return await work({ config, store, clock: context.clock })
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
  const only = onlyAccount(
    (await listAccounts(read)).map((account) => ({ ...account, account_id: account.id })),
    named,
  )
  describeAuditAction({ accountId: only.id })
  return only
}

/** Account as the API shows it. */
interface NamedAccount {
  readonly account_id: string
  readonly name: string
}

/**
 * Returns the account of a list with this ID or name, or the only account if `named` is undefined. Throws `not_found` or
 * `validation_failed`.
 */
export function onlyAccount<One extends NamedAccount>(
  accounts: readonly One[],
  named: string | undefined,
): One {
  if (accounts.length === 0) {
    throw new Problem(
      'not_found',
      'There is no account yet; create one with `postrider account create NAME`.',
    )
  }
  const byId = accounts.filter(({ account_id }) => account_id === named)
  const ofName = byId.length > 0 ? byId : accounts.filter(({ name }) => name === named)
  const fitting = named === undefined ? accounts : ofName
  const [only] = fitting
  if (only !== undefined && fitting.length === 1) return only
  if (only === undefined) {
    throw new Problem(
      'not_found',
      `There is no account ${JSON.stringify(named)}; \`postrider account list\` shows all accounts.`,
    )
  }
  const some = fitting.slice(0, 5).map(({ account_id: id, name }) => `${id} (${name})`)
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

/**
 * Runs `work` with the API within the account that `--account` names, or within the only account. An installation
 * elsewhere knows the account by the key.
 */
export function withApi<T>(
  context: Context,
  named: string | undefined,
  work: (api: Api) => Promise<T>,
): Promise<T> {
  const { remote } = context
  if (remote === undefined) return withLocalApi(context, { account: named }, {}, work)
  return withRemote(remote, async (api) => {
    if (named !== undefined) await requireOwnAccount(api, named)
    return work(api)
  })
}

/** Runs `work` with the API for the whole installation, as an operator. */
export const withInstallation = <T>(
  context: Context,
  work: (api: Api) => Promise<T>,
  opening: Opening = {},
): Promise<T> =>
  context.remote === undefined
    ? withLocalApi(context, undefined, opening, work)
    : withRemote(context.remote, work)

async function withRemote<T>(remote: Remote, work: (api: Api) => Promise<T>): Promise<T> {
  const { remoteTransport } = await import('./remote.ts')
  return work(new Api(remoteTransport(remote), remote.url))
}

/** Account in which commands of the machine work; `every` if they may work without an account. */
interface Within {
  readonly account: string | undefined
  readonly every?: true
}

/** Runs `work` like `withApi`, or with the API for the whole installation if there is not exactly one account. */
export const withAnyApi = <T>(
  context: Context,
  account: string | undefined,
  work: (api: Api) => Promise<T>,
): Promise<T> =>
  context.remote === undefined
    ? withLocalApi(context, { account, every: true }, {}, work)
    : withApi(context, account, work)

/** @param within names the account; undefined for the whole installation */
function withLocalApi<T>(
  context: Context,
  within: Within | undefined,
  opening: Opening,
  work: (api: Api) => Promise<T>,
): Promise<T> {
  return withOpened(context, opening, async (opened) => {
    const account = within && (await accountWithin(opened.store.read, within))
    const { LocalApi } = await import('../node/local-api.ts')
    const local = new LocalApi(opened, account)
    try {
      return await work(new Api((request) => local.call(request)))
    } finally {
      await local.close()
    }
  })
}

/** Returns the named account, or the only account; undefined if there is not exactly one and none is needed. */
async function accountWithin(read: Read, { account, every }: Within): Promise<Account | undefined> {
  if (account !== undefined || every === undefined) return chooseAccount(read, account)
  const [first, second] = await listAccounts(read)
  return second === undefined ? first : undefined
}

/**
 * Returns the domain that `--domain` names, or the name of the only domain that the command or the key works on. Throws
 * `validation_failed`.
 */
export async function oneDomain(api: Api, named: string | undefined): Promise<string> {
  if (named !== undefined) return named
  const { domains } = await api.get<CurrentKey>('/v1/key')
  const names = domains ?? (await api.list<DomainSummary>('/v1/domains', {}, 2)).map(({ domain }) => domain)
  const [first, second] = names
  if (first !== undefined && second === undefined) return first
  const message =
    first === undefined
      ? 'There is no domain yet; add one with `postrider domain add DOMAIN`.'
      : 'There are several domains; say which one with --domain.'
  throw new Problem('validation_failed', message, { errors: [{ path: 'domain', code: 'required', message }] })
}

/** Throws `not_found` if the key belongs to another account. */
async function requireOwnAccount(api: Api, named: string): Promise<void> {
  const { account } = await api.get<CurrentKey>('/v1/key')
  if (account.account_id === named || account.name === named) return
  throw new Problem(
    'not_found',
    `The key belongs to the account ${account.account_id} (${account.name}); leave out --account, or use a key of the other account.`,
  )
}

/** Waits until every running node has noticed a change of keys, accounts or domains. */
export const untilNoticed = (): Promise<void> => sleep(2 * VERSION_POLL_MS)
