// Reads the settings from the environment and from a file; `help settings` and docs/config.md list the same settings.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { nearest } from '../lib/nearest.ts'
import { isLoopback, listenHost } from '../lib/setting-kinds.ts'
import { listenersOf } from './listeners.ts'
import { type Config, type GivenSetting, SETTINGS, type Setting, type SettingsBefore } from './settings.ts'
import { readSettingsFile } from './settings-file.ts'

/** Error for invalid settings; the message names each invalid setting with its remedy. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Prefix of the name of every setting. */
const PREFIX = 'POSTRIDER_'
/** Name of the environment variable that names the settings file; not itself a setting. */
const CONFIG_FILE = 'POSTRIDER_CONFIG'

/**
 * Names of environment variables that commands for an installation elsewhere read; not settings of a service, which may
 * be started in the same environment.
 */
const OF_COMMANDS: ReadonlySet<string> = new Set(['POSTRIDER_URL', 'POSTRIDER_KEY'])

/** Returns the path of the default settings file, next to the data directory: `data.env` for `data`. */
const defaultSettingsFile = (dataDir: string): string => `${resolve(dataDir)}.env`

/**
 * Reads the settings from `env`, and the remaining settings from a file with lines of `NAME=value`. The file is named
 * by `POSTRIDER_CONFIG`, or found next to the data directory. Throws `ConfigError` with all problems at once: unknown
 * `POSTRIDER_…` names, values of the wrong type and invalid lines.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = []
  // An empty environment variable counts as absent, so that the value of the file applies.
  const exported = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()))
  const given = { ...env, ...readConfigFile(settingsFile(env), problems), ...exported }
  const known = new Map<string, Setting<unknown>>(Object.values(SETTINGS).map((one) => [one.name, one]))
  for (const name of Object.keys(given)) {
    if (name.startsWith(PREFIX) && name !== CONFIG_FILE && !OF_COMMANDS.has(name) && !known.has(name)) {
      problems.push(`${name} is not a setting${suggestion(name, [...known.keys()])}`)
    }
  }
  const values: Record<string, unknown> = {}
  const sources: Record<string, GivenSetting> = {}
  for (const [key, one] of Object.entries(SETTINGS) as [string, Setting<unknown>][]) {
    const value = given[one.name]?.trim()
    if (value) sources[one.name] = { text: value, source: exported[one.name] ? 'environment' : 'file' }
    try {
      const before = { ...FIRST, ...values } as SettingsBefore
      values[key] = value === undefined || value === '' ? one.fallback(before) : one.kind.read(value)
    } catch (error) {
      const shown = one.kind.secret ? '' : `; it is ${JSON.stringify(given[one.name])}`
      problems.push(`${one.name} ${(error as Error).message}${shown}`)
    }
  }
  const config = { ...values, given: Object.freeze(sources) } as Config
  problems.push(...problemsTogether(config, given))
  if (problems.length === 0) problems.push(...portConflicts(config))
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(config)
}

/**
 * Returns conflicts between settings that are valid individually. A setting that could not be parsed is absent from
 * `config` and causes no conflicts.
 */
function problemsTogether(config: Config, given: NodeJS.Dict<string>): string[] {
  const problems: string[] = []
  if ((config.smtpTlsCert === undefined) !== (config.smtpTlsKey === undefined)) {
    problems.push('POSTRIDER_SMTP_TLS_CERT and POSTRIDER_SMTP_TLS_KEY go together; one of them is missing')
  }
  problems.push(...listenersOfPlayground(config, given), ...acmeProblems(config), ...hostProblems(config))
  for (const key of ['contentRetentionMs', 'transcriptRetentionMs'] as const) {
    if ((config[key] ?? 0) > (config.recordRetentionMs ?? Number.POSITIVE_INFINITY)) {
      problems.push(
        `${SETTINGS[key].name} is longer than POSTRIDER_RECORD_RETENTION, which also removes this data: shorten the former or lengthen the latter`,
      )
    }
  }
  problems.push(...poolProblems(config), ...logProblems(config))
  if (config.workers !== undefined && config.workers !== 1) problems.push(...workerProblems(config))
  return problems
}

