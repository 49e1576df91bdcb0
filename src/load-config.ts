// Reading the settings: from the environment, and under it from a file; --help and docs/config.md show the same table.

import { type Config, SETTINGS, type Setting, type SettingsBefore } from './config.ts'
import { nearest } from './lib/nearest.ts'
import { readSettingsFile } from './lib/settings-file.ts'

/** One or more settings cannot be used; the message names each with its remedy. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Names the file with further settings; not itself one of them. */
const CONFIG_FILE = 'POSTRIDER_CONFIG'

/**
 * Reads the settings from `env`, and under them from the file that `POSTRIDER_CONFIG` names (lines of
 * `NAME=value`). Throws `ConfigError` with every problem at once: unknown `POSTRIDER_…` names, ill-typed values,
 * lines that are none.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = []
  const given = { ...readConfigFile(env[CONFIG_FILE], problems), ...env }
  const known = new Map<string, Setting<unknown>>(Object.values(SETTINGS).map((one) => [one.name, one]))
  for (const name of Object.keys(given)) {
    if (name.startsWith('POSTRIDER_') && name !== CONFIG_FILE && !known.has(name)) {
      problems.push(`${name} is not a setting${suggestion(name, [...known.keys()])}`)
    }
  }
  const values: Record<string, unknown> = {}
  for (const [key, one] of Object.entries(SETTINGS) as [string, Setting<unknown>][]) {
    const value = given[one.name]?.trim()
    try {
      const before = { mode: 'playground', hostname: 'localhost', ...values } as SettingsBefore
      values[key] = value === undefined || value === '' ? one.fallback(before) : one.kind.read(value)
    } catch (error) {
      const shown = one.kind.secret ? '' : `; it is ${JSON.stringify(given[one.name])}`
      problems.push(`${one.name} ${(error as Error).message}${shown}`)
    }
  }
  const config = values as Config
  if ((config.smtpTlsCert === undefined) !== (config.smtpTlsKey === undefined)) {
    problems.push('POSTRIDER_SMTP_TLS_CERT and POSTRIDER_SMTP_TLS_KEY go together; one of them is missing')
  }
  const pools = new Set(config.sourceAddresses?.map((pool) => pool.name))
  for (const { pool } of config.sourcePools ?? []) {
    if (!pools.has(pool)) {
      problems.push(
        `POSTRIDER_SOURCE_POOLS names the pool ${pool}, which POSTRIDER_SOURCE_ADDRESSES does not make`,
      )
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(config)
}

function readConfigFile(path: string | undefined, problems: string[]): NodeJS.Dict<string> {
  if (path === undefined || path === '') return {}
  try {
    const values = readSettingsFile(path, problems)
    for (const name of Object.keys(values)) {
      if (!name.startsWith('POSTRIDER_')) problems.push(`${name} in ${path} is not a setting`)
    }
    return values
  } catch (error) {
    problems.push(`${CONFIG_FILE} cannot be read: ${(error as Error).message}`)
    return {}
  }
}

function suggestion(name: string, names: readonly string[]): string {
  const near = nearest(name, names)
  return near === undefined ? '; see `postrider --help`' : `; did you mean ${near}?`
}

/** The settings as a Markdown table, for docs/config.md. */
export function settingsAsMarkdown(): string {
  const rows = Object.values(SETTINGS as Record<string, Setting<unknown>>).map(
    (one) => `| \`${one.name}\` | ${one.kind.title} | ${one.shown} | ${one.sentence} |`,
  )
  return ['| Setting | Type | Default | What it does |', '|---|---|---|---|', ...rows, ''].join('\n')
}

/** The settings as plain lines, for `--help`. */
export function settingsAsText(): string {
  return Object.values(SETTINGS as Record<string, Setting<unknown>>)
    .map((one) =>
      `  ${one.name}\n      ${one.sentence}\n      ${one.kind.title}; default: ${one.shown}`.replaceAll(
        '`',
        '',
      ),
    )
    .join('\n')
}