/** Placeholders for unparsable settings on which the defaults of other settings depend. */
const FIRST: SettingsBefore = {
  mode: 'playground',
  hostname: 'localhost',
  smtpHost: '127.0.0.1',
  acmeEmail: undefined,
  httpsPort: undefined,
}

/**
 * Returns the problems of listeners that other machines can reach in playground mode. The playground gives every client
 * full access, so the playground must listen only on this machine.
 */
function listenersOfPlayground(config: Config, given: NodeJS.Dict<string>): string[] {
  if (config.mode !== 'playground' || config.playgroundOnNetwork === 'yes') return []
  return Object.entries(SETTINGS).flatMap(([key, { name, kind }]) => {
    const host = config[key as keyof Config]
    // A host that is derived from another setting is skipped, because the other setting is reported already.
    if (kind !== listenHost || !given[name]?.trim() || isLoopback(host as string)) return []
    return [
      `${name} is ${host}, which other machines can reach, and the mailbox of the playground needs no login: set POSTRIDER_MODE=production to run a service, or POSTRIDER_PLAYGROUND_ON_NETWORK=yes where you trust that network`,
    ]
  })
}

function acmeProblems({ acmeEmail, smtpTlsCert, hostname }: Config): string[] {
  if (acmeEmail === undefined) return []
  const problems: string[] = []
  if (smtpTlsCert !== undefined) {
    problems.push(
      'POSTRIDER_ACME_EMAIL and POSTRIDER_SMTP_TLS_CERT exclude each other: the certificate comes from the one or from the other',
    )
  }
  if (hostname !== undefined && !hostname.includes('.')) {
    problems.push(
      `POSTRIDER_ACME_EMAIL needs POSTRIDER_HOSTNAME to be a full domain name such as mail.example.com; it is ${hostname}`,
    )
  }
  return problems
}

/** Returns the problems of hosts of compatible endpoints that something else is served at. */
function hostProblems({ compatHosts = [], hostname, publicUrl }: Partial<Config>): string[] {
  const own = new Set([hostname, publicUrl === undefined ? undefined : new URL(publicUrl).hostname])
  return compatHosts.flatMap(({ host }, index) => {
    if (own.has(host)) {
      return [
        `POSTRIDER_COMPAT_HOSTS names ${host}, at which the API and the dashboard are served: use a host name of its own`,
      ]
    }
    const isSecond = compatHosts.findIndex((one) => one.host === host) < index
    return isSecond
      ? [`POSTRIDER_COMPAT_HOSTS names ${host} twice: each service needs a host name of its own`]
      : []
  })
}

/** Returns the problem of a log level that drops the lines about mail. */
function logProblems({ logMail = 'off', logLevel = 'info' }: Partial<Config>): string[] {
  if (logMail === 'off' || logLevel === 'info' || logLevel === 'debug') return []
  return [
    `POSTRIDER_LOG_MAIL is ${logMail}, and POSTRIDER_LOG_LEVEL ${logLevel} drops its lines, which have the level info: set POSTRIDER_LOG_LEVEL=info or POSTRIDER_LOG_MAIL=off`,
  ]
}

/** Returns the problems of settings that name a missing source pool. */
function poolProblems({ sourceAddresses, sourcePools, verifySourcePool }: Partial<Config>): string[] {
  if (sourceAddresses === undefined) return []
  const pools = new Set(sourceAddresses.map(({ name }) => name))
  const problems = (sourcePools ?? [])
    .filter(({ pool }) => !pools.has(pool))
    .map(
      ({ pool }) =>
        `POSTRIDER_SOURCE_POOLS names the pool ${pool}, which POSTRIDER_SOURCE_ADDRESSES does not define`,
    )
  if (verifySourcePool !== undefined && !pools.has(verifySourcePool)) {
    problems.push(
      `POSTRIDER_VERIFY_SOURCE_POOL must be a pool of POSTRIDER_SOURCE_ADDRESSES; there is no ${verifySourcePool}`,
    )
  }
  return problems
}

/**
 * Returns a problem for every two listeners with the same port and address; the problem names the settings of both
 * listeners.
 */
function portConflicts(config: Config): string[] {
  const open = listenersOf(config).filter(({ port }) => port > 0)
  return open.flatMap((one, at) =>
    open
      .slice(0, at)
      .filter((other) => other.port === one.port && shareAddress(other.host, one.host))
      .map(
        (other) =>
          `${one.portSetting} and ${other.portSetting} are both ${one.port}; give one of them another port, or another address with ${one.hostSetting} or ${other.hostSetting}`,
      ),
  )
}

/**
 * Returns the problems of settings for several worker processes: the processes share ports with fixed numbers, and need
 * a database for several processes.
 */
function workerProblems(config: Config): string[] {
  const asked = `${SETTINGS.workers.name} is ${config.workers}`
  const store =
    'databaseUrl' in config && config.databaseUrl === undefined
      ? [
          `${asked}, and SQLite is for one process: set ${SETTINGS.databaseUrl.name} to a PostgreSQL database, or leave it at 1`,
        ]
      : []
  const system = ['linux', 'freebsd'].includes(process.platform)
    ? []
    : [`${asked}, and this system shares no ports among processes: leave it at 1, or run on Linux or FreeBSD`]
  const free = listenersOf(config).filter(({ name, port }) => name !== 'admin' && port === 0)
  return [
    ...store,
    ...system,
    ...free.map(
      ({ portSetting }) => `${asked}, and ${portSetting} is 0: set the port that all workers share`,
    ),
  ]
}

const ANY_ADDRESS = new Set(['0.0.0.0', '::'])

const shareAddress = (one: string, other: string): boolean =>
  one === other || ANY_ADDRESS.has(one) || ANY_ADDRESS.has(other)

function settingsFile(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env[CONFIG_FILE]) return env[CONFIG_FILE]
  const file = defaultSettingsFile(env[SETTINGS.dataDir.name]?.trim() || 'data')
  return existsSync(file) ? file : undefined
}

function readConfigFile(path: string | undefined, problems: string[]): NodeJS.Dict<string> {
  if (path === undefined) return {}
  try {
    const values = readSettingsFile(path, problems)
    for (const name of Object.keys(values)) {
      if (!name.startsWith(PREFIX)) problems.push(`${name} in ${path} is not a setting`)
    }
    return values
  } catch (error) {
    problems.push(
      `${CONFIG_FILE}: the file ${path} cannot be read (${(error as Error).message}); check the path and the permissions`,
    )
    return {}
  }
}

function suggestion(name: string, names: readonly string[]): string {
  // The common prefix of all settings is not compared.
  const own = (one: string): string => one.slice(PREFIX.length)
  const near = nearest(own(name), names.map(own))
  return near === undefined ? '; see `postrider help settings`' : `; did you mean ${PREFIX}${near}?`
}

/** Returns the settings as a Markdown table, for docs/config.md. */
export function settingsAsMarkdown(): string {
  const rows = Object.values(SETTINGS as Record<string, Setting<unknown>>).map(
    (one) => `| \`${one.name}\` | ${one.kind.title} | ${one.shown} | ${one.sentence} |`,
  )
  return ['| Setting | Type | Default | What it does |', '|---|---|---|---|', ...rows, ''].join('\n')
}

/**
 * Returns settings as plain lines, for `help settings`: the setting with the name `word`, or all settings whose name or
 * sentence contains `word`. The name may be given without the prefix `POSTRIDER_`. Returns an empty text if no setting
 * fits.
 */
export function settingsAsText(word = ''): string {
  const all = Object.values(SETTINGS as Record<string, Setting<unknown>>)
  const wanted = word.toLowerCase()
  const named = all.find(({ name }) => [name, name.slice(PREFIX.length)].includes(word.toUpperCase()))
  const contains = ({ name, sentence }: Setting<unknown>): boolean =>
    `${name} ${sentence}`.toLowerCase().includes(wanted)
  return (named === undefined ? all.filter(contains) : [named])
    .map((one) => `  ${one.name}\n      ${one.sentence}\n      ${one.kind.title}; default: ${one.shown}`)
    .map(withoutMarkdown)
    .join('\n')
}

/** Returns the text without backticks, and with each link replaced by the words of the link. */
const withoutMarkdown = (text: string): string =>
  text.replaceAll(/\[([^\][]*)\]\([^()[]*\)/g, '$1').replaceAll('`', '')
